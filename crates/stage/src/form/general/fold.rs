//! Breaks long lines where a record ends, so that lines alike can be found in JSON and others that have no lines.

/// What a record may end with: of the first four the one that comes most often, else the next.
const RECORDS: [&str; 6] = ["},", "],", "),", "\\n", ">", ","];

/// Fewer pieces hold nothing to be found.
const MIN_PIECES: usize = 12;

/// Pieces are at least so long on the whole.
const MIN_LENGTH: usize = 24;

/// A line is long from here on.
const LONG: usize = 1000;

/// What a text is broken behind; nothing if it is made of lines.
pub(super) fn end(text: &str) -> Option<&'static str> {
    let long: usize = text.split('\n').map(str::len).filter(|length| *length > LONG).sum();
    if long * 2 < text.len() {
        return None;
    }
    let count = |end: &str| {
        let count = text.matches(end).count();
        let is_one =
            count >= MIN_PIECES && text.len() / count >= MIN_LENGTH && !text.contains(&format!("{end}\n"));
        if is_one { count } else { 0 }
    };
    let most = |ends: &[&'static str]| {
        let counted = ends.iter().rev().map(|end| (count(end), *end));
        counted.max_by_key(|(count, _)| *count).filter(|(count, _)| *count > 0).map(|(_, end)| end)
    };
    RECORDS.chunks(4).find_map(most)
}

pub(super) fn fold(text: &str, end: &str) -> String {
    text.replace(end, &format!("{end}\n"))
}

/// The text that was broken.
pub(super) fn unfold(text: &str, end: &str) -> String {
    text.replace(&format!("{end}\n"), end)
}
