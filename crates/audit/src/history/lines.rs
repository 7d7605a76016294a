//! Reads a JSON file that contains one value, or one value per line.

use std::fs::File;
use std::io::{self, BufRead, BufReader, Read};
use std::path::Path;

use serde_json::Value;

/// The maximum length of a line, in bytes. Longer lines are counted and skipped.
pub const MAX_LINE_BYTES: usize = 64 << 20;

/// The values of a file.
#[derive(Debug, Default)]
pub(crate) struct HistoryLines {
    pub(crate) values: Vec<Value>,
    pub(crate) unread: usize,
}

/// Reads all valid values of a file.
pub(crate) fn read(path: &Path) -> io::Result<HistoryLines> {
    let mut reader = BufReader::with_capacity(1 << 20, File::open(path)?);
    let is_one = path.extension().is_some_and(|it| it == "json");
    if is_one {
        let mut text = Vec::new();
        reader.by_ref().take(MAX_LINE_BYTES as u64 + 1).read_to_end(&mut text)?;
        let value = (text.len() <= MAX_LINE_BYTES).then(|| serde_json::from_slice(&text).ok()).flatten();
        let unread = usize::from(value.is_none());
        return Ok(HistoryLines { values: value.into_iter().collect(), unread });
    }
    let (mut lines, mut line) = (HistoryLines::default(), Vec::new());
    while next(&mut reader, &mut line)? {
        let text = line.trim_ascii();
        if text.is_empty() {
            continue;
        }
        match serde_json::from_slice(text) {
            Ok(value @ Value::Object(_)) if text.len() <= MAX_LINE_BYTES => lines.values.push(slim(value)),
            _ => lines.unread += 1,
        }
    }
    Ok(lines)
}

/// Reads a line, truncated if it is too long. False at the end of the file.
fn next(reader: &mut impl BufRead, line: &mut Vec<u8>) -> io::Result<bool> {
    line.clear();
    let mut any = false;
    loop {
        let bytes = reader.fill_buf()?;
        if bytes.is_empty() {
            return Ok(any);
        }
        any = true;
        let end = bytes.iter().position(|byte| *byte == b'\n');
        let taken = end.map_or(bytes.len(), |end| end + 1);
        let room = (MAX_LINE_BYTES + 1).saturating_sub(line.len()).min(taken);
        line.extend_from_slice(&bytes[..room]);
        reader.consume(taken);
        if end.is_some() {
            return Ok(true);
        }
    }
}

/// Removes data that clients store only for themselves and never send. It can make up most of a file.
fn slim(mut value: Value) -> Value {
    if let Some(line) = value.as_object_mut() {
        line.remove("toolUseResult");
        line.remove("snapshot");
    }
    value
}
