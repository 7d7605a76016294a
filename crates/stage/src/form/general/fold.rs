//! Breaks long lines at the ends of records, so that similar lines can also be found in JSON and other texts without
//! line breaks.

use crate::lines;

/// Strings that end records: the most frequent of the first four is used; if none fits, the more frequent of the last
/// two.
const RECORDS: [&str; 6] = ["},", "],", "),", "\\n", ">", ","];

/// The minimum number of pieces; fewer pieces are not worth a search.
const MIN_PIECES: usize = 12;

/// The minimum average length of pieces in bytes.
const MIN_PIECE_BYTES: usize = 24;

/// Lines of more bytes than this are long.
const LONG_LINE_BYTES: usize = 1000;

/// The string after which the lines of a text are broken; `None` if the text has few long lines.
pub(super) fn end(text: &str) -> Option<&'static str> {
    let long: usize = lines::split(text).map(str::len).filter(|length| *length > LONG_LINE_BYTES).sum();
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

/// Removes the line ends that `fold` inserted.
pub(super) fn unfold(text: &str, end: &str) -> String {
    text.replace(&format!("{end}\n"), end)
}
