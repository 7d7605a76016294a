//! Finds lines that report an error, which no cut may omit.

use crate::lines;

use std::cell::LazyCell;
use std::collections::HashSet;
use std::iter::Peekable;
use std::ops::Range;
use std::sync::LazyLock;

use regex::{Matches, Regex};

/// A line that contains an error signal.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Signal {
    /// The line's range, without its line end.
    pub line: Range<usize>,
    /// The range of the words that are the error signal.
    pub words: Range<usize>,
}

/// Finds the lines of `text` that contain an error signal, in order.
pub fn signals(text: &str) -> impl Iterator<Item = Signal> {
    let (mut likely, mut next) = (LikelyPlaces::of(text), 0);
    lines::split_inclusive(text).filter_map(move |line| {
        let start = next;
        next += line.len();
        let line = line.strip_suffix('\n').unwrap_or(line).trim_end_matches('\r');
        let words = if likely.are_before(start, start + line.len()) { find(line) } else { opening(line) }?;
        Some(Signal { line: start..start + line.len(), words: start + words.start..start + words.end })
    })
}

/// The places of a text at which a signal may be, found in one search of the whole text. Every signal contains one of
/// the strings that are searched for; openings are not among them.
struct LikelyPlaces<'t>(Option<Peekable<Matches<'static, 't>>>);

static LIKELY: LazyLock<Option<Regex>> = LazyLock::new(|| {
    let parts =
        "rror|RROR|panicked at|Traceback |Exception|FAIL|ssertion|Segmentation|npm ERR|FATAL|CRITICAL";
    Regex::new(parts).ok()
});

impl<'t> LikelyPlaces<'t> {
    fn of(text: &'t str) -> Self {
        Self(LIKELY.as_ref().map(|likely| likely.find_iter(text).peekable()))
    }

    /// True when one of the places from `start` on is before `end`. Ranges are asked for in order.
    fn are_before(&mut self, start: usize, end: usize) -> bool {
        let Some(places) = &mut self.0 else { return true };
        while places.next_if(|place| place.start() < start).is_some() {}
        places.peek().is_some_and(|place| place.start() < end)
    }
}

/// True when every line of `before` that contains an error signal is still in `after`.
#[must_use]
pub fn all_kept(before: &str, after: &str) -> bool {
    lost_errors(before, after).next().is_none()
}

/// The lines of `before` that report an error and are missing from `after`.
pub fn lost_errors<'b>(before: &'b str, after: &str) -> impl Iterator<Item = &'b str> {
    // Computed only when needed, because most texts report no errors.
    let kept: LazyCell<HashSet<&str>, _> =
        LazyCell::new(move || lines::lines(after).map(str::trim).collect());
    let mut strays = MAX_STRAYS;
    // If `after` does not contain the line as a whole line, it is searched for within other lines, a limited number of
    // times.
    let mut within = move |line: &str| {
        strays = usize::saturating_sub(strays, 1);
        strays > 0 && after.contains(line)
    };
    signals(before)
        .map(|signal| before[signal.line].trim())
        .filter(move |line| !kept.contains(line) && !within(line))
}

/// The maximum number of lines that are searched for within other lines.
const MAX_STRAYS: usize = 256;

/// Prefixes of error lines; upper and lower case are equal.
const OPENINGS: [&str; 3] = ["error", "fatal:", "panic"];

/// Error signals, case-sensitive. `ERROR` and the signals after it must be whole words.
const SIGNALS: [&str; 18] = [
    "error:",
    "Error:",
    // Log levels.
    "[error]",
    "level=error",
    // Compilers and linters that print the name of a rule after the word "error".
    ": error ",
    "  error  ",
    "panicked at",
    "Traceback (most recent call last)",
    "Exception",
    "FAILED",
    "assertion",
    "Assertion",
    "Segmentation fault",
    "npm ERR!",
    "ERROR",
    "FATAL",
    "FAIL",
    "CRITICAL",
];

/// The index of the first signal that must be a whole word.
const FIRST_WORD_SIGNAL: usize = 14;

/// The number of leading bytes that are looked up in `PROBES`.
const PROBED_BYTES: usize = 3;

/// For each of the leading positions and each byte, the signals with that byte there. Most positions are ruled out at
/// once.
const PROBES: [[u32; 256]; PROBED_BYTES] = {
    let mut glances = [[0; 256]; PROBED_BYTES];
    let mut at = 0;
    while at < PROBED_BYTES {
        let mut words = 0;
        while words < SIGNALS.len() {
            glances[at][SIGNALS[words].as_bytes()[at] as usize] |= 1 << words;
            words += 1;
        }
        at += 1;
    }
    glances
};

/// The range of the first error signal in `line`.
#[must_use]
pub fn find(line: &str) -> Option<Range<usize>> {
    opening(line).or_else(|| {
        let bytes = line.as_bytes();
        (0..bytes.len()).find_map(|at| Some(at..at + signal_length(bytes, at)?))
    })
}

/// The range of the opening that `line` begins with, behind its indentation.
fn opening(line: &str) -> Option<Range<usize>> {
    let rest = line.trim_start();
    if !rest.starts_with(['e', 'E', 'f', 'F', 'p', 'P']) {
        return None;
    }
    let opening = OPENINGS.iter().find(|opening| begins(rest.as_bytes(), opening))?;
    let indent = line.len() - rest.len();
    Some(indent..indent + opening.len())
}

fn begins(bytes: &[u8], words: &str) -> bool {
    bytes.get(..words.len()).is_some_and(|start| start.eq_ignore_ascii_case(words.as_bytes()))
}

/// The length of the signal that starts at `at`, if there is one.
#[inline]
fn signal_length(bytes: &[u8], at: usize) -> Option<usize> {
    let likely = PROBES[0][usize::from(bytes[at])];
    if likely == 0 { None } else { probe(bytes, at, likely) }
}

/// Like `signal_length`, among the signals that begin with the byte at `at`.
fn probe(bytes: &[u8], at: usize, mut likely: u32) -> Option<usize> {
    let rest = &bytes[at..];
    let [_, second, third] = rest.first_chunk::<PROBED_BYTES>()?;
    likely &= PROBES[1][usize::from(*second)] & PROBES[2][usize::from(*third)];
    while likely != 0 {
        let which = likely.trailing_zeros() as usize;
        let word = SIGNALS[which];
        if rest.starts_with(word.as_bytes()) && (which < FIRST_WORD_SIGNAL || stands_alone(bytes, at, word)) {
            return Some(word.len());
        }
        likely &= likely - 1;
    }
    None
}

fn stands_alone(bytes: &[u8], at: usize, word: &str) -> bool {
    let part = |at: usize| bytes.get(at).is_some_and(|byte| byte.is_ascii_alphanumeric() || *byte == b'_');
    !part(at + word.len()) && !at.checked_sub(1).is_some_and(part)
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Behaviour 3.6: the signals.
    #[test]
    fn signals_are_seen() {
        for line in [
            "error: x",
            "  Error in x",
            "ERRORS",
            "fatal: not a git repository",
            "panic: runtime",
            "src/x.rs:1: error: y",
            "thread 'main' panicked at src/main.rs",
            "Traceback (most recent call last):",
            "java.lang.NullPointerException",
            "tests/x.py::y FAILED",
            "assertion `left == right` failed",
            "AssertionError",
            "TypeError: x is not a function",
            "--- FAIL: TestX",
            "2024-01-01 ERROR x",
            "src/a.ts(1,2): error TS2304: Cannot find name 'x'.",
            "  12:3  error  'x' is not defined  no-undef",
            "[Sun Mar 02 10:00:00] [error] [client 10.0.0.7] File does not exist",
            "time=10:00 level=error msg=down",
            "##[error]Process completed with exit code 2.",
        ] {
            assert!(find(line).is_some(), "{line}");
        }
    }

    #[test]
    fn plain_lines_are_none() {
        for line in
            ["", "0 errors", "all passed", "MIRROR ERROR_CODE", "failed over", "é", "an exceptional day"]
        {
            assert_eq!(find(line), None, "{line}");
        }
    }

    #[test]
    fn places_are_found() {
        let found: Vec<_> = signals("ok\r\né error: x\r\n\nok\nFAILED").collect();
        let first = Signal { line: 4..15, words: 7..13 };
        let second = Signal { line: 21..27, words: 21..27 };
        assert_eq!(found, [first, second]);
    }
}
