//! Breaks long lines where a record ends, so that lines alike can be found in JSON and others that have no lines.

/// What a line may be broken behind, the likeliest first.
const ENDS: [&str; 6] = ["},", "],", "),", "\\n", ">", ","];

/// Fewer pieces hold nothing to be found.
const MIN_PIECES: usize = 12;

/// Pieces are at least so long on the whole.
const MIN_LENGTH: usize = 24;

/// Ways that are tried.
const TRIED: usize = 2;

/// A line is long from here on.
const LONG: usize = 1000;

/// What a text could be broken behind; nothing if it is made of lines.
pub(super) fn ends(text: &str) -> Vec<&'static str> {
    let long: usize = text.split('\n').map(str::len).filter(|length| *length > LONG).sum();
    if long * 2 < text.len() {
        return Vec::new();
    }
    let may = |end: &&&str| {
        let count = text.matches(**end).count();
        count >= MIN_PIECES && text.len() / count >= MIN_LENGTH && !text.contains(&format!("{end}\n"))
    };
    ENDS.iter().filter(may).take(TRIED).copied().collect()
}

pub(super) fn fold(text: &str, end: &str) -> String {
    text.replace(end, &format!("{end}\n"))
}

/// The text that was broken.
pub(super) fn unfold(text: &str, end: &str) -> String {
    text.replace(&format!("{end}\n"), end)
}
