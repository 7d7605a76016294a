//! Decodes STC text in one pass.
//!
//! A count determines where a list or a table ends, but never how much memory is reserved, because a sender can write
//! any count.

use std::collections::BTreeSet;

use tersely_json::number_length;

use crate::error::ReadFault;
use crate::scan::TextScan;
use crate::{DecodeError, MAX_DEPTH, Text, Value};

/// The largest count that is allowed.
pub(super) const MAX_COUNT: usize = 999_999_999;

/// Reads one STC document in any layout, including plain JSON.
///
/// # Errors
/// Fails if the text is not one STC document, or nests deeper than [`MAX_DEPTH`].
pub fn decode(text: &str) -> Result<Value<'_>, DecodeError> {
    document(text).map_err(|fault| fault.within(text))
}

fn document(text: &str) -> Result<Value<'_>, ReadFault> {
    let mut scan = TextScan::new(text);
    scan.space();
    let value = if counts_next(scan.rest()) {
        counted_array(&mut scan, MAX_DEPTH)
    } else {
        value(&mut scan, MAX_DEPTH)
    }?;
    scan.end()?;
    Ok(value)
}

/// The length of the longest key without quotes at the start of `text`.
pub(super) fn bare_length(text: &str) -> usize {
    if text.as_bytes().first().is_some_and(u8::is_ascii_digit) {
        return 0;
    }
    text.bytes().take_while(|&byte| byte.is_ascii_alphanumeric() || byte == b'_').count()
}

/// True for a number in brackets that is followed by `:` or `{`. Such a number is a count; otherwise it is an array.
fn counts_next(rest: &str) -> bool {
    let Some(inside) = rest.strip_prefix('[').map(skip_space) else { return false };
    let length = number_length(inside.as_bytes());
    let behind = skip_space(&inside[length..]).strip_prefix(']').map(skip_space);
    length > 0 && behind.is_some_and(|behind| behind.starts_with([':', '{']))
}

fn skip_space(text: &str) -> &str {
    text.trim_start_matches([' ', '\t', '\n', '\r'])
}

fn value<'a>(scan: &mut TextScan<'a>, levels: usize) -> Result<Value<'a>, ReadFault> {
    match scan.peek() {
        Some(b'{') => {
            let levels = deeper(scan, levels)?;
            scan.object(|scan| Ok((key(scan)?, member(scan, levels)?)))
        }
        Some(b'[') => {
            let levels = deeper(scan, levels)?;
            scan.array(|scan| value(scan, levels))
        }
        _ => scan.scalar(),
    }
}

/// The number of levels that remain inside a group; fails when no level remains.
fn deeper(scan: &TextScan<'_>, levels: usize) -> Result<usize, ReadFault> {
    match levels.checked_sub(1) {
        Some(left) => Ok(left),
        None => scan.fail(format!("at most {MAX_DEPTH} levels")),
    }
}

/// Reads a key and the white space after it.
fn key<'a>(scan: &mut TextScan<'a>) -> Result<Text<'a>, ReadFault> {
    let rest = scan.rest();
    let key = match bare_length(rest) {
        0 if scan.peek() == Some(b'"') => scan.string()?,
        0 => return scan.fail("a key"),
        length => {
            scan.go(scan.at() + length);
            Text::plain(&rest[..length])
        }
    };
    scan.space();
    Ok(key)
}

/// Reads the value after a key: a colon and a value, or a counted array.
fn member<'a>(scan: &mut TextScan<'a>, levels: usize) -> Result<Value<'a>, ReadFault> {
    if scan.peek() == Some(b'[') {
        return counted_array(scan, levels);
    }
    scan.take(b':', "':' or '['")?;
    value(scan, levels)
}

fn counted_array<'a>(scan: &mut TextScan<'a>, levels: usize) -> Result<Value<'a>, ReadFault> {
    let levels = deeper(scan, levels)?;
    scan.take(b'[', "'['")?;
    let count = count(scan)?;
    scan.take(b']', "']'")?;
    if scan.peek() != Some(b'{') {
        scan.take(b':', "':' or '{'")?;
        return list(scan, count);
    }
    deeper(scan, levels)?;
    let columns = header(scan)?;
    scan.take(b':', "':'")?;
    table(scan, count, &columns)
}

fn count(scan: &mut TextScan<'_>) -> Result<usize, ReadFault> {
    let rest = scan.rest();
    let length = rest.bytes().take_while(u8::is_ascii_digit).count();
    match rest[..length].parse() {
        Ok(count) if count <= MAX_COUNT && !rest.starts_with('0') => {
            scan.go(scan.at() + length);
            scan.space();
            Ok(count)
        }
        _ => scan.fail(format!("a count from 1 to {MAX_COUNT}")),
    }
}

fn list<'a>(scan: &mut TextScan<'a>, count: usize) -> Result<Value<'a>, ReadFault> {
    let mut items = Vec::new();
    for place in 1..=count {
        items.push(cell(scan, place, count)?);
    }
    Ok(Value::Array(items))
}

/// Reads the column names between braces; duplicates are an error.
fn header<'a>(scan: &mut TextScan<'a>) -> Result<Vec<Text<'a>>, ReadFault> {
    let mut columns = Vec::new();
    let mut seen = BTreeSet::new();
    scan.take(b'{', "'{'")?;
    loop {
        let start = scan.at();
        let column = key(scan)?;
        if !seen.insert(column.clone()) {
            scan.go(start);
            return scan.fail("a column that is not there yet");
        }
        columns.push(column);
        if scan.peek() == Some(b'}') {
            scan.take(b'}', "'}'")?;
            return Ok(columns);
        }
        scan.take(b',', "',' or '}'")?;
    }
}

fn table<'a>(scan: &mut TextScan<'a>, count: usize, columns: &[Text<'a>]) -> Result<Value<'a>, ReadFault> {
    let mut rows = vec![row(scan, columns)?];
    for place in 2..=count {
        part(scan, b'/', "row", place, count)?;
        rows.push(row(scan, columns)?);
    }
    Ok(Value::Array(rows))
}

fn row<'a>(scan: &mut TextScan<'a>, columns: &[Text<'a>]) -> Result<Value<'a>, ReadFault> {
    let mut members = Vec::new();
    for (index, column) in columns.iter().enumerate() {
        members.push((column.clone(), cell(scan, index + 1, columns.len())?));
    }
    Ok(Value::Object(members))
}

/// Reads scalar number `place` of `count`, and the comma before it.
fn cell<'a>(scan: &mut TextScan<'a>, place: usize, count: usize) -> Result<Value<'a>, ReadFault> {
    if place > 1 {
        part(scan, b',', "value", place, count)?;
    }
    match scan.peek() {
        Some(b'{' | b'[') => scan.fail("a string, a number, true, false or null"),
        _ => scan.scalar(),
    }
}

/// Reads the separator before `what` number `place`, and the white space around the separator.
fn part(scan: &mut TextScan<'_>, byte: u8, what: &str, place: usize, count: usize) -> Result<(), ReadFault> {
    scan.space();
    if !scan.eat(byte) {
        return scan.fail(format!("'{}' and {what} {place} of {count}", char::from(byte)));
    }
    scan.space();
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::decode;

    #[test]
    fn faults_say_where_and_what() {
        for (text, message) in [
            ("", "line 1, column 1: expected a value, found the end"),
            ("[2]: 1", "line 1, column 7: expected ',' and value 2 of 2, found the end"),
            ("[2]: 1,2,3", "line 1, column 9: expected the end of the document, found ','"),
            ("[1]{a,b}: 1", "line 1, column 12: expected ',' and value 2 of 2, found the end"),
            ("[2]{a}:\n1 ,", "line 2, column 3: expected '/' and row 2 of 2, found ','"),
            ("[0]: ", "line 1, column 2: expected a count from 1 to 999999999, found '0'"),
            ("{a[1000000000]: 1}", "line 1, column 4: expected a count from 1 to 999999999, found '1'"),
            ("{a[1}", "line 1, column 5: expected ']', found '}'"),
            ("{a[1] 1}", "line 1, column 7: expected ':' or '{', found '1'"),
            ("{a[1]{x} 1}", "line 1, column 10: expected ':', found '1'"),
            ("{a[1]{}: 1}", "line 1, column 7: expected a key, found '}'"),
            ("{a[1]{x y}: 1}", "line 1, column 9: expected ',' or '}', found 'y'"),
            (
                r#"[1]{a, "\u0061"}: 1,2"#,
                "line 1, column 8: expected a column that is not there yet, found '\"'",
            ),
            ("{a[1]: [1]}", "line 1, column 8: expected a string, a number, true, false or null, found '['"),
            ("{a[2]: 1,2 b: 3}", "line 1, column 12: expected ',' or '}', found 'b'"),
            ("{é: 1}", "line 1, column 2: expected a key, found 'é'"),
            ("{a 1}", "line 1, column 4: expected ':' or '[', found '1'"),
            ("[[1]: 1]", "line 1, column 5: expected ',' or ']', found ':'"),
            ("\u{feff}1", "line 1, column 1: expected a value, found '\\u{feff}'"),
        ] {
            assert_eq!(decode(text).map_err(|error| error.to_string()), Err(message.to_owned()), "{text}");
        }
    }
}
