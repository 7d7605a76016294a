//! Finds, inserts and removes one top-level value in a TOML file; every other byte stays unchanged.

use std::ops::Range;

use ::toml::de::{DeTable, DeValue};

use crate::edit::patch::Patch;
use crate::edit::scan::TextFault;

/// A top-level value in a file.
#[derive(Debug)]
pub(super) struct Top {
    /// The value, if it is a string.
    pub(super) value: Option<String>,
    key: usize,
    end: usize,
}

/// Finds the value of a key.
pub(super) fn find(text: &str, key: &str) -> Result<Option<Top>, TextFault> {
    let document = DeTable::parse(text).map_err(|error| TextFault {
        at: error.span().map_or(0, |place| place.start),
        expected: "valid TOML",
    })?;
    Ok(document.get_ref().get_key_value(key).map(|(key, value)| Top {
        value: match value.get_ref() {
            DeValue::String(text) => Some(text.to_string()),
            _ => None,
        },
        key: key.span().start,
        end: value.span().end,
    }))
}

/// The patch that inserts a key. It is inserted at the start of the file: further down, it could become part of a
/// table.
pub(super) fn put(text: &str, key: &str, value: &str) -> Patch {
    let at = text.len() - text.trim_start_matches('\u{feff}').len();
    let end = if text.contains("\r\n") { "\r\n" } else { "\n" };
    Patch { place: at..at, text: format!("{key} = {value}{end}") }
}

/// The patch that removes a key: exactly the bytes `added` if they are still there, else its line.
pub(super) fn cut(text: &str, key: &str, added: &str) -> Result<Option<Patch>, TextFault> {
    let Some(top) = find(text, key)? else { return Ok(None) };
    let start = text[..top.key].rfind('\n').map_or(0, |at| at + 1);
    let start = start + (text[start..].len() - text[start..].trim_start_matches('\u{feff}').len());
    let whole = start..start + added.len();
    let line = start..text[top.end..].find('\n').map_or(text.len(), |length| top.end + length + 1);
    let place = if text.get(whole.clone()) == Some(added) { whole } else { line };
    let is_clean = |place: &Range<usize>| {
        let rest = [&text[..place.start], &text[place.end..]].concat();
        matches!(find(&rest, key), Ok(None))
    };
    Ok(is_clean(&place).then_some(Patch { place, text: String::new() }))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::edit::patch::apply;

    #[test]
    fn a_value_is_put_in_and_taken_out_to_the_byte() {
        for (text, expected) in [
            ("", "k = \"u\"\n"),
            ("# mine\n[t]\na = 1", "k = \"u\"\n# mine\n[t]\na = 1"),
            ("\u{feff}a = 1\r\n", "\u{feff}k = \"u\"\r\na = 1\r\n"),
        ] {
            let patch = put(text, "k", "\"u\"");
            let with = apply(text, &mut [patch.clone()]);
            assert_eq!(with, expected);
            assert_eq!(find(&with, "k").expect("TOML").and_then(|top| top.value).as_deref(), Some("u"));
            let back = cut(&with, "k", &patch.text).expect("TOML").expect("a place");
            assert_eq!(apply(&with, &mut [back]), text);
        }
    }

    #[test]
    fn what_was_changed_since_stays() {
        for (text, expected) in
            [("a = 1\nk   = 'u' # why\n[t]\n", "a = 1\n[t]\n"), ("k = \"\"\"\nu\"\"\"", "")]
        {
            let back = cut(text, "k", "k = \"u\"\n").expect("TOML").expect("a place");
            assert_eq!(apply(text, &mut [back]), expected);
        }
        assert!(cut("k = 1\nk = 2\n", "k", "").is_err());
        assert_eq!(cut("[t]\nk = 1\n", "k", "k = 1\n"), Ok(None));
    }
}
