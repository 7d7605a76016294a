//! Lines that a form carries as they came: `2 other lines:`, and then the two.
//!
//! A count, not an escape sign: nothing inside the run can be taken for the form's own notation.

/// The lines of a text, and what stands behind the last: a newline or nothing.
pub(super) fn lines(text: &str) -> (Vec<&str>, &'static str) {
    match text.strip_suffix('\n') {
        Some(body) => (body.split('\n').collect(), "\n"),
        None => (text.split('\n').collect(), ""),
    }
}

/// Ends what was written with a newline after every line as the text ended.
pub(super) fn finish(mut out: String, end: &str) -> String {
    if end.is_empty() && out.ends_with('\n') {
        out.pop();
    }
    out
}

/// Writes a run of lines below its length; no lines are nothing.
pub(super) fn push(out: &mut String, lines: &[&str]) {
    match lines.len() {
        0 => return,
        1 => out.push_str("1 other line:\n"),
        count => {
            out.push_str(&count.to_string());
            out.push_str(" other lines:\n");
        }
    }
    for line in lines {
        out.push_str(line);
        out.push('\n');
    }
}

/// How many lines follow as they came, if `line` says so.
pub(super) fn count(line: &str) -> Option<usize> {
    let number = line.strip_suffix(" other lines:").or_else(|| line.strip_suffix(" other line:"))?;
    number.parse().ok()
}

/// Moves a run from `lines` to `out`.
pub(super) fn copy<'a>(
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
            (&["a"][..], "1 other line:\na\n"),
            (&["", "2 other lines:"][..], "2 other lines:\n\n2 other lines:\n"),
        ] {
            let mut out = String::new();
            push(&mut out, run);
            assert_eq!(out, text);
        }
        assert_eq!((count("12 other lines:"), count("1 other line:")), (Some(12), Some(1)));
        assert_eq!(
            (count("other lines:"), count("x other lines:"), count("2 other lines: ")),
            (None, None, None)
        );
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
