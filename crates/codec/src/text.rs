//! Holds a JSON string as the text between its quotes, with one spelling for each value.
//!
//! Keeping the escaped text makes encoders a copy, preserves lone surrogates (which no Rust string can hold), and
//! still allows a comparison byte by byte: every escape that could be a character is one, and the rest has one
//! spelling.

use std::borrow::Cow;

use tersely_json::{join_surrogates, needs_escape, push_char, push_unit, unescape_unit};

/// The value of a JSON string or key.
#[derive(Debug, Clone, PartialEq, Eq, Hash, PartialOrd, Ord, Default)]
pub struct Text<'a>(Cow<'a, str>);

impl<'a> Text<'a> {
    /// The text of a JSON string whose content needs no escape and has none.
    pub(crate) fn plain(content: &'a str) -> Self {
        Self(Cow::Borrowed(content))
    }

    /// The text of `content`, which must be in this type's spelling.
    pub(crate) fn from_spelling(content: impl Into<Cow<'a, str>>) -> Self {
        Self(content.into())
    }

    /// The text of several contents joined together: two halves of a surrogate pair may meet.
    pub(crate) fn join(content: String) -> Self {
        if content.contains("\\ud")
            && let Ok(text) = respell(&content)
        {
            return text.into_owned();
        }
        Self(Cow::Owned(content))
    }

    /// The text with the characters of `value`.
    #[must_use]
    pub fn of(value: &'a str) -> Self {
        if !value.bytes().any(needs_escape) {
            return Self::plain(value);
        }
        let mut out = String::with_capacity(value.len() + 8);
        value.chars().for_each(|character| push_char(&mut out, character));
        Self(Cow::Owned(out))
    }

    /// The text of `content`, in any JSON spelling; `None` when it is not the content of a JSON string.
    #[must_use]
    pub fn spelled_as(content: &str) -> Option<Text<'_>> {
        let bare = content.bytes().any(|byte| byte < 0x20);
        respell(content).ok().filter(|_| !bare)
    }

    /// The content between the quotes, as JSON spells it.
    #[must_use]
    pub fn as_str(&self) -> &str {
        &self.0
    }

    /// True when the content has no escapes, so that it is the value itself.
    #[must_use]
    pub fn is_plain(&self) -> bool {
        !self.0.as_bytes().contains(&b'\\')
    }

    /// The characters; `None` when one is a lone surrogate.
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

    /// The same text with its own memory.
    #[must_use]
    pub fn into_owned(self) -> Text<'static> {
        Text(Cow::Owned(self.0.into_owned()))
    }
}

/// Respells `raw`, the content of a JSON string with escapes; `Err` has the offset of a bad escape.
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
