//! Writes unchanged lines inside a form, below a line with their count such as `[2 lines as they came:]`.
//!
//! A count is used instead of an escape character, so that the unchanged lines cannot be mistaken for the form's own
//! notation.

use crate::lines;

/// Splits a text into its lines and its ending: a newline or nothing.
pub(crate) fn lines(text: &str) -> (Vec<&str>, &'static str) {
    match text.strip_suffix('\n') {
        Some(body) => (lines::split(body).collect(), "\n"),
        None => (lines::split(text).collect(), ""),
    }
}

/// Gives `out`, in which every line ends with a newline, the same ending as the original text.
pub(crate) fn finish(mut out: String, end: &str) -> String {
    if end.is_empty() && out.ends_with('\n') {
        out.pop();
    }
    out
}

const OPEN: &str = "[";
const ONE: &str = " line as it came:]";
const MANY: &str = " lines as they came:]";

/// Writes lines below their count. Writes nothing if there are no lines.
pub(crate) fn push(out: &mut String, lines: &[&str]) {
    match lines.len() {
        0 => return,
        1 => out.extend([OPEN, "1", ONE, "\n"]),
        count => out.extend([OPEN, &count.to_string(), MANY, "\n"]),
    }
    for line in lines {
        out.push_str(line);
        out.push('\n');
    }
}

/// The number of unchanged lines below `line`, if `line` states such a count.
pub(crate) fn count(line: &str) -> Option<usize> {
    let line = line.strip_prefix(OPEN)?;
    line.strip_suffix(MANY).or_else(|| line.strip_suffix(ONE))?.parse().ok()
}

/// Moves `count` unchanged lines from `lines` to `out`.
pub(crate) fn copy<'a>(
    out: &mut String,
    count: usize,
    lines: &mut impl Iterator<Item = &'a str>,
) -> Option<()> {
    for _ in 0..count {
        out.push_str(lines.next()?);
        out.push('\n');
    }
    Some(())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn runs_say_their_length() {
        for (run, text) in [
            (&[][..], ""),
            (&["a"][..], "[1 line as it came:]\na\n"),
            (&["", "[2 lines as they came:]"][..], "[2 lines as they came:]\n\n[2 lines as they came:]\n"),
        ] {
            let mut out = String::new();
            push(&mut out, run);
            assert_eq!(out, text);
        }
        assert_eq!((count("[12 lines as they came:]"), count("[1 line as it came:]")), (Some(12), Some(1)));
        for line in ["lines as they came:]", "[x lines as they came:]", "[2 lines as they came:] "] {
            assert_eq!(count(line), None);
        }
    }

    #[test]
    fn ends_are_kept() {
        for text in ["", "\n", "a", "a\n", "a\n\n", "\n\na"] {
            let (lines, end) = lines(text);
            let out: String = lines.iter().flat_map(|line| [line, "\n"]).collect();
            assert_eq!(finish(out, end), text);
        }
    }
}
