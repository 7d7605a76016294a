//! Reads and writes a value on one line: as JSON, but keys and strings have no quotes where nothing is lost.

use tersely_json::number_length;

use super::bare::{self, is_bare, is_bare_key, is_key_byte};
use crate::error::ReadFault;
use crate::json::{EscapeSpelling, push_flat, push_string};
use crate::scan::TextScan;
use crate::{Text, Value};

/// Writes `value` on one line.
pub(super) fn push(out: &mut String, value: &Value<'_>) {
    push_flat(out, value, EscapeSpelling { key: push_key, text: |out, text| push_text(out, text.as_str()) });
}

/// Writes a string with the JSON-escaped content `text`.
pub(super) fn push_text(out: &mut String, text: &str) {
    if is_bare(text) {
        out.push_str(text);
    } else {
        out.push('"');
        out.push_str(text);
        out.push('"');
    }
}

/// Writes a key, without quotes where possible.
pub(super) fn push_key(out: &mut String, key: &Text<'_>) {
    if is_bare_key(key.as_str()) {
        out.push_str(key.as_str());
    } else {
        push_string(out, key);
    }
}

/// Reads one value with a maximum of `levels` nested levels.
pub(super) fn value<'a>(scan: &mut TextScan<'a>, levels: usize) -> Result<Value<'a>, ReadFault> {
    match scan.peek() {
        Some(b'{' | b'[') if levels == 0 => scan.fail("fewer levels"),
        Some(b'{') => object(scan, levels - 1),
        Some(b'[') => array(scan, levels - 1),
        Some(b'"') => scan.string().map(Value::String),
        _ => bare(scan),
    }
}

fn array<'a>(scan: &mut TextScan<'a>, levels: usize) -> Result<Value<'a>, ReadFault> {
    let mut items = Vec::new();
    scan.eat(b'[');
    if scan.eat(b']') {
        return Ok(Value::Array(items));
    }
    loop {
        items.push(value(scan, levels)?);
        if scan.eat(b']') {
            return Ok(Value::Array(items));
        }
        if !scan.eat(b',') {
            return scan.fail("',' or ']'");
        }
    }
}

fn object<'a>(scan: &mut TextScan<'a>, levels: usize) -> Result<Value<'a>, ReadFault> {
    let mut members = Vec::new();
    scan.eat(b'{');
    if scan.eat(b'}') {
        return Ok(Value::Object(members));
    }
    loop {
        let key = key(scan)?;
        if !scan.eat(b':') {
            return scan.fail("':'");
        }
        members.push((key, value(scan, levels)?));
        if scan.eat(b'}') {
            return Ok(Value::Object(members));
        }
        if !scan.eat(b',') {
            return scan.fail("',' or '}'");
        }
    }
}

/// Reads a key, with or without quotes.
pub(super) fn key<'a>(scan: &mut TextScan<'a>) -> Result<Text<'a>, ReadFault> {
    if scan.peek() == Some(b'"') {
        return scan.string();
    }
    let rest = scan.rest();
    let length = rest.bytes().take_while(|&byte| is_key_byte(byte)).count();
    if length == 0 {
        return scan.fail("a key");
    }
    scan.go(scan.at() + length);
    Ok(Text::plain(&rest[..length]))
}

/// Reads a word, a number or a string without quotes.
fn bare<'a>(scan: &mut TextScan<'a>) -> Result<Value<'a>, ReadFault> {
    let Some(length) = bare::run(scan.rest()) else { return scan.fail("a value") };
    let text = &scan.rest()[..length];
    scan.go(scan.at() + length);
    Ok(match text.as_bytes()[0] {
        b'n' if text == "null" => Value::Null,
        b't' if text == "true" => Value::Bool(true),
        b'f' if text == "false" => Value::Bool(false),
        b'-' | b'0'..=b'9' if number_length(text.as_bytes()) == length => Value::Number(text.into()),
        _ => Value::String(Text::plain(text)),
    })
}
