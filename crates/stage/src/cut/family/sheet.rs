//! Writes a text without some of its lines, and puts one marker in place of each omitted run.

use std::fmt::Write;

use crate::{omit, signal};

/// Writes the output from the lines of a text, which it receives in order, each with its line ending.
pub(super) struct Sheet<'a> {
    text: &'a str,
    out: String,
    /// The position of the next line in `text`.
    next: usize,
    run: Run<'a>,
    shorter: bool,
}

/// A run of lines, some or all of which are omitted.
#[derive(Default)]
struct Run<'a> {
    start: usize,
    /// The lines of the run that are kept, in order.
    heads: Vec<&'a str>,
    /// The descriptions of omitted lines, each with the number of such lines.
    kinds: Vec<(&'static str, usize)>,
    bytes: usize,
}

/// The omitted lines of a run must be at least this many times as long as the marker.
const MIN_MARKER_RATIO: usize = 2;

impl<'a> Sheet<'a> {
    pub(super) fn new(text: &'a str) -> Self {
        Self { text, out: String::with_capacity(text.len()), next: 0, run: Run::default(), shorter: false }
    }

    /// Keeps the line, and ends the current run.
    pub(super) fn keep(&mut self, line: &'a str) {
        self.close();
        self.out.push_str(line);
        self.next += line.len();
        self.run.start = self.next;
    }

    /// Keeps the line, above the marker of the current run.
    pub(super) fn head(&mut self, line: &'a str) {
        self.run.heads.push(line);
        self.next += line.len();
    }

    /// Omits the line, unless it reports an error.
    pub(super) fn omit(&mut self, line: &'a str, what: &'static str) {
        if signal::find(line).is_some() {
            return self.head(line);
        }
        self.drop(line, what);
    }

    /// Omits the line even if it reports an error, because it is shown elsewhere.
    pub(super) fn drop(&mut self, line: &'a str, what: &'static str) {
        match self.run.kinds.iter_mut().find(|(kind, _)| *kind == what) {
            Some((_, count)) => *count += 1,
            None => self.run.kinds.push((what, 1)),
        }
        self.run.bytes += line.len();
        self.next += line.len();
    }

    /// True when the previous line is part of a run.
    pub(super) fn runs(&self) -> bool {
        self.next > self.run.start
    }

    /// The output, if anything was omitted.
    pub(super) fn finish(mut self) -> Option<String> {
        self.close();
        self.shorter.then_some(self.out)
    }

    /// Ends the run. It is shortened if that saves enough, else written unchanged.
    fn close(&mut self) {
        if !self.runs() {
            return;
        }
        let stood = &self.text[self.run.start..self.next];
        let mark = self.run.mark();
        if self.run.bytes >= mark.len() * MIN_MARKER_RATIO {
            self.shorter = true;
            self.out.extend(self.run.heads.drain(..));
            self.out.push_str(&mark);
            self.out.push_str(if stood.ends_with('\n') { "\n" } else { "" });
        } else {
            self.out.push_str(stood);
        }
        self.run = Run { start: self.next, ..Run::default() };
    }
}

impl Run<'_> {
    /// The marker for the omitted lines.
    fn mark(&self) -> String {
        let total = self.kinds.iter().map(|(_, count)| count).sum();
        let mut what = String::new();
        for (kind, count) in &self.kinds {
            let comma = if what.is_empty() { "" } else { ", " };
            let _ = match self.kinds.len() {
                1 => write!(what, "{kind}"),
                _ => write!(what, "{comma}{kind} ({count})"),
            };
        }
        omit::lines(total, &what)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Writes lines according to their first character: `-` and `+` are omitted, `^` is kept above the marker, others
    /// are kept.
    fn write(text: &str) -> Option<String> {
        let mut sheet = Sheet::new(text);
        for line in text.split_inclusive('\n') {
            match line.as_bytes().first() {
                Some(b'-') => sheet.omit(line, "minus"),
                Some(b'+') => sheet.omit(line, "plus"),
                Some(b'^') => sheet.head(line),
                _ => sheet.keep(line),
            }
        }
        sheet.finish()
    }

    fn long(sign: &str) -> String {
        format!("{sign} {}\n", "x".repeat(90))
    }

    #[test]
    fn runs_become_one_line() {
        let (minus, plus) = (long("-"), long("+"));
        for (text, expected) in [
            (format!("a\n{minus}{minus}b\r\n"), "a\n[2 lines left out: minus]\nb\r\n"),
            (format!("{minus}{plus}{minus}é"), "[3 lines left out: minus (2), plus (1)]\né"),
            (format!("^a\n{minus}^b\n{minus}c"), "^a\n^b\n[2 lines left out: minus]\nc"),
            (format!("a\n{}", minus.trim_end()), "a\n[1 line left out: minus]"),
        ] {
            assert_eq!(write(&text).as_deref(), Some(expected));
        }
    }

    #[test]
    fn what_is_no_longer_than_its_mark_stays() {
        for text in ["", "a\nb", "- a\n- b\nc\n", "^a\n^b", "[2 lines left out: minus]\n- x"] {
            assert_eq!(write(text), None, "{text}");
        }
        let text = format!("- a\r\nb\n{}", long("+"));
        assert_eq!(write(&text).as_deref(), Some("- a\r\nb\n[1 line left out: plus]\n"));
    }

    #[test]
    fn errors_stay() {
        let text = format!("{}- error: bad\n{}", long("-"), long("-"));
        assert_eq!(write(&text).as_deref(), Some("- error: bad\n[2 lines left out: minus]\n"));
    }
}
