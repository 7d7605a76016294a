//! Decodes the terse form.

mod complete;
mod facts;
mod rows;

use self::facts::Facts;
use super::style::ListStyle;
use super::{flow, words};
use crate::error::ReadFault;
use crate::scan::TextScan;
use crate::{DecodeError, MAX_DEPTH, Text, Value};

/// Reads one document in the terse form.
///
/// # Errors
/// Fails if the text is not exactly one document as defined in `spec/terse.md`.
pub fn decode(text: &str) -> Result<Value<'_>, DecodeError> {
    document(text).map_err(|fault| fault.within(text))
}

fn document(text: &str) -> Result<Value<'_>, ReadFault> {
    let mut scan = TextScan::new(text);
    let value = root(&mut scan)?;
    if scan.peek().is_some() {
        return scan.fail("the end of the document");
    }
    Ok(value)
}

fn root<'a>(scan: &mut TextScan<'a>) -> Result<Value<'a>, ReadFault> {
    if let Some((count, style)) = intro(scan) {
        return list(scan, (count, style), 0);
    }
    match scan.peek() {
        Some(b'{' | b'[') => flow::value(scan, MAX_DEPTH),
        _ if is_member(scan.text()) => members(scan, 0),
        _ => scan.scalar(),
    }
}

/// True when the text starts with a key and its colon.
fn is_member(text: &str) -> bool {
    let mut scan = TextScan::new(text);
    flow::key(&mut scan).is_ok() && scan.peek() == Some(b':')
}

/// Reads an introduction such as `12 rows` and its line break, if the text continues with one.
fn intro(scan: &mut TextScan<'_>) -> Option<(usize, ListStyle)> {
    if !scan.peek()?.is_ascii_digit() {
        return None;
    }
    let rest = scan.rest();
    let line = &rest[..rest.find('\n')?];
    let intro = ListStyle::intro(line)?;
    scan.go(scan.at() + line.len() + 1);
    Some(intro)
}

/// Reads the members of an object; each is on its own line, indented by `depth` spaces.
fn members<'a>(scan: &mut TextScan<'a>, depth: usize) -> Result<Value<'a>, ReadFault> {
    if depth == MAX_DEPTH {
        return scan.fail("fewer levels");
    }
    let mut members = Vec::new();
    loop {
        scan.go(scan.at() + depth);
        let key = flow::key(scan)?;
        members.push((key, member(scan, depth)?));
        if !ends_line_before(scan, depth)? {
            return Ok(Value::Object(members));
        }
    }
}

/// Reads the value after a key: members on the lines below, a list, or a value on the same line.
fn member<'a>(scan: &mut TextScan<'a>, depth: usize) -> Result<Value<'a>, ReadFault> {
    if scan.eat_word(":\n") {
        if indent(scan) != depth + 1 {
            return scan.fail("members one space further in");
        }
        return members(scan, depth + 1);
    }
    if !scan.eat_word(": ") {
        return scan.fail("': ' or ':' and the line's end");
    }
    match intro(scan) {
        Some(intro) => list(scan, intro, depth + 1),
        None => flow::value(scan, MAX_DEPTH - depth - 1),
    }
}

/// At the end of a line, checks whether the next line contains a member at `depth`; if so, skips the line break and
/// returns true.
fn ends_line_before(scan: &mut TextScan<'_>, depth: usize) -> Result<bool, ReadFault> {
    let end = scan.at();
    if scan.peek().is_none() {
        return Ok(false);
    }
    if !scan.eat(b'\n') {
        return scan.fail("the end of the line");
    }
    match indent(scan) {
        found if found == depth => Ok(true),
        found if found < depth => {
            scan.go(end);
            Ok(false)
        }
        _ => scan.fail("a member no further in"),
    }
}

fn indent(scan: &TextScan<'_>) -> usize {
    scan.rest().bytes().take_while(|&byte| byte == b' ').count()
}

/// Reads the values of an array; each follows its number, and is indented by `depth` spaces.
fn items<'a>(scan: &mut TextScan<'a>, count: usize, depth: usize) -> Result<Value<'a>, ReadFault> {
    let mut items = Vec::new();
    for number in 1..=count {
        if number > 1 && !scan.eat(b'\n') {
            return scan.fail(format!("item {number}"));
        }
        if indent(scan) != depth {
            return scan.fail(format!("item {number}"));
        }
        scan.go(scan.at() + depth);
        if !scan.eat_word(&format!("{}{number}", words::ITEM)) {
            return scan.fail(format!("item {number}"));
        }
        items.push(member(scan, depth)?);
    }
    Ok(Value::Array(items))
}

/// Reads the values of a list at `depth`.
fn list<'a>(
    scan: &mut TextScan<'a>,
    (count, style): (usize, ListStyle),
    depth: usize,
) -> Result<Value<'a>, ReadFault> {
    let levels = MAX_DEPTH - depth;
    if levels < 2 {
        return scan.fail("fewer levels");
    }
    if style == ListStyle::Items {
        return items(scan, count, depth);
    }
    let start = scan.at();
    let mut facts = Facts::read(scan, style)?;
    let columns = if style.has_header() { rows::header(scan, style)? } else { Vec::new() };
    facts.adopt(&columns);
    let mut keys: Vec<Text<'a>> = Vec::new();
    let mut records = Vec::new();
    for index in 0..count {
        if index > 0 && !scan.eat(b'\n') {
            return scan.fail(format!("{} more {}", count - index, style.words()));
        }
        if style.is_keyed() {
            keys.push(flow::key(scan)?);
            if !scan.eat_word(": ") {
                return scan.fail("': '");
            }
        }
        records.push(record(scan, style, &columns, levels - 1)?);
    }
    if !matches!(scan.peek(), None | Some(b'\n')) {
        return scan.fail("the end of the line");
    }
    let records = facts.complete(scan, start, records)?;
    let fits = records.iter().all(|record| record.within(levels - 1));
    match style {
        _ if !fits => scan.fail("fewer levels"),
        ListStyle::Rows | ListStyle::Records => Ok(Value::Array(records)),
        _ => Ok(Value::Object(keys.into_iter().zip(records).collect())),
    }
}

fn record<'a>(
    scan: &mut TextScan<'a>,
    style: ListStyle,
    columns: &[rows::HeaderColumn<'a>],
    levels: usize,
) -> Result<Value<'a>, ReadFault> {
    if style.has_header() {
        return rows::row(scan, columns, levels).map(Value::Object);
    }
    if scan.peek() != Some(b'{') {
        return scan.fail("a record in braces");
    }
    flow::value(scan, levels)
}

/// Reads the rest of the line, and skips the line break.
fn rest_of_line<'a>(scan: &mut TextScan<'a>) -> Result<&'a str, ReadFault> {
    let rest = scan.rest();
    let Some(length) = rest.find('\n') else {
        scan.go(scan.text().len());
        return scan.fail("records on the lines below");
    };
    scan.go(scan.at() + length + 1);
    Ok(&rest[..length])
}
