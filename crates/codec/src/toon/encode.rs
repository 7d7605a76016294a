//! Encodes a value as TOON, if TOON can represent it without loss.
//!
//! TOON keeps the value of a number but not its text, and gives all rows of a table the key order of the header.
//! Values with known losses are refused first; every other value is encoded, decoded again and compared.

use serde_json::{Map, Number, Value as Tree};

use super::decode;
use crate::{Text, Value};

/// The largest integer that every TOON decoder represents exactly: most of them store numbers as doubles.
const MAX_SAFE_INTEGER: f64 = 9_007_199_254_740_992.0;

/// Writes `value` as TOON; `None` when decoding the text would not give the same value.
#[must_use]
pub fn encode(value: &Value<'_>) -> Option<String> {
    if !value.fits() {
        return None;
    }
    let text = toon_format::encode_default(&tree(value)?).ok()?;
    let exact = decode(&text).is_ok_and(|back| back == *value);
    exact.then_some(text)
}

fn tree(value: &Value<'_>) -> Option<Tree> {
    Some(match value {
        Value::Null => Tree::Null,
        Value::Bool(bool) => Tree::Bool(*bool),
        Value::Number(text) => Tree::Number(number(text)?),
        Value::String(text) => Tree::String(chars(text)?),
        Value::Array(items) => Tree::Array(items.iter().map(tree).collect::<Option<_>>()?),
        Value::Object(members) => Tree::Object(object(members)?),
    })
}

/// The number whose canonical TOON spelling is `text`.
fn number(text: &str) -> Option<Number> {
    let number: f64 = text.parse().ok()?;
    if number.abs() > MAX_SAFE_INTEGER || text == "-0" || number.to_string() != text {
        return None;
    }
    text.parse().map(i64::into).ok().or_else(|| Number::from_f64(number))
}

fn chars(text: &Text<'_>) -> Option<String> {
    Some(text.value()?.into_owned())
}

/// The members as a map; `None` if two have the same key.
fn object(members: &[(Text<'_>, Value<'_>)]) -> Option<Map<String, Tree>> {
    let mut map = Map::with_capacity(members.len());
    for (key, value) in members {
        if map.insert(chars(key)?, tree(value)?).is_some() {
            return None;
        }
    }
    Some(map)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::json;

    fn toon_of(json: &str) -> Option<String> {
        encode(&json::decode(json).expect("JSON"))
    }

    /// Behaviour 1.17.
    #[test]
    fn what_toon_would_change_is_declined() {
        for json in [
            "1.0",
            "[1, 1.10]",
            "1e5",
            "1E-2",
            "-0",
            "-0.0",
            "0.0",
            "9007199254740993",
            "9007199254740994",
            "-12345678901234567890",
            "123456789012345678901234567890",
            "3.141592653589793238462643",
            "1e400",
            r#"{"a":1,"b":2,"a":1}"#,
            r#"[{"a":1,"b":2},{"b":3,"a":4}]"#,
            r#"{"x":{"a":1,"b":2},"y":{"b":3,"a":4}}"#,
            r#""\ud800""#,
            r#"{"\udfff":1}"#,
        ] {
            assert_eq!(toon_of(json), None, "{json}");
        }
    }

    /// Behaviour 1.17.
    #[test]
    fn what_toon_keeps_is_written() {
        for (json, toon) in [
            ("{}", ""),
            ("[]", "[]"),
            ("9007199254740992", "9007199254740992"),
            ("[-0.5, 0.000001, 42]", "[3]: -0.5,0.000001,42"),
            (r#"{"a":"1.0","b":"-","c":""}"#, "a: \"1.0\"\nb: \"-\"\nc: \"\""),
            (r#"{"tab":"a\tb","bell":"\u0007"}"#, "tab: \"a\\tb\"\nbell: \"\\u0007\""),
            (
                r#"[{"id":1,"by":{"name":"Ann"}},{"id":2,"by":{"name":"Bo"}}]"#,
                "[2]{id,by{name}}:\n  1,Ann\n  2,Bo",
            ),
        ] {
            assert_eq!(toon_of(json).as_deref(), Some(toon), "{json}");
        }
    }

    /// Behaviour 1.18.
    #[test]
    fn column_keys_are_quoted_when_needed() {
        let json = r#"[{"a b":1,"c,d":2,"e":3},{"a b":4,"c,d":5,"e":6}]"#;
        assert_eq!(toon_of(json).as_deref(), Some("[2]{\"a b\",\"c,d\",e}:\n  1,2,3\n  4,5,6"));
    }

    #[test]
    fn depth_is_bounded() {
        let nested = |levels| (0..levels).fold(Value::Null, |inner, _| Value::Array(vec![inner]));
        let mixed = |levels| {
            (0..levels).fold(Value::Null, |inner, level| match level % 2 {
                0 => Value::Array(vec![inner]),
                _ => Value::Object(vec![(Text::of("k"), inner)]),
            })
        };
        for value in [nested(128), mixed(128)] {
            assert!(encode(&value).is_some());
        }
        for value in [nested(129), mixed(129)] {
            assert_eq!(encode(&value), None);
        }
    }
}
