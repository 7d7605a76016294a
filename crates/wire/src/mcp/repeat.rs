//! Checks whether the structured part of a result only repeats its texts.

use serde_json::Value;
use tersely_json::JsonNode;

/// True when `structured` contains exactly the content of the texts. It may be the same JSON, or an object with one
/// member that contains this JSON, as frameworks wrap other values (`{"result": …}`, `{"content": …}`).
pub(super) fn repeats(structured: &JsonNode<'_>, texts: &[&JsonNode<'_>]) -> bool {
    let Ok(value) = serde_json::from_slice::<Value>(structured.bytes()) else { return false };
    let texts: Option<Vec<_>> = texts.iter().map(|text| text.text()).collect();
    let Some(texts) = texts else { return false };
    let texts: Vec<AnswerText> = texts.iter().map(|text| AnswerText::of(text)).collect();
    let inner =
        value.as_object().filter(|object| object.len() == 1).and_then(|object| object.values().next());
    [Some(&value), inner].into_iter().flatten().any(|value| repeats_texts(value, &texts))
}

/// A text, and its parsed value if the text is JSON.
struct AnswerText<'t> {
    text: &'t str,
    json: Option<Value>,
}

impl<'t> AnswerText<'t> {
    fn of(text: &'t str) -> Self {
        Self { text, json: serde_json::from_str(text).ok() }
    }

    fn is(&self, value: &Value) -> bool {
        value.as_str() == Some(self.text) || self.json.as_ref() == Some(value)
    }
}

/// True when the value equals the only text, or is an array of all the texts.
fn repeats_texts(value: &Value, texts: &[AnswerText<'_>]) -> bool {
    match (texts, value) {
        ([], _) => false,
        ([one], value) if one.is(value) => true,
        (texts, Value::Array(items)) => {
            items.len() == texts.len() && items.iter().zip(texts).all(|(item, text)| text.is(item))
        }
        _ => false,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn check(structured: &str, texts: &[&str], expected: bool) {
        let texts: Vec<String> = texts.iter().map(|text| Value::from(*text).to_string()).collect();
        let nodes: Vec<_> = texts.iter().map(|text| JsonNode::at(0..text.len(), text.as_bytes())).collect();
        let nodes: Vec<_> = nodes.iter().collect();
        let node = JsonNode::at(0..structured.len(), structured.as_bytes());
        assert_eq!(repeats(&node, &nodes), expected, "{structured}");
    }

    #[test]
    fn the_same_value_is_a_repeat_however_it_is_laid_out() {
        check(r#"{"a":1,"b":[2]}"#, &["{\n  \"b\": [2],\n  \"a\": 1\n}"], true);
        check(r#"{"result":5}"#, &["5"], true);
        check(r#"{"result":"5"}"#, &["5"], true);
        check(r#"{"content":"two\nlines"}"#, &["two\nlines"], true);
        check(r#"{"result":[{"a":1},"x"]}"#, &[r#"{"a": 1}"#, "x"], true);
    }

    #[test]
    fn what_says_more_or_otherwise_is_none() {
        check(r#"{"a":1,"b":2}"#, &[r#"{"a":1}"#], false);
        check(r#"{"a":1}"#, &["a is 1"], false);
        check(r#"{"a":1}"#, &[], false);
        check(r#"{"a":1}"#, &[r#"{"a":1}"#, "and more"], false);
        check(r#"{"a":1.0}"#, &[r#"{"a":1}"#], false);
        check(r#"{"result":[1,2]}"#, &["1"], false);
        check("{", &["{"], false);
    }
}
