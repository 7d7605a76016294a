//! Decodes JSON text in one pass.

use crate::error::ReadFault;
use crate::scan::TextScan;
use crate::{DecodeError, MAX_DEPTH, Text, Value};

/// Reads one JSON document.
///
/// # Errors
/// Fails if the text is not one JSON document, or nests deeper than [`MAX_DEPTH`].
pub fn decode(text: &str) -> Result<Value<'_>, DecodeError> {
    document(text).map_err(|fault| fault.within(text))
}

/// Reads the JSON value at the start of a text, and returns the value and its length in bytes.
///
/// # Errors
/// Fails if there is no JSON value, or if the value nests deeper than [`MAX_DEPTH`].
pub fn decode_first(text: &str) -> Result<(Value<'_>, usize), DecodeError> {
    let mut scan = TextScan::new(text);
    let value = value(&mut scan, MAX_DEPTH).map_err(|fault| fault.within(text))?;
    Ok((value, scan.at()))
}

fn document(text: &str) -> Result<Value<'_>, ReadFault> {
    let mut scan = TextScan::new(text);
    scan.space();
    let value = value(&mut scan, MAX_DEPTH)?;
    scan.end()?;
    Ok(value)
}

fn value<'a>(scan: &mut TextScan<'a>, levels: usize) -> Result<Value<'a>, ReadFault> {
    match scan.peek() {
        Some(b'{' | b'[') if levels == 0 => scan.fail(format!("at most {MAX_DEPTH} levels")),
        Some(b'{') => scan.object(|scan| Ok((key(scan)?, value(scan, levels - 1)?))),
        Some(b'[') => scan.array(|scan| value(scan, levels - 1)),
        _ => scan.scalar(),
    }
}

/// Reads a key, its colon, and the white space before the value.
fn key<'a>(scan: &mut TextScan<'a>) -> Result<Text<'a>, ReadFault> {
    if scan.peek() != Some(b'"') {
        return scan.fail("a key in quotes");
    }
    let key = scan.string()?;
    scan.space();
    scan.take(b':', "':'")?;
    Ok(key)
}

#[cfg(test)]
mod tests {
    use super::{decode, decode_first};
    use crate::json::encode;

    fn check(text: &str, compact: &str) {
        assert_eq!(decode(text).map(|value| encode(&value)), Ok(compact.to_owned()), "{text}");
    }

    #[test]
    fn order_duplicates_and_number_text_are_kept() {
        check("{\"b\": 1.0, \"a\" : 1E5,\n\"b\":-0}", r#"{"b":1.0,"a":1E5,"b":-0}"#);
        check("[ 12345678901234567890123 , 0.10 ]", "[12345678901234567890123,0.10]");
        check(" \"\\u00e9\\/\" ", "\"é/\"");
        check("[[],{},null,true,false]", "[[],{},null,true,false]");
    }

    #[test]
    fn faults_say_where_and_what() {
        for (text, message) in [
            ("", "line 1, column 1: expected a value, found the end"),
            ("{\"a\":1,}", "line 1, column 8: expected a key in quotes, found '}'"),
            ("[1,\n é]", "line 2, column 2: expected a value, found 'é'"),
            ("[1] x", "line 1, column 5: expected the end of the document, found 'x'"),
            ("{\"a\" 1}", "line 1, column 6: expected ':', found '1'"),
            ("\"\\x\"", "line 1, column 2: expected an escape that JSON knows, found '\\\\'"),
            ("[01]", "line 1, column 2: expected a number, found '0'"),
            (
                "\"a\nb\"",
                "line 1, column 3: expected the closing quote of a string, found the end of the line",
            ),
            ("\"a\\", "line 1, column 4: expected the closing quote of a string, found the end"),
            ("\u{feff}1", "line 1, column 1: expected a value, found '\\u{feff}'"),
        ] {
            assert_eq!(decode(text).map_err(|error| error.to_string()), Err(message.to_owned()), "{text}");
        }
    }

    #[test]
    fn values_end_where_they_end() {
        for (text, end) in
            [("[1]\nrest", Some(3)), ("{} {", Some(2)), ("1x", Some(1)), (" 1", None), ("[1", None)]
        {
            assert_eq!(decode_first(text).ok().map(|(_, end)| end), end, "{text}");
        }
    }

    #[test]
    fn depth_is_bounded() {
        let nested = |levels: usize| "[".repeat(levels) + &"]".repeat(levels);
        assert!(decode(&nested(128)).is_ok());
        assert!(decode(&nested(129)).is_err());
        assert!(decode(&"[".repeat(10_000_000)).is_err());
        assert!(decode(&"{\"a\":".repeat(1_000_000)).is_err());
    }
}
