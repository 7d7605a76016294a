//! Stores a JSON string as the escaped text between its quotes, in exactly one spelling for each value.
//!
//! Because the escaped text is stored, encoders only copy it, and lone surrogates are preserved, which no Rust string
//! can contain. Values can still be compared byte by byte: an escape is replaced by its character where possible, and
//! every remaining escape has exactly one spelling.

use std::borrow::Cow;

use tersely_json::{join_surrogates, needs_escape, push_char, push_unit, unescape_unit};

/// The value of a JSON string or key.
#[derive(Debug, Clone, PartialEq, Eq, Hash, PartialOrd, Ord, Default)]
pub struct Text<'a>(Cow<'a, str>);

impl<'a> Text<'a> {
    /// Creates the text of a JSON string whose content has no escapes and needs none.
    pub(crate) fn plain(content: &'a str) -> Self {
        Self(Cow::Borrowed(content))
    }

    /// Creates a text from `content`, which must already use the spelling of this type.
    pub(crate) fn from_spelling(content: impl Into<Cow<'a, str>>) -> Self {
        Self(content.into())
    }

    /// Creates a text from several contents joined together, where two halves of a surrogate pair may now be
    /// neighbours.
    pub(crate) fn join(content: String) -> Self {
        if content.contains("\\ud")
            && let Ok(text) = respell(&content)
        {
            return text.into_owned();
        }
        Self(Cow::Owned(content))
    }

    /// Creates a text from unescaped characters.
    #[must_use]
    pub fn of(value: &'a str) -> Self {
        if !value.bytes().any(needs_escape) {
            return Self::plain(value);
        }
        let mut out = String::with_capacity(value.len() + 8);
        value.chars().for_each(|character| push_char(&mut out, character));
        Self(Cow::Owned(out))
    }

    /// Creates a text from `content`, with any valid JSON escapes; `None` when it is not the content of a JSON
    /// string.
    #[must_use]
    pub fn spelled_as(content: &str) -> Option<Text<'_>> {
        let bare = content.bytes().any(|byte| byte < 0x20);
        respell(content).ok().filter(|_| !bare)
    }

    /// The JSON-escaped content between the quotes.
    #[must_use]
    pub fn as_str(&self) -> &str {
        &self.0
    }

    /// True when the content has no escapes, so it equals the value.
    #[must_use]
    pub fn is_plain(&self) -> bool {
        !self.0.as_bytes().contains(&b'\\')
    }

    /// The decoded characters; `None` when the text contains a lone surrogate.
    #[must_use]
    pub fn value(&self) -> Option<Cow<'_, str>> {
        if self.is_plain() {
            return Some(Cow::Borrowed(&self.0));
        }
        let mut out = String::with_capacity(self.0.len());
        let mut rest = self.as_str();
        while let Some(at) = rest.find('\\') {
            out.push_str(&rest[..at]);
            let (unit, used) = unescape_unit(rest.as_bytes(), at)?;
            out.push(char::from_u32(unit)?);
            rest = &rest[at + used..];
        }
        out.push_str(rest);
        Some(Cow::Owned(out))
    }

    /// The same text, but owned instead of borrowed.
    #[must_use]
    pub fn into_owned(self) -> Text<'static> {
        Text(Cow::Owned(self.0.into_owned()))
    }
}

/// Converts `raw`, the content of a JSON string with escapes, to the spelling of [`Text`]; `Err` contains the offset
/// of an invalid escape.
pub(crate) fn respell(raw: &str) -> Result<Text<'_>, usize> {
    let bytes = raw.as_bytes();
    let mut out = String::with_capacity(raw.len());
    let mut from = 0;
    while let Some(found) = raw[from..].find('\\') {
        let at = from + found;
        out.push_str(&raw[from..at]);
        let (unit, used) = unescape_unit(bytes, at).ok_or(at)?;
        from = at + used;
        if let Some(character) = char::from_u32(unit) {
            push_char(&mut out, character);
            continue;
        }
        let low = unescape_unit(bytes, from);
        match low.and_then(|(low, used)| Some((join_surrogates(unit, low)?, used))) {
            Some((character, used)) => {
                out.push(character);
                from += used;
            }
            None => push_unit(&mut out, unit),
        }
    }
    out.push_str(&raw[from..]);
    Ok(Text::from_spelling(out))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn check(raw: &str, spelled: &str) {
        assert_eq!(respell(raw).map(|text| text.as_str().to_owned()), Ok(spelled.to_owned()), "{raw}");
    }

    #[test]
    fn every_value_has_one_spelling() {
        check(r"\u00e9", "é");
        check(r"\/", "/");
        check(r"\u000A\n", r"\n\n");
        check(r"\u001F", r"\u001f");
        check(r"\ud83d\ude00", "😀");
        check(r"\u0022\u005c", r#"\"\\"#);
    }

    #[test]
    fn lone_surrogates_keep_their_escape() {
        check(r"\uD83D", r"\ud83d");
        check(r"\uDE00x", r"\ude00x");
        check(r"\uD83D\uD83D\uDE00", "\\ud83d😀");
        assert_eq!(respell(r"\ud800").map(|text| text.value().is_none()), Ok(true));
    }

    #[test]
    fn bad_escapes_say_where() {
        assert_eq!(respell(r"ab\x"), Err(2));
        assert_eq!(respell(r"\u12g4"), Err(0));
        assert_eq!(respell(r"\u12"), Err(0));
    }

    #[test]
    fn characters_come_back() {
        for value in ["", "plain", "q\"\\", "\n\t\u{0}\u{1f}", "é😀\u{2028}"] {
            assert_eq!(Text::of(value).value().as_deref(), Some(value));
        }
    }
}
