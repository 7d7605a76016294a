//! Parses the hunks of a diff, and writes the part of them that is shown.

use crate::{omit, signal};

/// The hunks at the start of `text`. Their end follows from the line counts in their headers.
pub(super) fn body(text: &str) -> &str {
    let mut end = 0;
    let mut left = Span { old: 0, new: 0 };
    for line in text.split_inclusive('\n') {
        left = match (line.as_bytes()[0], Header::read(line)) {
            (b'@', Some(header)) if left.is_over() => header.span,
            (b'\\', _) => left,
            _ if left.is_over() => break,
            (b'+', _) => Span { new: left.new.saturating_sub(1), ..left },
            (b'-', _) => Span { old: left.old.saturating_sub(1), ..left },
            (b' ' | b'\n' | b'\r', _) => {
                Span { old: left.old.saturating_sub(1), new: left.new.saturating_sub(1) }
            }
            _ => break,
        };
        end += line.len();
    }
    &text[..end]
}

/// The number of lines of a hunk in the old and in the new file, from its header.
#[derive(Clone, Copy)]
struct Span {
    old: usize,
    new: usize,
}

impl Span {
    /// True when no lines of the hunk are left to read.
    fn is_over(self) -> bool {
        self.old == 0 && self.new == 0
    }
}

/// The number of added and removed lines.
pub(super) fn count(body: &str) -> (usize, usize) {
    body.lines().fold((0, 0), |(added, removed), line| match line.as_bytes().first() {
        Some(b'+') => (added + 1, removed),
        Some(b'-') => (added, removed + 1),
        _ => (added, removed),
    })
}

/// Writes hunks with up to `margin` unchanged lines before the first and after the last change of each. Returns the
/// number of unchanged lines omitted there.
pub(super) fn write(body: &str, margin: usize, out: &mut String) -> usize {
    let lines: Vec<&str> = body.split_inclusive('\n').collect();
    let mut missing = 0;
    for hunk in lines.chunk_by(|_, line| !line.starts_with("@@")) {
        match Header::read(hunk[0]) {
            Some(header) => missing += write_hunk(header, &hunk[1..], margin, out),
            None => hunk.iter().for_each(|line| out.push_str(line)),
        }
    }
    missing
}

fn write_hunk(header: Header<'_>, lines: &[&str], margin: usize, out: &mut String) -> usize {
    let first = lines.iter().position(|line| !is_same(line)).unwrap_or(0);
    let last = lines.iter().rposition(|line| !is_same(line)).unwrap_or(lines.len());
    let start = lines[..first].iter().position(|line| signal::find(line).is_some());
    let start = start.unwrap_or(first).min(first.saturating_sub(margin));
    let end = last.saturating_add(margin).saturating_add(1).min(lines.len());
    let after = lines[end..].iter().rposition(|line| signal::find(line).is_some());
    let end = after.map_or(end, |at| end + at + 1);
    header.write(start, lines.len() - end, out);
    for run in lines[start..end].chunk_by(|one, next| one.as_bytes()[0] == next.as_bytes()[0]) {
        write_run(run, margin, out);
    }
    lines.len() - (end - start)
}

/// A run of removed or unchanged lines with at least this length is reduced to its ends.
const LONG_RUN_LINES: usize = 32;

/// The number of lines kept at either end of such a run.
const END_LINES: usize = 8;

/// Writes a run of lines that have the same sign.
fn write_run(run: &[&str], margin: usize, out: &mut String) {
    let ends = match run[0].as_bytes()[0] {
        b'-' if run.len() >= LONG_RUN_LINES => END_LINES,
        b' ' if run.len() >= LONG_RUN_LINES => margin.clamp(3, END_LINES),
        _ => run.len(),
    };
    let what = if run[0].starts_with('-') { "removed" } else { "unchanged" };
    let mut left = 0;
    for (at, line) in run.iter().enumerate() {
        if at < ends || at + ends >= run.len() || signal::find(&line[1..]).is_some() {
            flush(&mut left, what, out);
            out.push_str(line);
        } else {
            left += 1;
        }
    }
    flush(&mut left, what, out);
}

fn flush(left: &mut usize, what: &str, out: &mut String) {
    if *left > 0 {
        out.extend([&*omit::lines(*left, what), "\n"]);
    }
    *left = 0;
}

/// True for an unchanged line.
fn is_same(line: &str) -> bool {
    !line.starts_with(['+', '-', '\\'])
}

/// A hunk header: `@@ -1,7 +1,8 @@ fn x`.
#[derive(Clone, Copy)]
struct Header<'a> {
    old: usize,
    new: usize,
    span: Span,
    line: &'a str,
    /// The text after the numbers.
    rest: &'a str,
}

impl<'a> Header<'a> {
    fn read(line: &'a str) -> Option<Self> {
        let (numbers, rest) = line.strip_prefix("@@ -")?.split_once(" @@")?;
        let (old, new) = numbers.split_once(" +")?;
        let ((old, olds), (new, news)) = (side(old)?, side(new)?);
        Some(Self { old, new, span: Span { old: olds, new: news }, line, rest })
    }

    /// Writes the header for a hunk without the first `before` and the last `after` lines, which are unchanged.
    fn write(self, before: usize, after: usize, out: &mut String) {
        let gone = before + after;
        if gone == 0 || gone > self.span.old.min(self.span.new) {
            out.push_str(self.line);
            return;
        }
        let (old, new) = (self.old.saturating_add(before), self.new.saturating_add(before));
        let (olds, news) = (self.span.old - gone, self.span.new - gone);
        let numbers = format!("@@ -{old},{olds} +{new},{news} @@");
        out.extend([&numbers, self.rest]);
    }
}

/// Parses the first line and the number of lines: `12,7`, or `12` for one line.
fn side(numbers: &str) -> Option<(usize, usize)> {
    let (start, count) = numbers.split_once(',').unwrap_or((numbers, "1"));
    Some((start.parse().ok()?, count.parse().ok()?))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn render(body: &str, margin: usize) -> String {
        let mut out = String::new();
        write(body, margin, &mut out);
        out
    }

    #[test]
    fn hunks_end_where_their_header_says() {
        for (hunks, rest) in [
            ("@@ -1,2 +1,2 @@ f\n a\n-b\n+c\n", "\ncommit 1\n"),
            ("@@ -1 +1 @@\n-b\n\\ No newline at end of file\n+c\n", "diff --git a b\n"),
            ("@@ -1,2 +0,0 @@\n--- x\n-@@ y\n", "--- a\n"),
            ("@@ -1,3 +1,3 @@\n a\n\n b", ""),
            ("", "@@ -é +1 @@\n"),
        ] {
            assert_eq!(body(&format!("{hunks}{rest}")), hunks);
        }
    }

    #[test]
    fn less_context_is_still_a_true_hunk() {
        assert_eq!(
            render("@@ -10,7 +20,7 @@ fn x\n a\n b\n c\n-d\n+D\n e\n f\n g\n", 1),
            "@@ -12,3 +22,3 @@ fn x\n c\n-d\n+D\n e\n"
        );
        assert_eq!(render("@@ -1,2 +1,3 @@\n a\n+b\n c\n", 1), "@@ -1,2 +1,3 @@\n a\n+b\n c\n");
        let whole = "@@ -1,3 +1,4 @@\n a\n b\n c\n+d\n";
        assert_eq!(render(whole, usize::MAX), whole);
    }

    #[test]
    fn errors_in_context_stay() {
        let hunk = "@@ -1,4 +1,5 @@\n error: x\n b\n c\n d\n+e\n";
        assert_eq!(render(hunk, 1), hunk);
    }
}
