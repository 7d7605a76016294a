//! Keeps or omits fields of a JSON document, as configured by a filter.
//!
//! The result is JSON again, with notes that report the omitted fields, so that other cuts and the exact forms can
//! process it further.

use tersely_codec::{Text, Value, json};

use crate::cut::excerpt::fault;
use crate::cut::filter::path::{FieldPath, FieldWalk};
use crate::plan::Loss;
use crate::read::json::documents;
use crate::stage::Edit;

/// The fields to keep and the fields to omit.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct FieldRules {
    /// If not empty, only these fields are kept, with everything in them.
    pub pick: Vec<FieldPath>,
    /// These fields are omitted.
    pub drop: Vec<FieldPath>,
}

/// The value that replaces an omitted field.
const GONE: &str = "[left out]";

impl FieldRules {
    /// True when there are no rules.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.pick.is_empty() && self.drop.is_empty()
    }

    /// The document without the omitted fields; `None` when no field is omitted, or when the text is not JSON.
    pub(super) fn apply(&self, text: &str) -> Option<Edit> {
        if !text.trim_start().starts_with(['{', '[']) {
            return None;
        }
        let mut value = json::decode(text).ok().or_else(|| documents(text))?;
        let mut gone = 0;
        if !self.pick.is_empty() {
            gone += pick(&mut value, &begin(&self.pick));
        }
        gone += drop(&mut value, &begin(&self.drop));
        (gone > 0).then(|| Edit { text: json::encode(&value), loss: Loss::Detail, note: String::new() })
    }
}

fn begin(paths: &[FieldPath]) -> Vec<FieldWalk<'_>> {
    paths.iter().map(FieldPath::begin).collect()
}

fn past<'p>(walks: &[FieldWalk<'p>], name: Option<&Text<'_>>) -> Vec<FieldWalk<'p>> {
    let mut left = Vec::new();
    for walk in walks {
        walk.past(name, &mut left);
    }
    left
}

/// Omits the fields that the walks lead to, except for fields that report a failure. Returns the number of omitted
/// fields.
fn drop(value: &mut Value<'_>, walks: &[FieldWalk<'_>]) -> usize {
    if walks.is_empty() {
        return 0;
    }
    match value {
        Value::Array(items) => {
            let left = past(walks, None);
            items.iter_mut().map(|item| drop(item, &left)).sum()
        }
        Value::Object(members) => members.iter_mut().map(|(key, value)| drop_member(key, value, walks)).sum(),
        _ => 0,
    }
}

fn drop_member(key: &Text<'_>, value: &mut Value<'_>, walks: &[FieldWalk<'_>]) -> usize {
    let left = past(walks, Some(key));
    if !left.iter().any(|walk| walk.is_done()) {
        return drop(value, &left);
    }
    if fault::member_reports_failure(key, value) {
        return 0;
    }
    *value = Value::String(Text::of(GONE));
    1
}

/// Keeps the fields that the walks lead to and those that report a failure, and omits all others. Returns the number
/// of omitted fields.
fn pick(value: &mut Value<'_>, walks: &[FieldWalk<'_>]) -> usize {
    match value {
        Value::Array(items) => {
            let left = past(walks, None);
            let is_done = left.iter().any(|walk| walk.is_done());
            if is_done { 0 } else { items.iter_mut().map(|item| pick(item, &left)).sum() }
        }
        Value::Object(members) => {
            let (count, mut below) = (members.len(), 0);
            members.retain_mut(|(key, value)| {
                let left = past(walks, Some(key));
                if left.iter().any(|walk| walk.is_done()) || fault::member_reports_failure(key, value) {
                    return true;
                }
                let leads = !left.is_empty() && !value.is_scalar();
                below += if leads { pick(value, &left) } else { 0 };
                leads
            });
            let gone = count - members.len();
            if gone > 0 {
                let fields = if gone == 1 { "field" } else { "fields" };
                let note = Text::of(&format!("{gone} {fields}")).into_owned();
                members.push((Text::of("left out"), Value::String(note)));
            }
            gone + below
        }
        _ => 0,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn check(pick: &[&str], drop: &[&str], text: &str, expected: &str) {
        let paths = |list: &[&str]| list.iter().map(|path| FieldPath::parse(path).unwrap()).collect();
        let edit = FieldRules { pick: paths(pick), drop: paths(drop) }.apply(text);
        assert_eq!(
            edit.map(|edit| edit.text).as_deref().unwrap_or("unchanged"),
            expected,
            "{pick:?} {drop:?}"
        );
    }

    #[test]
    fn fields_are_dropped_where_they_stand() {
        let text = r#"{"items":[{"id":1,"meta":{"x":[1]}},{"id":2,"meta":null}],"meta":1.0}"#;
        let gone = r#"{"items":[{"id":1,"meta":"[left out]"},{"id":2,"meta":"[left out]"}],"meta":1.0}"#;
        check(&[], &["items.*.meta"], text, gone);
        check(&[], &["items.*.other", "meta.x"], text, "unchanged");
        check(&[], &["a"], "no json", "unchanged");
    }

    #[test]
    fn fields_are_picked_with_all_that_is_in_them() {
        let text = r#"{"items":[{"id":1,"meta":{"x":[1]},"y":2}],"next":3}"#;
        check(
            &["items.*.meta", "items.*.id"],
            &[],
            text,
            r#"{"items":[{"id":1,"meta":{"x":[1]},"left out":"1 field"}],"left out":"1 field"}"#,
        );
        check(&["items"], &[], text, r#"{"items":[{"id":1,"meta":{"x":[1]},"y":2}],"left out":"1 field"}"#);
        check(&["*"], &[], text, "unchanged");
    }

    #[test]
    fn faults_stay_whatever_a_filter_says() {
        let text = r#"[{"id":1,"status":"failed","log":"a\nerror: no","x":1}]"#;
        check(
            &["*.id"],
            &[],
            text,
            r#"[{"id":1,"status":"failed","log":"a\nerror: no","left out":"1 field"}]"#,
        );
        check(&[], &["*.status", "*.log"], text, "unchanged");
    }

    #[test]
    fn documents_one_a_line_are_a_list() {
        let line = |n: usize| format!("{{\"n\":{n},\"noise\":\"something that nobody wants\"}}\n");
        let gone = |n: usize| format!("{{\"n\":{n},\"noise\":\"[left out]\"}}");
        check(&[], &["*.noise"], &[line(1), line(2)].concat(), &format!("[{},{}]", gone(1), gone(2)));
    }
}
