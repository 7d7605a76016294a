//! Finds, inserts and removes one value in a JSON file; every other byte stays unchanged.

use std::ops::Range;

use crate::edit::patch::Patch;
use crate::edit::scan::{self, MemberPlace, TextFault};

/// A member, and all members of the same object.
struct MemberLocation {
    among: Vec<MemberPlace>,
    at: usize,
}

/// The value at the end of a path, exactly as written in the file.
pub(super) fn value<'t>(text: &'t str, path: &[String]) -> Result<Option<&'t str>, TextFault> {
    Ok(place(text, path)?.map(|place| &text[place]))
}

/// The range of the value at the end of a path.
pub(super) fn place(text: &str, path: &[String]) -> Result<Option<Range<usize>>, TextFault> {
    Ok(find(text, path)?.map(|found| found.among[found.at].value.clone()))
}

/// The patch that inserts a value at the end of a path. The value is inserted at the start of the innermost existing
/// object, so that nothing after it has to change.
pub(super) fn put(text: &str, path: &[String], value: &str) -> Result<Patch, TextFault> {
    if text.trim_start_matches('\u{feff}').trim().is_empty() {
        return Ok(Patch { place: text.len()..text.len(), text: format!("{{ {} }}\n", nest(path, value)) });
    }
    let mut object = root(text)?;
    let mut rest = path;
    while let Some((key, inner)) = rest.split_first() {
        let Some(member) = find_member(text, &object, key)? else { break };
        if inner.is_empty() || !text[member.value.clone()].starts_with('{') {
            return Err(TextFault { at: member.value.start, expected: "an object" });
        }
        (object, rest) = (member.value, inner);
    }
    let first = scan::members(text, &object)?.into_iter().next();
    let at = object.start + 1;
    let body = nest(rest, value);
    let added = if let Some(first) = first {
        let gap = &text[at..first.key.start];
        let gap = if gap.trim().is_empty() { gap } else { " " };
        format!("{gap}{body},")
    } else {
        let inside = &text[at..object.end - 1];
        format!("{}{body}", gap(inside))
    };
    Ok(Patch { place: at..at, text: added })
}

/// The patch that removes the value at the end of a path: exactly the bytes `added` if they are still there, else the
/// whole member.
pub(super) fn cut(text: &str, path: &[String], added: &str) -> Result<Option<Patch>, TextFault> {
    let Some(found) = find(text, path)? else { return Ok(None) };
    let key = &found.among[found.at].key;
    let mut whole = text.match_indices(added).map(|(at, piece)| at..at + piece.len());
    let whole = whole.find(|place| place.start <= key.start && key.end <= place.end);
    let is_clean = |place: &Range<usize>| {
        let rest = [&text[..place.start], &text[place.end..]].concat();
        rest.trim().is_empty() || matches!(value(&rest, path), Ok(None))
    };
    let place = whole.filter(is_clean).unwrap_or_else(|| alone(text, &found));
    Ok(is_clean(&place).then_some(Patch { place, text: String::new() }))
}

/// The range of a member, including one comma.
fn alone(text: &str, MemberLocation { among, at }: &MemberLocation) -> Range<usize> {
    let own = &among[*at];
    let before = at.checked_sub(1).map(|before| among[before].value.end);
    scan::with_comma(text, own.key.start..own.value.end, before, among.get(at + 1).map(|next| next.key.start))
}

/// The JSON of nested objects for the missing part of a path, on one line.
fn nest(path: &[String], value: &str) -> String {
    let mut keys = path.iter().rev();
    let last = keys.next().map(|key| format!("{}: {value}", quote(key))).unwrap_or_default();
    keys.fold(last, |inner, key| format!("{}: {{ {inner} }}", quote(key)))
}

fn quote(key: &str) -> String {
    serde_json::Value::from(key).to_string()
}

/// The white space in front of the first member of an empty object: a new line if the closing bracket is on its own
/// line.
fn gap(inside: &str) -> String {
    match inside.rsplit_once('\n') {
        Some((before, indent)) if inside.trim().is_empty() => {
            let line = if before.ends_with('\r') { "\r\n" } else { "\n" };
            format!("{line}{indent}  ")
        }
        _ => String::new(),
    }
}

fn root(text: &str) -> Result<Range<usize>, TextFault> {
    let whole = scan::document(text)?;
    if text[whole.clone()].starts_with('{') {
        return Ok(whole);
    }
    Err(TextFault { at: whole.start, expected: "an object" })
}

fn find(text: &str, path: &[String]) -> Result<Option<MemberLocation>, TextFault> {
    if text.trim_start_matches('\u{feff}').trim().is_empty() {
        return Ok(None);
    }
    let mut object = root(text)?;
    let Some((last, above)) = path.split_last() else { return Ok(None) };
    for key in above {
        let Some(member) = find_member(text, &object, key)? else { return Ok(None) };
        object = member.value;
    }
    find_member(text, &object, last)?;
    let among = scan::members(text, &object)?;
    let at = among.iter().position(|member| is_named(text, member, last));
    Ok(at.map(|at| MemberLocation { among, at }))
}

/// Finds a member by its name. A duplicate name is an error, because clients differ in which of the two they use.
fn find_member(text: &str, object: &Range<usize>, key: &str) -> Result<Option<MemberPlace>, TextFault> {
    let mut members = scan::members(text, object)?.into_iter().filter(|member| is_named(text, member, key));
    let first = members.next();
    match members.next() {
        Some(second) => Err(TextFault { at: second.key.start, expected: "a key that is not there already" }),
        None => Ok(first),
    }
}

fn is_named(text: &str, member: &MemberPlace, key: &str) -> bool {
    serde_json::from_str::<String>(&text[member.key.clone()]).is_ok_and(|name| name == key)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::edit::patch::apply;

    fn path(keys: &[&str]) -> Vec<String> {
        keys.iter().map(|key| (*key).to_owned()).collect()
    }

    /// Inserts a value, and removes it again.
    fn check(text: &str, expected: &str) {
        let keys = path(&["env", "A"]);
        let patch = put(text, &keys, "\"u\"").expect("JSON");
        let with = apply(text, &mut [patch.clone()]);
        assert_eq!(with, expected);
        assert_eq!(value(&with, &keys).expect("JSON"), Some("\"u\""));
        let back = cut(&with, &keys, &patch.text).expect("JSON").expect("a place");
        assert_eq!(apply(&with, &mut [back]), text);
    }

    #[test]
    fn a_value_is_put_in_and_taken_out_to_the_byte() {
        for (text, expected) in [
            ("", "{ \"env\": { \"A\": \"u\" } }\n"),
            ("{}", r#"{"env": { "A": "u" }}"#),
            ("{\n}\n", "{\n  \"env\": { \"A\": \"u\" }\n}\n"),
            ("{\r\n\t\"b\": 1\r\n}", "{\r\n\t\"env\": { \"A\": \"u\" },\r\n\t\"b\": 1\r\n}"),
            ("{ // mine\n  \"b\": [1,],\n}", "{ \"env\": { \"A\": \"u\" }, // mine\n  \"b\": [1,],\n}"),
            (
                "{\n  \"b\": 1, // one\n  \"env\": {\n    \"B\": \"x\", /* two */\n  }\n}",
                "{\n  \"b\": 1, // one\n  \"env\": {\n    \"A\": \"u\",\n    \"B\": \"x\", /* two */\n  }\n}",
            ),
            (r#"{"env":{"B":"x"}}"#, r#"{"env":{"A": "u","B":"x"}}"#),
            (r#"{"env": { /* none */ }}"#, r#"{"env": {"A": "u" /* none */ }}"#),
            ("\u{feff}{\"env\":{}}", "\u{feff}{\"env\":{\"A\": \"u\"}}"),
        ] {
            check(text, expected);
        }
    }

    #[test]
    fn what_was_changed_since_stays() {
        for (text, expected) in [
            (r#"{"env": {"A":"u", "C": 1}, "d": 2}"#, r#"{"env": {"C": 1}, "d": 2}"#),
            (r#"{"env": {"C": 1, "A":"u"}, "d": 2}"#, r#"{"env": {"C": 1}, "d": 2}"#),
            (r#"{"env": {"C": 1, "A":"u",}}"#, r#"{"env": {"C": 1,}}"#),
            ("{\"env\": {\"A\":\"u\", // why\n \"C\": 1}}", "{\"env\": { // why\n \"C\": 1}}"),
            ("{\"env\": {\"C\": 1, // why\n \"A\":\"u\"}}", "{\"env\": {\"C\": 1, // why\n }}"),
            (r#"{"env": {"A": "u"}, "d": 2}"#, r#"{"env": {}, "d": 2}"#),
        ] {
            let path = path(&["env", "A"]);
            let back = cut(text, &path, "{\"env\": ...}").expect("JSON").expect("a place");
            assert_eq!(apply(text, &mut [back]), expected);
        }
    }

    #[test]
    fn what_has_another_shape_is_told() {
        let path = path(&["env", "A"]);
        for text in [
            "[]",
            r#"{"env": 7}"#,
            r#"{"env": null}"#,
            r#"{"env": {}, "env": {}}"#,
            "{",
            r#"{"env": {"A": 1}}"#,
        ] {
            assert!(put(text, &path, "1").is_err(), "{text}");
        }
        assert_eq!(value(r#"{"env": 7}"#, &path), Ok(None));
        assert_eq!(cut("{}", &path, "x"), Ok(None));
    }
}
