//! Replaces binary data with a note of its size.

use std::ops::Range;

use tersely_codec::{Text, json};

use crate::plan::{Loss, Mode};
use crate::stage::{Edit, Scene, Stage};
use crate::view::TextView;

/// Suppresses binary text.
pub(crate) struct Binary;

impl Stage for Binary {
    fn keeps_text(&self) -> bool {
        true
    }

    fn name(&self) -> &'static str {
        "binary"
    }

    fn mode(&self) -> Mode {
        Mode::Safe
    }

    fn apply(&self, _: Scene<'_>, text: &TextView<'_>) -> Option<Edit> {
        let text = if is_binary(text) { Some(marker(text)) } else { within(text) }?;
        Some(Edit { text, loss: Loss::Detail, note: String::new() })
    }
}

fn marker(text: &str) -> String {
    format!("[Binary output suppressed: {} bytes]", text.len())
}

/// A JSON text with every binary string suppressed; `None` if it contains none.
fn within(text: &str) -> Option<String> {
    // JSON encoders escape control characters as `\u00..`.
    let may_be = text.trim_start().starts_with(['{', '[']) && text.contains("\\u00");
    if !may_be || json::decode(text).is_err() {
        return None;
    }
    let (mut out, mut from) = (String::new(), 0);
    for span in strings(text) {
        let spelled = Text::spelled_as(&text[span.clone()]);
        let held =
            spelled.as_ref().and_then(Text::value).filter(|held| is_binary(held)).map(|held| marker(&held));
        if let Some(marker) = held.filter(|marker| marker.len() < span.len()) {
            out.push_str(&text[from..span.start]);
            out.push_str(&marker);
            from = span.end;
        }
    }
    out.push_str(&text[from..]);
    (from > 0).then_some(out)
}

/// The ranges of the contents of all strings in a JSON text, except for keys.
fn strings(text: &str) -> impl Iterator<Item = Range<usize>> {
    let bytes = text.as_bytes();
    let mut at = 0;
    std::iter::from_fn(move || {
        at += bytes.get(at..)?.iter().position(|byte| *byte == b'"')? + 1;
        let start = at;
        while *bytes.get(at)? != b'"' {
            at += if bytes[at] == b'\\' { 2 } else { 1 };
        }
        let span = start..at;
        at += 1;
        Some(span)
    })
    .filter(|span| !text[span.end + 1..].trim_start().starts_with(':'))
}

/// A text of at most this many characters is binary only if it contains a NUL: a few control characters prove nothing.
const MIN_CHARS: usize = 32;

/// A longer text is binary when more than one character in this many is a control character.
const MIN_CHARS_PER_CONTROL: usize = 20;

fn is_binary(text: &str) -> bool {
    // Scans all bytes without an early exit, because that vectorises.
    if !text.bytes().fold(false, |may, byte| may | may_control(byte)) {
        return false;
    }
    let controls = text.chars().filter(|char| is_control(*char)).count();
    let chars = text.chars().count();
    if text.contains('\0') {
        return !is_list(text);
    }
    chars > MIN_CHARS && controls * MIN_CHARS_PER_CONTROL > chars
}

/// True when the text is a list of names that NUL separates or ends, as `find -print0` and `git ls-files -z` print it.
fn is_list(text: &str) -> bool {
    let body = text.strip_suffix('\0').unwrap_or(text);
    let name = |part: &str| part.chars().nth(1).is_some() && !part.chars().any(is_control);
    body.contains('\0') && body.split('\0').all(name)
}

/// True when `byte` may be the first byte of a control character. The non-ASCII one begins other characters too.
fn may_control(byte: u8) -> bool {
    byte < 0x20 && !matches!(byte, b'\n' | b'\r' | b'\t' | 0x1b) || matches!(byte, 0x7f | 0xc2)
}

/// True for control characters other than line breaks, tabs and the escape character.
fn is_control(char: char) -> bool {
    char.is_control() && !matches!(char, '\n' | '\r' | '\t' | '\x1b')
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::call::Call;
    use crate::plan::Plan;

    fn check(text: &str, expected: Option<&str>) {
        let scene = Scene::of(&Plan::USUAL, Call::default());
        let edit = Binary.apply(scene, &TextView::new(text));
        assert_eq!(edit.as_ref().map(|edit| &*edit.text), expected, "{text:?}");
        assert!(edit.is_none_or(|edit| edit.loss == Loss::Detail));
    }

    /// Behaviour 3.4.
    #[test]
    fn binary_is_suppressed() {
        check("a\0b", Some("[Binary output suppressed: 3 bytes]"));
        check(&("\u{1}\u{2}".to_owned() + &"é".repeat(31)), Some("[Binary output suppressed: 64 bytes]"));
        check(
            &("\u{1}\u{2}\u{3}".to_owned() + &"x".repeat(56)),
            Some("[Binary output suppressed: 59 bytes]"),
        );
    }

    /// Behaviour 3.4: the text around a binary string stays unchanged.
    #[test]
    fn binary_in_json_is_suppressed_where_it_stands() {
        let bytes = "\\u0000\\u0001PNG\\u001a".repeat(20);
        check(
            &format!(
                "{{ \"name\" : \"a\\u0000b\", \"n\":1.50, \"data\": [\"{bytes}\", \"text \\u00e9\"], \"{bytes}\": 1}}\n"
            ),
            Some(&format!(
                "{{ \"name\" : \"a\\u0000b\", \"n\":1.50, \"data\": [\"[Binary output suppressed: 120 bytes]\", \"text \\u00e9\"], \"{bytes}\": 1}}\n"
            )),
        );
        check(&format!("{{\"data\": \"{bytes}\""), None);
        check(&format!("said: {bytes}"), None);
    }

    /// Lists written for other programs are text, even if NUL separates their items.
    #[test]
    fn names_with_a_nul_behind_each_are_text() {
        check("./a.txt\0./b c.txt\0./d\0", None);
        check("src/main.rs\0src/lib.rs", None);
        check("only one\0", Some("[Binary output suppressed: 9 bytes]"));
        check("h\0e\0l\0l\0o\0", Some("[Binary output suppressed: 10 bytes]"));
        check("ab\0\0cd\0", Some("[Binary output suppressed: 7 bytes]"));
        check("ab\0c\u{1}\0", Some("[Binary output suppressed: 6 bytes]"));
    }

    #[test]
    fn text_is_not() {
        check("", None);
        check(&"\u{1}".repeat(32), None);
        check(&("\u{1}\u{2}\u{3}".to_owned() + &"x".repeat(57)), None);
        check(&"\x1b\t\r\n".repeat(50), None);
        check(&"日本語\n".repeat(50), None);
    }
}
