//! Finds what stands at the top of a body for us and not for the provider, so that it can be taken out.

use std::ops::Range;

use memchr::memmem;

use crate::error::WireError;
use crate::protocol::json::scan::JsonScan;

/// A member at the top of a body.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct BodyMember<'a> {
    /// Its name.
    pub name: &'static str,
    /// Its value, as it stands in the body.
    pub value: &'a [u8],
    /// The member and the comma that goes with it: without these bytes the rest is an object still.
    pub span: Range<usize>,
}

/// Every member at the top of `body` that has one of these names; a body without the names is not walked.
///
/// # Errors
/// When the body is not JSON.
pub fn top_members<'a>(names: &[&'static str], body: &'a [u8]) -> Result<Vec<BodyMember<'a>>, WireError> {
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

/// Where a member may stand: behind the opening bracket, or behind the value before it.
struct Room {
    start: usize,
    is_first: bool,
}

impl Room {
    /// What to leave out with a member whose value ends at `end`: the comma behind it, or before it if it is the last.
    fn span(&self, body: &[u8], end: usize) -> Range<usize> {
        let next = ink(body, end);
        let name = if self.is_first { ink(body, self.start) } else { ink(body, ink(body, self.start) + 1) };
        match body.get(next) {
            Some(b',') => name..ink(body, next + 1),
            _ if self.is_first => name..end,
            _ => self.start..end,
        }
    }
}

/// The first byte from `at` on that is no white space.
fn ink(body: &[u8], at: usize) -> usize {
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
