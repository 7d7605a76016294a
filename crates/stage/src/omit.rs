//! Writes the markers for omitted text: `[12 lines left out: passing tests]`.

use std::borrow::Cow;

/// The marker for `count` omitted lines, which `what` describes.
pub(crate) fn lines(count: usize, what: &str) -> String {
    things(count, if count == 1 { "line" } else { "lines" }, what)
}

/// The marker for `count` omitted items. `unit` is the word for them, and `what` describes them.
pub(crate) fn things(count: usize, unit: &str, what: &str) -> String {
    let colon = if what.is_empty() { "" } else { ": " };
    format!("[{count} {unit} left out{colon}{what}]")
}

/// The marker for omitted lines, with the line numbers by which they can be fetched.
pub(crate) fn numbered_lines(first: usize, last: usize) -> String {
    if first == last {
        format!("[line {first} left out]")
    } else {
        format!("[lines {first}-{last} left out]")
    }
}

/// Like `numbered_lines`, for part of a file that begins at line `start`. Also gives the line numbers in the file.
pub(crate) fn numbered_in_file(start: usize, first: usize, last: usize) -> String {
    let place = |line: usize| start.saturating_add(line - 1);
    let words = numbered_lines(first, last);
    let words = words.trim_end_matches(']');
    if first == last {
        format!("{words}: {} of the file]", place(first))
    } else {
        format!("{words}: {}-{} of the file]", place(first), place(last))
    }
}

/// The minimum number of bytes to cut off a line; fewer bytes cost no more than their marker.
const MIN_REST_BYTES: usize = 40;

/// Shortens a line that is much longer than `width` bytes. Cuts it at the end of a word if possible, and appends a note
/// of how much is missing.
pub(crate) fn clip(line: &str, width: usize) -> Cow<'_, str> {
    if line.len() <= width + MIN_REST_BYTES {
        return Cow::Borrowed(line);
    }
    let end = line.floor_char_boundary(width);
    let end = line[..end].rfind(' ').filter(|at| at * 4 > end * 3).unwrap_or(end);
    Cow::Owned(format!("{} [{} more characters left out]", &line[..end], line[end..].chars().count()))
}

/// Joins the kept lines, and replaces each gap with a marker that `what` describes. Keeps a gap of fewer than
/// `min_bytes` bytes, which is not worth a marker.
pub(crate) fn gaps<'w>(
    lines: &[&str],
    kept: &[bool],
    min_bytes: usize,
    what: impl Fn(&[&str]) -> Cow<'w, str>,
) -> String {
    let mut out = String::new();
    let mut at = 0;
    for run in kept.chunk_by(|one, two| one == two) {
        let part = &lines[at..at + run.len()];
        at += run.len();
        if run[0] || part.iter().map(|line| line.len()).sum::<usize>() < min_bytes {
            out.extend(part.iter().copied());
        } else {
            out.push_str(&self::lines(run.len(), &what(part)));
            out.push('\n');
        }
    }
    out
}

/// The number of leading lines that fit into `bytes`.
pub(crate) fn lines_within<'a>(lines: impl Iterator<Item = &'a &'a str>, bytes: usize) -> usize {
    let sums = lines.scan(0, |sum, line| {
        *sum += line.len();
        Some(*sum)
    });
    sums.take_while(|sum| *sum <= bytes).count()
}

/// True when `line` looks like a marker, which should stay unchanged.
pub(crate) fn is_marker(line: &str) -> bool {
    line.starts_with('[') && line.contains(" left out")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn it_says_how_much_and_of_what() {
        assert_eq!(lines(1, "progress"), "[1 line left out: progress]");
        assert_eq!(lines(290, "passing tests"), "[290 lines left out: passing tests]");
        assert_eq!(things(40, "records", ""), "[40 records left out]");
        assert_eq!(numbered_in_file(200, 1, 1), "[line 1 left out: 200 of the file]");
        assert_eq!(numbered_in_file(200, 21, 80), "[lines 21-80 left out: 220-279 of the file]");
    }
}
