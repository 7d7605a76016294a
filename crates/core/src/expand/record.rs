//! Finds the records of a JSON document that contain a word. Such a document is often a single line, so a search by
//! lines would return all of it.

use std::fmt::Write as _;

use tersely_codec::{Value, json};

/// The maximum number of records shown; the others are only counted.
const MAX_RECORDS: usize = 20;

/// The innermost records that contain `word`, ignoring case, each with its path in front. If some records have a value
/// that equals the word, only those are shown. `None` when no record contains the word, or only the document as a
/// whole.
pub(super) fn search(word: &str, root: &Value<'_>) -> Option<String> {
    let small = word.to_lowercase();
    let has = |text: &str| text.to_lowercase().contains(&small);
    equal(word, root).or_else(|| list(&matches(root, &has)))
}

/// The innermost records that have a value equal to `word`, ignoring case, in the format of `search`.
pub(super) fn equal(word: &str, root: &Value<'_>) -> Option<String> {
    let small = word.to_lowercase();
    list(&matches(root, &|text| text.to_lowercase() == small))
}

fn list(found: &[(String, &Value<'_>)]) -> Option<String> {
    if found.is_empty() || found.iter().any(|(path, _)| path.is_empty()) {
        return None;
    }
    let mut out = String::new();
    for (path, value) in found.iter().take(MAX_RECORDS) {
        let _ = writeln!(out, "{path}: {}", json::encode(value));
    }
    if found.len() > MAX_RECORDS {
        let _ =
            writeln!(out, "{MAX_RECORDS} of {} records; a path or a longer word shows others", found.len());
    }
    Some(out)
}

/// The innermost objects with a member for which `fits` is true, with their paths.
fn matches<'v, 'a>(root: &'v Value<'a>, fits: &impl Fn(&str) -> bool) -> Vec<(String, &'v Value<'a>)> {
    let mut found = Vec::new();
    walk(root, "", fits, &mut found);
    found
}

/// Adds the matching objects in `value`. Returns true when a scalar outside of these objects matches: it belongs to an
/// enclosing record.
fn walk<'v, 'a>(
    value: &'v Value<'a>,
    path: &str,
    fits: &impl Fn(&str) -> bool,
    found: &mut Vec<(String, &'v Value<'a>)>,
) -> bool {
    match value {
        Value::String(text) => text.value().is_some_and(|text| fits(&text)),
        Value::Number(number) => fits(number),
        Value::Array(items) => {
            let mut own = false;
            for (at, item) in items.iter().enumerate() {
                own |= walk(item, &format!("{path}[{at}]"), fits, found);
            }
            own
        }
        Value::Object(members) => {
            let at = found.len();
            let mut own = false;
            for (key, value) in members {
                let key = key.value().unwrap_or_default();
                let dot = if path.is_empty() { "" } else { "." };
                own |= fits(&key) && value.is_scalar();
                own |= walk(value, &format!("{path}{dot}{key}"), fits, found);
            }
            if own {
                found.insert(at, (path.to_owned(), value));
            }
            false
        }
        _ => false,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn check(word: &str, expected: Option<&str>) {
        let text =
            r#"{"items":[{"id":7,"name":"left","by":{"login":"ann"}},{"id":71,"name":"Leftover"}],"n":2}"#;
        let root = json::decode(text).expect("JSON");
        assert_eq!(search(word, &root).as_deref(), expected, "{word}");
    }

    #[test]
    fn the_innermost_record_is_shown() {
        check("ann", Some("items[0].by: {\"login\":\"ann\"}\n"));
        check("7", Some("items[0]: {\"id\":7,\"name\":\"left\",\"by\":{\"login\":\"ann\"}}\n"));
        check("over", Some("items[1]: {\"id\":71,\"name\":\"Leftover\"}\n"));
        check("zebra", None);
        check("n", None);
    }

    #[test]
    fn many_records_are_counted() {
        let items: Vec<_> = (0..30).map(|at| format!("{{\"id\":{at},\"kind\":\"a\"}}")).collect();
        let text = format!("[{}]", items.join(","));
        let shown = search("a", &json::decode(&text).expect("JSON")).expect("records");
        assert_eq!(shown.lines().count(), MAX_RECORDS + 1);
        assert!(shown.ends_with("20 of 30 records; a path or a longer word shows others\n"), "{shown}");
    }
}
