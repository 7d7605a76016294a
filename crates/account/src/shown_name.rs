//! Names that a request may give and a person may read.

use std::fmt;

/// The longest name that is shown.
const LONGEST: usize = 96;

/// The name of a model, a tool or a call: short, and of letters, digits and what joins them. Nothing else that a client says is ever shown.
#[derive(Clone, Debug, Eq, Hash, PartialEq)]
pub struct ShownName(Box<str>);

impl ShownName {
    /// The name, if it is one.
    #[must_use]
    pub fn of(text: &str) -> Option<Self> {
        let is_plain = |byte: u8| byte.is_ascii_alphanumeric() || b"._:/@+-".contains(&byte);
        let fits = !text.is_empty() && text.len() <= LONGEST && text.bytes().all(is_plain);
        fits.then(|| Self(text.into()))
    }

    /// Its letters.
    #[must_use]
    pub fn as_str(&self) -> &str {
        &self.0
    }
}

impl fmt::Display for ShownName {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_name_is_short_and_plain() {
        for name in ["claude-opus-4-5@20260101", "gpt-5.6", "qwen2.5-coder:1.5b", "meta/llama+tools"] {
            assert_eq!(ShownName::of(name).as_ref().map(ShownName::as_str), Some(name));
        }
        for text in ["", "a b", "line\nbreak", "\"quoted\"", "naïve", "{}", &"x".repeat(97)] {
            assert_eq!(ShownName::of(text), None, "{text:?}");
        }
    }
}
