//! Words of error and warning, and the lines that are read with them: no sign stands for a part of these.

use crate::form::general::source::{ReadText, has_time};
use crate::signal;

/// Lines below an error that may belong to it, and above.
const BELOW: usize = 40;
const ABOVE: usize = 2;

/// A long line with an error word in it may have signs.
const LONG: usize = 600;

/// Of each line, whether it is read with an error or a warning. What belongs to an error ends at a blank line, or at one with
/// a time of its own.
pub(super) fn kept_lines(source: &ReadText<'_>) -> Vec<bool> {
    let lines: Vec<&str> = source.lines.iter().map(|line| line.of(source.text)).collect();
    let mut kept: Vec<bool> = lines.iter().map(|line| line.len() <= LONG && is_alarming(line)).collect();
    let belongs = |line: &&&str| line.len() <= LONG && !line.trim().is_empty() && !has_time(line);
    for at in 0..lines.len() {
        let points = points(lines[at]);
        if !points && signal::find(lines[at]).is_none() && !lines[at].trim_start().starts_with(FAILED) {
            continue;
        }
        let above = lines[..at].iter().rev().take(ABOVE).take_while(belongs).count();
        let below = lines[at + 1..].iter().take(if points { 0 } else { BELOW }).take_while(belongs).count();
        kept[at - above..=at + below].fill(true);
    }
    kept
}

/// True for a line that does nothing but point into the one above.
fn points(line: &str) -> bool {
    line.contains('^') && line.bytes().all(|byte| b"^~-| ".contains(&byte))
}

/// True for words that say how bad something is: they stand where they stood.
pub(super) fn is_level(word: &str) -> bool {
    const LEVELS: [&str; 27] = [
        "error",
        "errors",
        "err",
        "warn",
        "warning",
        "warnings",
        "fail",
        "failed",
        "fails",
        "failing",
        "failure",
        "failures",
        "fatal",
        "critical",
        "crit",
        "panic",
        "panicked",
        "exception",
        "denied",
        "refused",
        "timeout",
        "abort",
        "aborted",
        "passed",
        "skipped",
        "ok",
        "pass",
    ];
    let is_kind = ["Error", "Exception", "Warning"].iter().any(|kind| word.ends_with(kind));
    is_kind || word.len() <= 9 && LEVELS.iter().any(|level| level.eq_ignore_ascii_case(word))
}

/// What a line of a test that failed begins with.
const FAILED: [char; 6] = ['●', '✕', '✗', '✖', '❌', '×'];

/// What test runners mark failures with.
const MARKS: [char; 5] = ['●', '✕', '✗', '✖', '❌'];

/// True when a text holds a word that tells of an error or a warning.
pub(super) fn is_alarming(text: &str) -> bool {
    const QUIET: [&str; 4] = ["passed", "skipped", "ok", "pass"];
    let words = text.split(|letter: char| !letter.is_alphanumeric() && letter != '_');
    let loud = |word: &str| is_level(word) && !QUIET.iter().any(|quiet| quiet.eq_ignore_ascii_case(word));
    words.into_iter().any(loud) || text.contains(MARKS) || signal::find(text).is_some()
}
