//! Puts texts into the places of a body and copies every other byte.

use std::borrow::Cow;
use std::ops::Range;

use crate::scan::Scan;
use crate::text;

/// The body with each span replaced by the JSON string of its text.
///
/// A text that says what stands there already changes nothing: the spelling of the client's escapes stays. An edit
/// that cannot be meant (outside the body, over another one, not around a value) is left out, for the original
/// is always a right answer.
#[must_use]
pub fn splice<'a>(body: &'a [u8], edits: &[(Range<usize>, String)]) -> Cow<'a, [u8]> {
    let mut order: Vec<_> = edits.iter().filter(|(span, text)| changes(body, span, text)).collect();
    if order.is_empty() {
        return Cow::Borrowed(body);
    }
    order.sort_by_key(|(span, _)| span.start);
    let grown: usize = order.iter().map(|(_, text)| text.len() + text.len() / 16).sum();
    let mut out = Vec::with_capacity(body.len() + grown);
    let mut from = 0;
    for (span, text) in order {
        if span.start >= from {
            out.extend_from_slice(&body[from..span.start]);
            text::encode(&mut out, text);
            from = span.end;
        }
    }
    out.extend_from_slice(&body[from..]);
    Cow::Owned(out)
}

/// True when `text` can stand in `span` and does not stand there already.
fn changes(body: &[u8], span: &Range<usize>, text: &str) -> bool {
    body.get(span.clone()).filter(|token| is_whole(token)).is_some_and(|token| match token.first() {
        Some(b'"') => text::decode(token).is_some_and(|now| now != text),
        Some(b'{' | b'[') => token != text.as_bytes(),
        _ => false,
    })
}

/// True when the bytes are one value from end to end.
fn is_whole(token: &[u8]) -> bool {
    Scan::new(token).skip().is_ok_and(|span| span == (0..token.len()))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn check(body: &str, edits: &[(Range<usize>, &str)], expected: &str) {
        let edits: Vec<_> = edits.iter().map(|(span, text)| (span.clone(), (*text).to_owned())).collect();
        assert_eq!(String::from_utf8_lossy(&splice(body.as_bytes(), &edits)), expected);
    }

    #[test]
    fn every_other_byte_is_copied() {
        check(r#"{"a" : "one","b":"two" }"#, &[(7..12, "1\n\"é")], r#"{"a" : "1\n\"é","b":"two" }"#);
        check(r#"["a","b","c"]"#, &[(9..12, "3"), (1..4, "1")], r#"["1","b","3"]"#);
    }

    #[test]
    fn lists_and_objects_give_way_to_strings() {
        check(r#"{"r":{"a":[1]}}"#, &[(5..14, "a: 1")], r#"{"r":"a: 1"}"#);
        check("[[1, 2]]", &[(1..7, "1,2")], r#"["1,2"]"#);
    }

    #[test]
    fn a_text_that_stands_there_already_changes_nothing() {
        check(r#"["\u00e9\/"]"#, &[(1..11, "é/")], r#"["\u00e9\/"]"#);
        check(r#"[{"a" : 1}]"#, &[(1..10, r#"{"a" : 1}"#)], r#"[{"a" : 1}]"#);
        assert!(matches!(splice(b"[]", &[]), Cow::Borrowed(_)));
    }

    #[test]
    #[expect(clippy::reversed_empty_ranges, reason = "a caller may hold nonsense")]
    fn edits_that_cannot_be_meant_are_left_out() {
        let body = r#"["one","two",7]"#;
        for span in [1..99, 99..100, 3..1, 2..6, 13..14, 0..0, 1..12] {
            check(body, &[(span, "x")], body);
        }
        check(body, &[(1..6, "1"), (1..6, "2")], r#"["1","two",7]"#);
    }
}
