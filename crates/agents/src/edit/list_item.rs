//! Finds, inserts and removes one item of a list in a JSON file; every other byte stays unchanged.

use std::ops::Range;

use serde_json::Value;

use crate::edit::member;
use crate::edit::patch::{Patch, apply};
use crate::edit::scan::{self, TextFault};

/// The range of an item in the list at the end of a path, however it is written.
pub(crate) fn find(text: &str, path: &[String], item: &str) -> Result<Option<Range<usize>>, TextFault> {
    let Some(list) = member::place(text, path)? else { return Ok(None) };
    let found = scan::items(text, &list)?.into_iter().find(|place| is_same(&text[place.clone()], item));
    Ok(found)
}

/// The text with a new item at the start of a list, and the bytes that were inserted for it. Creates the list if there
/// is none. An error if the insertion could not be undone exactly.
pub(crate) fn put(text: &str, path: &[String], item: &str) -> Result<(String, String), TextFault> {
    let new = insertion(text, path, item)?;
    let (at, added) = (new.place.start, new.text.clone());
    let with = apply(text, &mut [new]);
    let is_there = find(&with, path, item)?.is_some();
    let back = cut(&with, path, item, &added)?;
    if is_there && back.is_some_and(|back| apply(&with, &mut [back]) == text) {
        return Ok((with, added));
    }
    Err(TextFault { at, expected: "a list that can be restored" })
}

/// The patch that removes an item: exactly the bytes `added` if they are still there, else the item and one comma.
pub(crate) fn cut(text: &str, path: &[String], item: &str, added: &str) -> Result<Option<Patch>, TextFault> {
    let Some(place) = find(text, path, item)? else { return Ok(None) };
    let mut whole = text.match_indices(added).map(|(at, piece)| at..at + piece.len());
    let whole = whole.find(|all| all.start <= place.start && place.end <= all.end);
    let is_clean = |place: &Range<usize>| {
        let rest = [&text[..place.start], &text[place.end..]].concat();
        rest.trim().is_empty() || matches!(find(&rest, path, item), Ok(None)) && scan::document(&rest).is_ok()
    };
    let place = match whole.filter(is_clean) {
        Some(whole) => whole,
        None => alone(text, path, place)?,
    };
    Ok(is_clean(&place).then_some(Patch { place, text: String::new() }))
}

fn insertion(text: &str, path: &[String], item: &str) -> Result<Patch, TextFault> {
    let Some(list) = member::place(text, path)? else { return member::put(text, path, &format!("[{item}]")) };
    if !text[list.clone()].starts_with('[') {
        return Err(TextFault { at: list.start, expected: "a list" });
    }
    let at = list.start + 1;
    let added = match scan::items(text, &list)?.first() {
        Some(first) => {
            let gap = &text[at..first.start];
            let gap = if gap.trim().is_empty() { gap } else { " " };
            format!("{gap}{item},")
        }
        None => item.to_owned(),
    };
    Ok(Patch { place: at..at, text: added })
}

/// The range of an item, including one comma.
fn alone(text: &str, path: &[String], item: Range<usize>) -> Result<Range<usize>, TextFault> {
    let list = member::place(text, path)?.unwrap_or_default();
    let items = scan::items(text, &list)?;
    let at = items.iter().position(|place| *place == item).unwrap_or_default();
    let before = at.checked_sub(1).map(|before| items[before].end);
    Ok(scan::with_comma(text, item, before, items.get(at + 1).map(|next| next.start)))
}

/// True if two texts are the same JSON value.
fn is_same(one: &str, other: &str) -> bool {
    let value = |text: &str| serde_json::from_str::<Value>(text).ok();
    value(one).is_some_and(|one| Some(one) == value(other))
}

#[cfg(test)]
mod tests {
    use super::*;

    const ITEM: &str = r#"{ "a": [1, 2] }"#;

    fn path() -> Vec<String> {
        ["x", "list"].map(str::to_owned).to_vec()
    }

    #[test]
    fn an_item_comes_and_goes_to_the_byte() {
        for (text, expected) in [
            ("", "{ \"x\": { \"list\": [{ \"a\": [1, 2] }] } }\n"),
            ("{}", "{\"x\": { \"list\": [{ \"a\": [1, 2] }] }}"),
            ("{\"x\":{\"list\":[]}}", "{\"x\":{\"list\":[{ \"a\": [1, 2] }]}}"),
            ("{\"x\":{\"list\":[\n  1\n]}}", "{\"x\":{\"list\":[\n  { \"a\": [1, 2] },\n  1\n]}}"),
            ("{\"x\":{\"list\":[/* b */ 1,]}}", "{\"x\":{\"list\":[ { \"a\": [1, 2] },/* b */ 1,]}}"),
            ("{\"x\":{\"b\":1}, \"c\":[]}", "{\"x\":{\"list\": [{ \"a\": [1, 2] }],\"b\":1}, \"c\":[]}"),
        ] {
            let (with, added) = put(text, &path(), ITEM).expect("it can be put");
            assert_eq!(with, expected);
            let back = cut(&with, &path(), ITEM, &added).expect("it can be read").expect("it is there");
            assert_eq!(apply(&with, &mut [back]), text);
        }
    }

    #[test]
    fn an_item_is_found_however_it_is_written() {
        let ours = "{\n\"a\":[1,2]}";
        for (text, expected) in [
            (format!("{{\"x\":{{\"list\":[{ours}]}}}}"), "{\"x\":{\"list\":[]}}"),
            (format!("{{\"x\":{{\"list\":[{ours}, 7]}}}}"), "{\"x\":{\"list\":[7]}}"),
            (format!("{{\"x\":{{\"list\":[7,\n{ours}]}}}}"), "{\"x\":{\"list\":[7]}}"),
            (format!("{{\"x\":{{\"list\":[6, {ours}, 7]}}}}"), "{\"x\":{\"list\":[6, 7]}}"),
        ] {
            let back =
                cut(&text, &path(), ITEM, "no such bytes").expect("it can be read").expect("it is there");
            assert_eq!(apply(&text, &mut [back]), expected);
        }
        assert_eq!(cut("{\"x\":{\"list\":[7]}}", &path(), ITEM, "7"), Ok(None));
        assert!(put("{\"x\":{\"list\":7}}", &path(), ITEM).is_err());
        assert!(put("{\"x\":7}", &path(), ITEM).is_err());
    }
}
