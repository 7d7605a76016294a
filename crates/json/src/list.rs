//! Writes arrays, and appends items to top-level arrays of a body; every other byte is copied.

use std::ops::Range;

use memchr::memmem;

use crate::error::JsonError;
use crate::node::JsonNode;
use crate::patch::Insertion;
use crate::scan::JsonScan;

/// Appends `item` to the array at `list`. `None` when the array is empty, or contains the string `taken` anywhere.
#[must_use]
pub fn add(list: Range<usize>, taken: &str, item: &str, body: &[u8]) -> Option<Insertion> {
    let list = JsonNode::at(list, body);
    let is_taken = memmem::find(list.bytes(), format!("\"{taken}\"").as_bytes()).is_some();
    (!list.is_empty() && !is_taken).then(|| Insertion::append(&list, item))
}

/// Appends `items` to the array `name` of the body, even if the array is empty.
///
/// # Errors
/// Fails if the body is not JSON that all parsers read the same way, or if there is no such array.
pub fn push(name: &str, items: &str, body: &[u8]) -> Result<Vec<u8>, JsonError> {
    let missing = JsonError { at: 0, expected: "a list of messages" };
    list(name, body)?.map(|list| insert(list, items, body)).ok_or(missing)
}

/// The range of the value of the top-level member `name`.
///
/// # Errors
/// Fails if the body is not JSON that all parsers read the same way.
pub fn place(name: &str, body: &[u8]) -> Result<Option<Range<usize>>, JsonError> {
    let mut scan = JsonScan::new(body);
    let mut place = None;
    scan.members(
        |scan, key| {
            if key == name.as_bytes() { scan.place(&mut place) } else { scan.skip().map(drop) }
        },
    )?;
    scan.end()?;
    Ok(place)
}

/// Writes an array of these JSON values.
#[must_use]
pub fn of<'v>(values: impl IntoIterator<Item = &'v str>) -> String {
    format!("[{}]", values.into_iter().collect::<Vec<_>>().join(","))
}

fn list(name: &str, body: &[u8]) -> Result<Option<Range<usize>>, JsonError> {
    Ok(place(name, body)?.filter(|place| body[place.start] == b'['))
}

fn insert(list: Range<usize>, items: &str, body: &[u8]) -> Vec<u8> {
    Insertion::append(&JsonNode::at(list, body), items).apply(body)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn check(body: &str, expected: Option<&str>) {
        let list = list("tools", body.as_bytes()).unwrap();
        let added = list.and_then(|list| add(list, "own", r#"{"n":1}"#, body.as_bytes()));
        let added = added.map(|it| it.apply(body.as_bytes()));
        assert_eq!(added.as_deref().map(String::from_utf8_lossy).as_deref(), expected, "{body}");
    }

    #[test]
    fn an_item_goes_behind_the_last() {
        check(r#"{"tools":[1], "a":2}"#, Some(r#"{"tools":[1,{"n":1}], "a":2}"#));
        check("{ \"tools\" : [\n  {}\n ] }", Some("{ \"tools\" : [\n  {},{\"n\":1}\n ] }"));
    }

    #[test]
    fn where_there_is_none_or_the_name_is_taken_nothing_is_added() {
        for body in [r#"{"tools":[]}"#, r#"{"tools":[ ]}"#, r#"{"tools":{}}"#, "{}", r#"{"a":{"tools":[1]}}"#]
        {
            check(body, None);
        }
        check(r#"{"tools":[{"name":"own"}]}"#, None);
    }

    #[test]
    fn messages_are_pushed() {
        let pushed = push("m", "1,2", br#"{"m":[],"x":1}"#).unwrap();
        assert_eq!(String::from_utf8_lossy(&pushed), r#"{"m":[1,2],"x":1}"#);
        assert!(push("m", "1", br#"{"m":"text"}"#).is_err());
        assert!(push("m", "1", br#"{"m":[1]"#).is_err());
    }
}
