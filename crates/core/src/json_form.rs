//! Encodes JSON in a form that a client requested by name.

use tersely_codec::{Form, Value, decode, encode, json};

use crate::tokens::O200k;

/// The most values of a document that is written as TOON: the crate of its owners takes up to a kilobyte for each.
const MAX_TOON_VALUES: usize = 200_000;

/// Encodes the JSON text in `form`, if the form can represent it and costs fewer tokens than the same JSON without
/// white space. The comparison is with compact JSON, because removing white space alone needs no form.
#[must_use]
pub fn encode_json(form: Form, text: &str) -> Option<String> {
    let value = json::decode(text).ok()?;
    if form == Form::Toon && count_values(&value) > MAX_TOON_VALUES {
        return None;
    }
    let encoded = encode(form, &value)?;
    let limit = O200k.count(&json::encode(&value)).checked_sub(1)?;
    O200k.count_within(&encoded, limit)?;
    decode(form, &encoded).is_ok_and(|back| back == value).then_some(encoded)
}

/// The number of values in a value, with itself.
fn count_values(value: &Value<'_>) -> usize {
    let inside = match value {
        Value::Array(items) => items.iter().map(count_values).sum(),
        Value::Object(members) => members.iter().map(|(_, value)| count_values(value)).sum(),
        _ => 0,
    };
    1 + inside
}

#[cfg(test)]
mod tests {
    use super::*;

    const FORMS: [Form; 3] = [Form::Stc, Form::Toon, Form::Terse];

    /// Behaviour 1.19, 10.4 and 10.7.
    #[test]
    fn a_form_is_used_only_where_it_is_cheaper_and_exact() {
        let row = |id: usize| format!(r#"{{"id": {id}, "name": "item {id}", "state": "open"}}"#);
        let rows = format!("[{}]", (0..20).map(row).collect::<Vec<_>>().join(", "));
        for form in FORMS {
            let encoded = encode_json(form, &rows).expect("cheaper");
            assert_eq!(decode(form, &encoded), json::decode(&rows), "{form:?}");
            assert_eq!(encode_json(form, "[1]"), None, "{form:?}");
            assert_eq!(encode_json(form, "no JSON"), None, "{form:?}");
        }
        assert_eq!(
            encode_json(Form::Toon, r#"{"a": 1.0, "b": [1.0, 1.0, 1.0, 1.0]}"#),
            None,
            "TOON would change 1.0"
        );
    }

    #[test]
    fn a_document_of_very_many_values_is_not_written_as_toon() {
        for (rows, is_written) in [(66_000, true), (67_000, false)] {
            let rows = format!("[{}]", vec![r#"{"first":1,"second":2}"#; rows].join(","));
            assert_eq!(encode_json(Form::Toon, &rows).is_some(), is_written);
            assert!(encode_json(Form::Terse, &rows).is_some());
        }
    }

    /// Behaviour 1.19, 10.4 and 17.16: a form gets no credit for removing white space.
    #[test]
    fn a_form_is_measured_by_tokens_against_json_without_white_space() {
        let nested =
            |n: usize| format!(r#"{{"k{n}": {{"a": {{"b": [[{n}], [{{"c": "v{n}"}}, {{"d": null}}]]}}}}}}"#);
        let value = format!("[{}]", (0..30).map(nested).collect::<Vec<_>>().join(","));
        let pretty =
            value.replace('[', "[\n        ").replace('{', "{\n            ").replace(',', ",\n    ");
        let minified = json::encode(&json::decode(&pretty).expect("JSON"));
        for form in FORMS {
            let encoded = encode_json(form, &pretty);
            assert_eq!(encoded, encode_json(form, &minified), "{form:?}");
            let cost = encoded.map_or(0, |encoded| O200k.count(&encoded));
            assert!(cost < O200k.count(&minified), "{form:?}");
        }
        let toon = encode(Form::Toon, &json::decode(&pretty).expect("JSON")).expect("TOON holds it");
        assert!(toon.len() < pretty.len() && O200k.count(&toon) > O200k.count(&minified), "the case is one");
        assert_eq!(encode_json(Form::Toon, &pretty), None);
    }
}
