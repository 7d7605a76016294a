//! Cuts the middle out of long strings.

use tersely_codec::{Text, Value};

use crate::cut::excerpt::blob;
use crate::{omit, signal};

/// A document with at least this many strings is more than a wrapper around one text.
const MIN_RECORD_STRINGS: usize = 16;

/// Shortens the strings of a value that are longer than `most` bytes.
pub(super) fn shorten_all(value: &mut Value<'_>, most: usize) {
    let (mut longest, mut size, mut all) = (0, 0, 0);
    each(value, &mut |text| {
        let length = text.as_str().len();
        size += length;
        all += 1;
        longest = longest.max(length);
    });
    // A string that makes up most of a document is the result itself, and other stages shorten it. In a document with
    // many strings, it is part of a record.
    if 2 * longest > size && all < MIN_RECORD_STRINGS {
        return;
    }
    each(value, &mut |text| {
        if text.as_str().len() > most
            && let Some(cut) = text.value().and_then(|text| shorten(&text, most))
        {
            *text = Text::of(&cut).into_owned();
        }
    });
}

/// The length of the longest string in a value.
pub(super) fn longest(value: &mut Value<'_>) -> usize {
    let mut longest = 0;
    each(value, &mut |text| longest = longest.max(text.as_str().len()));
    longest
}

/// Shortens values that nobody reads, such as digests and keys.
pub(super) fn blobs(value: &mut Value<'_>) {
    each(value, &mut |text| {
        if let Some(cut) = blob::shorten(text.as_str()) {
            *text = Text::of(&cut).into_owned();
        }
    });
}

/// Calls `act` for every string in a value.
fn each<'v>(value: &mut Value<'v>, act: &mut impl FnMut(&mut Text<'v>)) {
    match value {
        Value::String(text) => act(text),
        Value::Array(items) => items.iter_mut().for_each(|item| each(item, act)),
        Value::Object(members) => members.iter_mut().for_each(|(_, value)| each(value, act)),
        _ => {}
    }
}

/// The number of bytes kept of a string without words.
const WORDLESS_BYTES: usize = 80;

/// Keeps both ends of a text and the errors between them. Returns `None` when that does not shorten the text.
fn shorten(text: &str, limit: usize) -> Option<String> {
    // The text may be short enough even if its JSON string is not, because escapes make the string longer.
    if text.len() <= limit {
        return None;
    }
    let (head, tail) = if is_wordless(text) { (WORDLESS_BYTES, 0) } else { (limit * 3 / 5, limit / 5) };
    let head = head_end(text, head);
    let tail = tail_start(text, tail);
    let mut out = text[..head].to_owned();
    let mut end = head;
    for signal in signal::signals(&text[head..tail]) {
        let words = head + signal.words.start;
        let from = (head + signal.line.start)
            .max(text.floor_char_boundary(words.saturating_sub(MAX_ERROR_LINE_BYTES / 2)));
        let to = (head + signal.line.end).min(text.ceil_char_boundary(words + MAX_ERROR_LINE_BYTES));
        push_gap(&mut out, &text[end..from]);
        out.push_str(&text[from..to]);
        end = to;
    }
    push_gap(&mut out, &text[end..tail]);
    out.push_str(&text[tail..]);
    (out.len() < text.len()).then_some(out)
}

/// Maximum number of bytes kept of a line with an error.
const MAX_ERROR_LINE_BYTES: usize = 240;

/// A gap with fewer characters is not worth a note.
const MIN_GAP_BYTES: usize = 120;

/// Writes a note that `gap` is missing, or writes `gap` itself if it is short.
fn push_gap(out: &mut String, gap: &str) {
    let count = gap.chars().count();
    if count < MIN_GAP_BYTES {
        out.push_str(gap);
        return;
    }
    // In a text of several lines, the note is on a separate line.
    out.push_str(if gap.contains('\n') && !out.ends_with('\n') { "\n" } else { "" });
    out.push_str(&omit::things(count, "characters", ""));
    out.push_str(if gap.contains('\n') { "\n" } else { "" });
}

/// True for keys, images and similar data, which contain no separators.
fn is_wordless(text: &str) -> bool {
    let start = &text.as_bytes()[..text.len().min(300)];
    !start.iter().any(u8::is_ascii_whitespace) && start.is_ascii()
}

/// The end of a head of about `size` bytes, moved to a line end or word end if one is near.
fn head_end(text: &str, size: usize) -> usize {
    let end = text.floor_char_boundary(size);
    let head = &text[..end];
    let near = |at: &usize| *at > end * 3 / 4;
    let line = head.rfind('\n').map(|at| at + 1).filter(near);
    line.or_else(|| head.rfind(' ').map(|at| at + 1).filter(near)).unwrap_or(end)
}

/// The start of a tail of about `size` bytes, moved to a line start or word start if one is near.
fn tail_start(text: &str, size: usize) -> usize {
    let start = text.ceil_char_boundary(text.len() - size);
    let tail = &text[start..];
    let near = |at: &usize| *at < size / 4;
    let line = tail.find('\n').map(|at| at + 1).filter(near);
    start + line.or_else(|| tail.find(' ').map(|at| at + 1).filter(near)).unwrap_or(0)
}
