//! The line that stands where something was left out: `[12 lines left out: passing tests]`.

use std::borrow::Cow;

/// Says that `count` lines of `what` are missing here.
pub(crate) fn lines(count: usize, what: &str) -> String {
    things(count, if count == 1 { "line" } else { "lines" }, what)
}

/// Says that `count` of `unit` are missing here.
pub(crate) fn things(count: usize, unit: &str, what: &str) -> String {
    let colon = if what.is_empty() { "" } else { ": " };
    format!("[{count} {unit} left out{colon}{what}]")
}

/// Says which lines of the original are missing here, by the numbers by which they can be asked for.
pub(crate) fn numbered(first: usize, last: usize) -> String {
    if first == last {
        format!("[line {first} left out]")
    } else {
        format!("[lines {first}-{last} left out]")
    }
}

/// The same where the original is a part of a file: also by the numbers in the file, whose first line shown is `start`.
pub(crate) fn numbered_in_file(start: usize, first: usize, last: usize) -> String {
    let place = |line: usize| start.saturating_add(line - 1);
    let words = numbered(first, last);
    let words = words.trim_end_matches(']');
    if first == last {
        format!("{words}: {} of the file]", place(first))
    } else {
        format!("{words}: {}-{} of the file]", place(first), place(last))
    }
}

/// True for a line that says that something is missing here.
pub(crate) fn is_mark(line: &str) -> bool {
    let line = line.trim();
    line.starts_with('[') && line.ends_with(']') && line.contains(" left out")
}

/// A shorter rest of a line costs as much as the words that stand for it.
const MIN_REST: usize = 40;

/// The beginning of a line that is much longer than `width` bytes, up to the end of a word, and how much is missing.
pub(crate) fn clip(line: &str, width: usize) -> Cow<'_, str> {
    if line.len() <= width + MIN_REST {
        return Cow::Borrowed(line);
    }
    let end = line.floor_char_boundary(width);
    let end = line[..end].rfind(' ').filter(|at| at * 4 > end * 3).unwrap_or(end);
    Cow::Owned(format!("{} [{} more characters left out]", &line[..end], line[end..].chars().count()))
}

/// The lines that stay, with what is missing between them, as `what` says of it; a shorter gap than `least` bytes is not
/// worth its mark.
pub(crate) fn gaps<'w>(
    lines: &[&str],
    kept: &[bool],
    least: usize,
    what: impl Fn(&[&str]) -> Cow<'w, str>,
) -> String {
    let mut out = String::new();
    let mut at = 0;
    for run in kept.chunk_by(|one, two| one == two) {
        let part = &lines[at..at + run.len()];
        at += run.len();
        if run[0] || part.iter().map(|line| line.len()).sum::<usize>() < least {
            out.extend(part.iter().copied());
        } else {
            out.push_str(&self::lines(run.len(), &what(part)));
            out.push('\n');
        }
    }
    out
}

/// True when `line` looks like such a line, which should stay as it is.
pub(crate) fn is_said(line: &str) -> bool {
    line.starts_with('[') && (line.contains(" left out") || line.contains(" left out"))
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
