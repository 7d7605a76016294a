//! Parts of a text, and what stands there instead.

use std::ops::Range;

/// A part of a text, and what stands there instead.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Patch {
    pub(crate) place: Range<usize>,
    pub(crate) text: String,
}

/// The text with all patches in it; they do not overlap.
pub(crate) fn apply(text: &str, patches: &mut [Patch]) -> String {
    patches.sort_by_key(|patch| (patch.place.start, patch.place.end));
    let mut out = String::new();
    let mut done = 0;
    for patch in patches.iter() {
        out.push_str(text.get(done..patch.place.start).unwrap_or_default());
        out.push_str(&patch.text);
        done = patch.place.end;
    }
    out.push_str(text.get(done..).unwrap_or_default());
    out
}

impl Patch {
    /// The one patch that makes `new` of `old`: all that lies between what both begin and end with.
    pub(crate) fn between(old: &str, new: &str) -> Self {
        let same = |(left, right): &(char, char)| left == right;
        let head: usize =
            old.chars().zip(new.chars()).take_while(same).map(|(letter, _)| letter.len_utf8()).sum();
        let (old_rest, new_rest) = (&old[head..], &new[head..]);
        let tail = old_rest.chars().rev().zip(new_rest.chars().rev()).take_while(same);
        let tail: usize = tail.map(|(letter, _)| letter.len_utf8()).sum();
        Self { place: head..old.len() - tail, text: new_rest[..new_rest.len() - tail].to_owned() }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn one_patch_makes_one_text_of_another() {
        for (old, new) in [
            ("", "a"),
            ("a", ""),
            ("aba", "aa"),
            ("aa", "aaa"),
            ("é", "è"),
            ("x\ny\n", "x\nz\ny\n"),
            ("a", "a"),
        ] {
            assert_eq!(apply(old, &mut [Patch::between(old, new)]), new, "{old:?} {new:?}");
        }
    }
}
