//! Names from requests that are safe to show.

use std::fmt;

/// Maximum length of a name, in bytes.
const MAX_BYTES: usize = 96;

/// The name of a model, a tool or a call: short, and only letters, digits and `._:/@+-`. No other text from a client is
/// ever shown.
#[derive(Clone, Debug, Eq, Hash, PartialEq)]
pub struct ShownName(Box<str>);

impl ShownName {
    /// The name, if the text is short and plain enough.
    #[must_use]
    pub fn of(text: &str) -> Option<Self> {
        let is_plain = |byte: u8| byte.is_ascii_alphanumeric() || b"._:/@+-".contains(&byte);
        let fits = !text.is_empty() && text.len() <= MAX_BYTES && text.bytes().all(is_plain);
        fits.then(|| Self(text.into()))
    }

    /// The name as text.
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
