//! A text as stages see it, with what is known about it: computed when a stage first asks, and kept for the next one.

use std::cell::{Cell, OnceCell, RefCell};
use std::ops::Deref;
use std::rc::Rc;

use crate::call::Call;
use crate::read::source;

/// A text that stages may edit. It can be used like a `str`.
pub struct TextView<'t> {
    text: &'t str,
    facts: Rc<TextFacts>,
}

/// What is known about one result of one call.
#[derive(Default)]
pub struct TextFacts {
    pairs: OnceCell<BytePairs>,
    is_source: OnceCell<bool>,
    /// True when the text is known to be one JSON document whose layout can be restored.
    is_document: Cell<bool>,
    /// The cuts that found nothing to omit, whatever the class.
    idle_cuts: RefCell<Vec<&'static str>>,
}

impl Deref for TextView<'_> {
    type Target = str;

    fn deref(&self) -> &str {
        self.text
    }
}

impl<'t> TextView<'t> {
    /// A view of a text about which nothing is known.
    #[must_use]
    pub fn new(text: &'t str) -> Self {
        Self::with_facts(text, Rc::default())
    }

    /// A view of a text with these facts, which must be about the same text and call.
    #[must_use]
    pub fn with_facts(text: &'t str, facts: Rc<TextFacts>) -> Self {
        Self { text, facts }
    }

    /// True when the text contains one of these strings, each of at least two bytes. Most strings contain a pair of
    /// bytes that the text does not have, so that it need not be searched.
    pub(crate) fn contains_any(&self, strings: &[&str]) -> bool {
        let pairs = self.facts.pairs.get_or_init(|| BytePairs::of(self.text));
        strings.iter().any(|string| pairs.may_contain(string) && self.text.contains(string))
    }

    /// True when the text, the result of the call, is a file that an agent may edit, a document, or a diff.
    pub(crate) fn is_source(&self, call: Call<'_>) -> bool {
        *self.facts.is_source.get_or_init(|| source::is_source(call, self.text))
    }
}

impl TextView<'_> {
    /// True when a stage has found that the text is one JSON document whose layout can be restored.
    pub(crate) fn is_known_document(&self) -> bool {
        self.facts.is_document.get()
    }

    /// Records that the text is one JSON document whose layout can be restored.
    pub(crate) fn record_document(&self) {
        self.facts.is_document.set(true);
    }
}

impl TextFacts {
    /// True when the cut of this name has nothing to omit.
    #[must_use]
    pub fn is_idle(&self, cut: &str) -> bool {
        self.idle_cuts.borrow().contains(&cut)
    }

    /// Records that the cut of this name has nothing to omit, whatever it may.
    pub fn record_idle(&self, cut: &'static str) {
        self.idle_cuts.borrow_mut().push(cut);
    }
}

/// The pairs of adjacent bytes that occur in a text, one bit for each possible pair.
struct BytePairs(Box<[u64; 1 << 10]>);

impl BytePairs {
    fn of(text: &str) -> Self {
        let mut pairs = Box::new([0; 1 << 10]);
        for pair in text.as_bytes().windows(2) {
            let (word, bit) = place(pair[0], pair[1]);
            pairs[word] |= bit;
        }
        Self(pairs)
    }

    fn may_contain(&self, string: &str) -> bool {
        string.as_bytes().windows(2).all(|pair| {
            let (word, bit) = place(pair[0], pair[1]);
            self.0[word] & bit != 0
        })
    }
}

/// The word and the bit of a pair.
fn place(first: u8, second: u8) -> (usize, u64) {
    (usize::from(first) << 2 | usize::from(second) >> 6, 1 << (second & 63))
}

#[cfg(test)]
mod tests {
    use tersely_testing::generate::Choices;

    use super::*;

    #[test]
    fn any_of_several_strings_is_found() {
        let view = TextView::new("a.b\nok 1 ✓ ab");
        for (string, found) in [
            ("a.b", true),
            ("\nok 1 ", true),
            ("✓", true),
            ("a.b\nok 2", false),
            ("b.a", false),
            ("ab\n", false),
        ] {
            assert_eq!(view.contains_any(&["no such", string]), found, "{string}");
        }
        assert!(!TextView::new("").contains_any(&["ab"]));
    }

    /// A text of few different characters, so that most strings almost occur in it.
    fn text(seed: &mut u64, count: usize) -> String {
        (0..count)
            .map(|_| ["a", "b", "ab", "\n", " ", "é", "ê", "✓", "\0", "\u{7f}", "\u{80}"][seed.pick(11)])
            .collect()
    }

    #[test]
    fn a_search_finds_what_a_plain_one_finds() {
        let mut found = 0;
        for seed in 0..4000_u64 {
            let seed = &mut { seed };
            let length = seed.pick(40);
            let text = self::text(seed, length);
            let view = TextView::new(&text);
            let strings: Vec<String> = (0..4).map(|_| self::text(seed, 2)).collect();
            for count in 0..=strings.len() {
                let strings: Vec<&str> = strings[..count].iter().map(String::as_str).collect();
                let expected = strings.iter().any(|string| text.contains(string));
                assert_eq!(view.contains_any(&strings), expected, "{strings:?} in {text:?}");
                found += usize::from(expected);
            }
        }
        assert!((2000..14_000).contains(&found), "both answers are common: {found}");
    }

    /// Every pair of bytes has a bit of its own.
    #[test]
    fn no_pair_is_taken_for_another() {
        for first in 0..=u8::MAX {
            let places: std::collections::HashSet<_> =
                (0..=u8::MAX).map(|second| place(first, second)).collect();
            assert_eq!(places.len(), 256);
            assert!(
                places.iter().all(|(word, bit)| *word >> 2 == usize::from(first) && bit.is_power_of_two())
            );
        }
    }

    /// Facts are about a text, whoever looks at it; another text has none of them.
    #[test]
    fn views_that_share_facts_know_what_the_first_one_found() {
        let (text, facts) = ("commit 1\n\ndiff --git a/x b/x\n", Rc::<TextFacts>::default());
        let (one, two) =
            (TextView::with_facts(text, Rc::clone(&facts)), TextView::with_facts(text, Rc::clone(&facts)));
        assert!(!two.is_known_document() && !facts.is_idle("a"));
        one.record_document();
        facts.record_idle("a");
        assert!(two.is_known_document() && facts.is_idle("a") && !facts.is_idle("b"));
        assert!(one.is_source(Call::default()) && two.is_source(Call::default()));
        let other = TextView::new("a log");
        assert!(!other.is_known_document() && !other.is_source(Call::default()));
        assert_eq!((&*one, one.len()), (text, text.len()), "a view is used like its text");
    }
}
