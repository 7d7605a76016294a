//! Searches a text for any of several strings at once: a stage that looks for the signs of its tool reads the text once.

use std::sync::OnceLock;

use regex::Regex;

/// Strings of which a text may contain at least one.
pub(crate) struct LiteralSet {
    literals: &'static [&'static str],
    /// Built at the first search.
    search: OnceLock<Option<Regex>>,
}

impl LiteralSet {
    pub(crate) const fn new(literals: &'static [&'static str]) -> Self {
        Self { literals, search: OnceLock::new() }
    }

    /// True when `text` contains one of the strings.
    pub(crate) fn occur_in(&self, text: &str) -> bool {
        let search = self.search.get_or_init(|| {
            let literals: Vec<_> = self.literals.iter().map(|literal| regex::escape(literal)).collect();
            Regex::new(&literals.join("|")).ok()
        });
        match search {
            Some(search) => search.is_match(text),
            None => self.literals.iter().any(|literal| text.contains(literal)),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn any_of_the_strings_is_found() {
        static SIGNS: LiteralSet = LiteralSet::new(&["a.b", "\nok (1)", "✓"]);
        for (text, found) in
            [("xa.b", true), ("acb", false), ("ok (1)", false), ("\nok (1)", true), ("✓", true)]
        {
            assert_eq!(SIGNS.occur_in(text), found, "{text}");
        }
    }
}
