//! Reads and writes server-sent events.

use std::borrow::Cow;

use memchr::memchr2;

/// The `data` lines of an event, joined by newlines; `None` when there are none, as in a comment.
pub(crate) fn data(raw: &[u8]) -> Option<Cow<'_, [u8]>> {
    let mut lines = fields(b"data", raw);
    let first = lines.next()?;
    let mut all = Cow::Borrowed(first);
    for line in lines {
        let all = all.to_mut();
        all.push(b'\n');
        all.extend_from_slice(line);
    }
    Some(all)
}

/// The name of an event; if there are several `event` lines, the last one counts.
pub(crate) fn name(raw: &[u8]) -> Option<&str> {
    str::from_utf8(fields(b"event", raw).last()?).ok()
}

/// Appends the event with this data instead of its own; its other lines and its line endings stay unchanged.
pub(crate) fn change(raw: &[u8], data: &[u8], out: &mut Vec<u8>) {
    let mut is_put = false;
    for (line, end) in lines_with_ends(raw) {
        if !line.starts_with(b"data:") {
            out.extend_from_slice(&[line, end].concat());
        } else if !is_put {
            is_put = true;
            for line in data.split(|byte| *byte == b'\n') {
                out.extend_from_slice(&[b"data: ", line, end].concat());
            }
        }
    }
}

/// Appends an event with this name and data.
pub(crate) fn write(name: &str, data: &str, out: &mut Vec<u8>) {
    out.extend_from_slice(format!("event: {name}\ndata: {data}\n\n").as_bytes());
}

/// The values of the lines with this field name.
fn fields<'a>(name: &'a [u8], raw: &'a [u8]) -> impl Iterator<Item = &'a [u8]> {
    let lines = raw.split(|byte| *byte == b'\n' || *byte == b'\r').filter(|line| !line.is_empty());
    lines.filter_map(move |line| {
        let value = line.strip_prefix(name)?.strip_prefix(b":")?;
        Some(value.strip_prefix(b" ").unwrap_or(value))
    })
}

/// Splits an event into lines, each with its line ending.
fn lines_with_ends(mut raw: &[u8]) -> Vec<(&[u8], &[u8])> {
    let mut lines = Vec::new();
    while !raw.is_empty() {
        let at = memchr2(b'\n', b'\r', raw).unwrap_or(raw.len());
        let (line, rest) = raw.split_at(at);
        let long = if rest.starts_with(b"\r\n") { 2 } else { rest.len().min(1) };
        let (end, rest) = rest.split_at(long);
        lines.push((line, end));
        raw = rest;
    }
    lines
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn fields_are_read() {
        let raw = b"event: message\r\nid: 1\r\ndata: {\"a\":\r\ndata:1}\r\n\r\n";
        assert_eq!(data(raw).as_deref(), Some(b"{\"a\":\n1}".as_slice()));
        assert_eq!(name(raw), Some("message"));
        assert_eq!((data(b": ping\n\n"), name(b": ping\n\n")), (None, None));
        assert_eq!(data(b"data\n\n"), None);
    }
}
