//! Breaks long lines at the ends of records, so that similar lines can be found in JSON and other texts without line
//! breaks.

/// Ends of records: the most frequent of the first four, else the next.
const RECORDS: [&str; 6] = ["},", "],", "),", "\\n", ">", ","];

/// Fewer pieces have nothing to find.
const MIN_PIECES: usize = 12;

/// Minimum average length of pieces in bytes.
const MIN_PIECE_BYTES: usize = 24;

/// Bytes from which on a line is long.
const LONG_LINE_BYTES: usize = 1000;

/// The string after which a text is broken; `None` if it already consists of lines.
pub(super) fn end(text: &str) -> Option<&'static str> {
    let long: usize = text.split('\n').map(str::len).filter(|length| *length > LONG_LINE_BYTES).sum();
    if long * 2 < text.len() {
        return None;
    }
    let count = |end: &str| {
        let count = text.matches(end).count();
        let is_one = count >= MIN_PIECES
            && text.len() / count >= MIN_PIECE_BYTES
            && !text.contains(&format!("{end}\n"));
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

/// The text before it was broken.
pub(super) fn unfold(text: &str, end: &str) -> String {
    text.replace(&format!("{end}\n"), end)
}
