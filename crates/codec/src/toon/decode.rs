//! Decodes TOON text according to the strict rules.
//!
//! Numbers get TOON's canonical spelling, because TOON does not keep their original text.

use serde_json::{Number, Value as Tree};
use toon_format::ToonError;

use crate::error::ReadFault;
use crate::{DecodeError, MAX_DEPTH, Text, Value};

/// Reads one TOON document.
///
/// # Errors
/// Fails if the text is not one TOON document, or nests deeper than [`MAX_DEPTH`].
pub fn decode(text: &str) -> Result<Value<'_>, DecodeError> {
    let tree: Tree = toon_format::decode_strict(text).map_err(|error| fault(text, &error))?;
    let value = value(tree);
    if value.fits() { Ok(value) } else { Err(too_deep()) }
}

fn value(tree: Tree) -> Value<'static> {
    match tree {
        Tree::Null => Value::Null,
        Tree::Bool(bool) => Value::Bool(bool),
        Tree::Number(number) => Value::Number(spelling(&number).into()),
        Tree::String(chars) => Value::String(text(&chars)),
        Tree::Array(items) => Value::Array(items.into_iter().map(value).collect()),
        Tree::Object(map) => {
            Value::Object(map.into_iter().map(|(key, tree)| (text(&key), value(tree))).collect())
        }
    }
}

/// Writes the number without an exponent, as TOON does; serde would write large numbers with an exponent.
fn spelling(number: &Number) -> String {
    match number.as_f64() {
        Some(float) if number.is_f64() => float.to_string(),
        _ => number.to_string(),
    }
}

fn text(chars: &str) -> Text<'static> {
    Text::of(chars).into_owned()
}

fn too_deep() -> DecodeError {
    DecodeError { line: 1, column: 1, expected: format!("at most {MAX_DEPTH} levels"), found: "more".into() }
}

fn fault(source: &str, error: &ToonError) -> DecodeError {
    match error {
        ToonError::ParseError { line, message, .. } => at_line(source, *line, message),
        ToonError::InvalidStructure(_) => too_deep(),
        other => ReadFault { at: 0, expected: format!("TOON ({other})").into() }.within(source),
    }
}

/// The error in `message`, at the first character of `line` after its indentation: the TOON crate does not report
/// columns.
fn at_line(source: &str, line: usize, message: &str) -> DecodeError {
    let start: usize = source.split_inclusive('\n').take(line.saturating_sub(1)).map(str::len).sum();
    let rest = &source[start..];
    let indent = rest.len() - rest.trim_start_matches([' ', '\t']).len();
    let fault =
        ReadFault { at: start + indent, expected: format!("a line that TOON allows ({message})").into() }
            .within(source);
    match expectation(message) {
        Some((expected, found)) => DecodeError { expected: expected.into(), found: found.into(), ..fault },
        None => fault,
    }
}

/// The expected and the actual input, if the message contains both.
fn expectation(message: &str) -> Option<(&str, &str)> {
    let (_, told) = message.split_once("xpected ")?;
    told.split_once(", but found ").or_else(|| told.split_once(", but got "))
}

#[cfg(test)]
mod tests {
    use super::decode;
    use crate::json;

    fn check(text: &str, json: &str) {
        assert_eq!(decode(text).map(|value| json::encode(&value)), Ok(json.to_owned()), "{text}");
    }

    #[test]
    fn numbers_get_the_spelling_of_toon() {
        check("[5]: 1.0,1e5,-0,1E-7,0.10", "[1,100000,0,0.0000001,0.1]");
        check("a: 100000000000000000000", r#"{"a":100000000000000000000}"#);
        check("a: 123456789012345678901234567890", r#"{"a":"123456789012345678901234567890"}"#);
    }

    #[test]
    fn tables_and_maps_are_read() {
        check(
            "[2]{id,by{name}}:\n  1,Ann\n  2,Bo",
            r#"[{"id":1,"by":{"name":"Ann"}},{"id":2,"by":{"name":"Bo"}}]"#,
        );
        check("u[2:]{age}:\n  ann: 1\n  bo: 2", r#"{"u":{"ann":{"age":1},"bo":{"age":2}}}"#);
        check("", "{}");
    }

    #[test]
    fn faults_say_where_and_what() {
        for (text, message) in [
            ("[3]: 1,2", "line 1, column 1: expected 3 inline-form values, found 2"),
            ("a[2]{x}:\n  1\nb: 2", "line 2, column 3: expected 2 tabular rows, found 1"),
            ("a:\n    b: 1", "line 2, column 5: expected depth 1, found 2"),
            (
                "é: 1\n b: 2",
                "line 2, column 2: expected a line that TOON allows (Indentation must be exact multiple of 2, but found 1 spaces), found 'b'",
            ),
            (
                "a: 1\na: 2",
                "line 2, column 1: expected a line that TOON allows (Duplicate sibling key \"a\"), found 'a'",
            ),
            (
                "a: \"x",
                "line 1, column 1: expected a line that TOON allows (Unterminated string: missing closing quote), found 'a'",
            ),
        ] {
            assert_eq!(decode(text).map_err(|error| error.to_string()), Err(message.to_owned()), "{text}");
        }
    }

    #[test]
    fn depth_is_bounded() {
        // The last `a:` contains an empty object, which adds one level.
        let nested = |levels: usize| (0..levels).map(|level| "  ".repeat(level) + "a:\n").collect::<String>();
        let groups = |levels: usize| format!("[1]{}x{}:\n  1", "{a".repeat(levels), "}".repeat(levels));
        assert!(decode(&nested(127)).is_ok());
        assert!(decode(&groups(127)).is_ok());
        for text in [nested(128), nested(1000), groups(128), groups(100_000)] {
            assert!(decode(&text).is_err());
        }
    }
}
