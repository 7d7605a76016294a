//! Replaces values of a body by strings, and copies every other byte.

use std::borrow::Cow;
use std::ops::Range;

use crate::patch::{in_order, patch};
use crate::scan::JsonScan;
use crate::string;

/// A range of a body, and the text that replaces the value there; without a text, the member at this range is
/// removed.
pub type Splice = (Range<usize>, Option<String>);

/// Replaces each value by its text, encoded as a JSON string, and removes each member that has no text.
///
/// If a value already equals its text, it stays unchanged, including the client's choice of escapes. An invalid edit
/// is ignored, because the original is always correct. An edit is invalid if it is outside the body, overlaps another
/// edit, or does not cover exactly one value, or one member with its comma.
#[must_use]
pub fn splice<'a>(body: &'a [u8], edits: &[Splice]) -> Cow<'a, [u8]> {
    let edit = |edit: &Splice| Some((edit.0.clone(), replacement(body, edit)?));
    let edits: Vec<_> = edits.iter().filter_map(edit).collect();
    if edits.is_empty() { Cow::Borrowed(body) } else { Cow::Owned(patch(body, &in_order(edits))) }
}

/// The bytes that an edit puts in place of its range; `None` if the edit is invalid or changes nothing.
#[must_use]
pub fn replacement(body: &[u8], edit: &Splice) -> Option<Vec<u8>> {
    if !is_valid(body, edit) {
        return None;
    }
    let mut bytes = Vec::new();
    if let Some(text) = &edit.1 {
        string::encode(&mut bytes, text);
    }
    Some(bytes)
}

fn is_valid(body: &[u8], (span, text): &Splice) -> bool {
    match text {
        Some(text) => is_change(body, span, text),
        None => is_member(body, span),
    }
}

/// True when `text` can replace the value at `span`, and differs from it.
fn is_change(body: &[u8], span: &Range<usize>, text: &str) -> bool {
    body.get(span.clone()).filter(|token| is_whole(token)).is_some_and(|token| match token.first() {
        Some(b'"') => string::decode(token).is_some_and(|now| now != text),
        Some(b'{' | b'[') => token != text.as_bytes(),
        _ => false,
    })
}

/// True when the bytes are exactly one value.
fn is_whole(token: &[u8]) -> bool {
    JsonScan::new(token).skip().is_ok_and(|span| span == (0..token.len()))
}

/// True when `span` covers a member and the right comma, so that the object is still valid without these bytes.
fn is_member(body: &[u8], span: &Range<usize>) -> bool {
    let Some(piece) = body.get(span.clone()).map(<[u8]>::trim_ascii) else { return false };
    let (first, piece) = piece.strip_prefix(b",").map_or((None, piece), |rest| (Some(b','), rest));
    let (last, piece) = piece.strip_suffix(b",").map_or((None, piece), |rest| (Some(b','), rest));
    let before = body[..span.start].trim_ascii_end().last();
    let after = body[span.end..].trim_ascii_start().first();
    let fits = match (first, last) {
        (None, None) => (before, after) == (Some(&b'{'), Some(&b'}')),
        (None, Some(_)) => matches!(before, Some(b'{' | b',')) && after == Some(&b'"'),
        (Some(_), None) => !matches!(before, None | Some(b'{' | b',')) && matches!(after, Some(b'}' | b',')),
        (Some(_), Some(_)) => false,
    };
    fits && holds_one(piece)
}

/// True when `piece` is exactly one member of an object.
fn holds_one(piece: &[u8]) -> bool {
    let object = [b"{", piece, b"}"].concat();
    let (mut scan, mut count) = (JsonScan::new(&object), 0);
    let read = scan.members(|scan, _| {
        count += 1;
        scan.skip().map(drop)
    });
    read.is_ok() && scan.end().is_ok() && count == 1
}

#[cfg(test)]
mod tests {
    use super::*;

    fn check(body: &str, edits: &[(Range<usize>, &str)], expected: &str) {
        let edits: Vec<_> =
            edits.iter().map(|(span, text)| (span.clone(), Some((*text).to_owned()))).collect();
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
    fn edits_that_make_no_sense_are_ignored() {
        let body = r#"["one","two",7]"#;
        for span in [1..99, 99..100, 3..1, 2..6, 13..14, 0..0, 1..12] {
            check(body, &[(span, "x")], body);
        }
        check(body, &[(1..6, "1"), (1..6, "2")], r#"["1","two",7]"#);
    }

    fn check_cut(body: &str, member: &str, expected: &str) {
        let start = body.find(member).expect("the member");
        let spliced = splice(body.as_bytes(), &[(start..start + member.len(), None)]);
        assert_eq!(String::from_utf8_lossy(&spliced), expected, "{member}");
    }

    #[test]
    fn members_go_with_their_comma() {
        let body = r#"{"a":1, "b" : [","] ,"c":{}}"#;
        check_cut(body, r#""a":1, "#, r#"{"b" : [","] ,"c":{}}"#);
        check_cut(body, r#""b" : [","] ,"#, r#"{"a":1, "c":{}}"#);
        check_cut(body, r#", "b" : [","] "#, r#"{"a":1,"c":{}}"#);
        check_cut(body, r#" ,"c":{}"#, r#"{"a":1, "b" : [","]}"#);
        check_cut(r#"[{ "a":1 }]"#, r#""a":1"#, "[{  }]");
    }

    #[test]
    fn cuts_that_would_leave_no_object_are_left_out() {
        let body = r#"{"a":1,"b":["x",{"c":2}],"d":"e"}"#;
        for piece in [
            r#""a":1"#,
            r#","a":1,"#,
            r#","b":["x",{"c":2}],"#,
            r#""d":"e""#,
            r#""a":"#,
            ":1,",
            r#""x","#,
            r#"{"c":2}"#,
            r#""a":1,"b":["x",{"c":2}],"#,
            "1",
            ",",
        ] {
            let start = body.find(piece).unwrap_or_default();
            let spliced = splice(body.as_bytes(), &[(start..start + piece.len(), None)]);
            assert_eq!(String::from_utf8_lossy(&spliced), body, "{piece}");
        }
        assert_eq!(&*splice(body.as_bytes(), &[(30..99, None)]), body.as_bytes());
    }
}
