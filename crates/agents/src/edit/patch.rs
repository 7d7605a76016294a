//! Replaces parts of a text.

use std::ops::Range;

/// A part of a text, and its replacement.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Patch {
    pub(crate) place: Range<usize>,
    pub(crate) text: String,
}

/// The text with all patches applied. The patches must not overlap.
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
