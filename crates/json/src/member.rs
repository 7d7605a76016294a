//! Finds top-level members of a body, and the bytes to delete when a member is removed.

use std::ops::Range;

use memchr::memmem;

use crate::error::JsonError;
use crate::scan::JsonScan;

/// A top-level member of a body.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct BodyMember<'a> {
    /// The name of the member.
    pub name: &'static str,
    /// The value of the member, unchanged.
    pub value: &'a [u8],
    /// The range of the member and its comma: without these bytes, the rest is still an object.
    pub span: Range<usize>,
}

/// Finds every top-level member of `body` with one of these names. A body that does not contain the names is not
/// scanned.
///
/// # Errors
/// Fails if the body is not JSON.
pub fn top_members<'a>(names: &[&'static str], body: &'a [u8]) -> Result<Vec<BodyMember<'a>>, JsonError> {
    let quoted = |name: &&'static str| memmem::find(body, format!("\"{name}\"").as_bytes()).is_some();
    let mut found = Vec::new();
    if !names.iter().any(quoted) {
        return Ok(found);
    }
    let mut scan = JsonScan::new(body);
    scan.peek();
    let mut room = Room { start: scan.at() + 1, is_first: true };
    scan.members(|scan, key| {
        let place = scan.skip()?;
        let end = place.end;
        if let Some(name) = names.iter().find(|name| name.as_bytes() == key) {
            found.push(BodyMember { name, span: room.span(body, end), value: &body[place] });
        }
        room = Room { start: end, is_first: false };
        Ok(())
    })?;
    scan.end()?;
    Ok(found)
}

/// The position from which a member may start: after the opening brace, or after the previous value.
struct Room {
    start: usize,
    is_first: bool,
}

impl Room {
    /// The range to delete for a member whose value ends at `end`: it includes the comma after the member, or the
    /// comma before it if the member is the last one.
    fn span(&self, body: &[u8], end: usize) -> Range<usize> {
        let next = next_token(body, end);
        let name = if self.is_first {
            next_token(body, self.start)
        } else {
            next_token(body, next_token(body, self.start) + 1)
        };
        match body.get(next) {
            Some(b',') => name..next_token(body, next + 1),
            _ if self.is_first => name..end,
            _ => self.start..end,
        }
    }
}

/// The position of the first byte at or after `at` that is not white space.
fn next_token(body: &[u8], at: usize) -> usize {
    let rest = body.get(at..).unwrap_or_default();
    at + rest.iter().take_while(|byte| byte.is_ascii_whitespace()).count()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn check(body: &str, value: &str, rest: &str) {
        let found = top_members(&["_own", "_alias"], body.as_bytes()).unwrap();
        let [member] = found.as_slice() else { panic!("{body}: {found:?}") };
        assert_eq!(str::from_utf8(member.value), Ok(value), "{body}");
        let mut left = body.to_owned();
        left.replace_range(member.span.clone(), "");
        assert_eq!(left, rest);
    }

    #[test]
    fn a_member_goes_with_its_comma() {
        check(r#"{"_own":{"a":1},"b":2}"#, r#"{"a":1}"#, r#"{"b":2}"#);
        check(r#"{"a":1,"_own":[],"b":2}"#, "[]", r#"{"a":1,"b":2}"#);
        check(r#"{"a":1,"_alias":"x"}"#, r#""x""#, r#"{"a":1}"#);
        check(r#"{"_own":1}"#, "1", "{}");
    }

    #[test]
    fn white_space_of_the_others_stays() {
        check("\n{ \"a\" : 1 ,\n  \"_own\" : 2 ,\n  \"b\" : 3 }\n", "2", "\n{ \"a\" : 1 ,\n  \"b\" : 3 }\n");
        check("{ \"a\" : 1 ,\n  \"_own\" : 2\n}", "2", "{ \"a\" : 1\n}");
        check("{ \"_own\" : 2 }", "2", "{  }");
    }

    #[test]
    fn names_elsewhere_are_not_meant() {
        for body in [
            r#"{"a":{"_own":1}}"#,
            r#"{"a":"_own"}"#,
            r#"{"a":"\"_own\":1"}"#,
            r#"["_own"]"#,
            r#""_own""#,
            "no JSON, and nobody looks",
            "",
        ] {
            assert_eq!(top_members(&["_own"], body.as_bytes()), Ok(Vec::new()), "{body}");
        }
    }

    #[test]
    fn each_is_found() {
        let found = top_members(&["_own", "_alias"], br#"{"_alias":1,"_own":2,"_own":3}"#).unwrap();
        assert_eq!(found.iter().map(|it| it.name).collect::<Vec<_>>(), ["_alias", "_own", "_own"]);
    }

    #[test]
    fn what_is_not_json_is_not_taken_apart() {
        assert!(top_members(&["_own"], br#"{"_own":1"#).is_err());
        assert!(top_members(&["_own"], br#"{"_own":1} x"#).is_err());
        assert!(top_members(&["_own"], br#"{"_own"}"#).is_err());
    }
}
