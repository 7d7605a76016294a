//! Words of error and warning, and the lines that are read with them: no sign stands for a part of these.

use crate::form::general::source::ReadText;
use crate::signal;

/// Lines below an error that may belong to it, and above.
const BELOW: usize = 40;
const ABOVE: usize = 2;

/// A long line with an error word in it may have signs.
const LONG: usize = 600;

/// Of each line, whether it is read with an error or a warning. What belongs to an error ends at a blank line, or at one with
/// a time of its own.
pub(super) fn kept_lines(source: &ReadText<'_>) -> Vec<bool> {
    let mut kept = vec![false; source.lines.len()];
    let belongs = |at: &usize| {
        let line = source.lines[*at].of(source.text);
        line.len() <= LONG && !source.timed[*at] && !line.trim().is_empty()
    };
    for at in 0..kept.len() {
        let line = source.lines[at].of(source.text);
        let (points, tells) = (points(line), signal::find(line).is_some());
        kept[at] |= line.len() <= LONG && (tells || source.words.is_alarming(at as u32));
        if points || tells || line.trim_start().starts_with(FAILED) {
            let above = (0..at).rev().take(ABOVE).take_while(belongs).count();
            let below = if points { 0 } else { BELOW };
            let below = (at + 1..kept.len()).take(below).take_while(belongs).count();
            kept[at - above..=at + below].fill(true);
        }
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
    // Most words are none by their first letter and by their last one.
    let [first, .., last] = word.as_bytes() else { return false };
    let is_kind = || ["Error", "Exception", "Warning"].iter().any(|kind| word.ends_with(kind));
    let is_one = || word.len() <= 9 && LEVELS.iter().any(|level| level.eq_ignore_ascii_case(word));
    b"rng".contains(last) && is_kind() || b"ewfcpdrtaso".contains(&first.to_ascii_lowercase()) && is_one()
}

/// What a line of a test that failed begins with.
const FAILED: [char; 6] = ['●', '✕', '✗', '✖', '❌', '×'];

/// What test runners mark failures with.
const MARKS: [char; 5] = ['●', '✕', '✗', '✖', '❌'];

/// True when a text holds a word that tells of an error or a warning.
pub(super) fn is_alarming(text: &str) -> bool {
    is_loud(text) || signal::find(text).is_some()
}

/// The same by its words and marks alone.
pub(super) fn is_loud(text: &str) -> bool {
    const QUIET: [&str; 4] = ["passed", "skipped", "ok", "pass"];
    let mut words = text.split(|letter: char| !letter.is_alphanumeric() && letter != '_');
    let loud = |word: &str| is_level(word) && !QUIET.iter().any(|quiet| quiet.eq_ignore_ascii_case(word));
    words.any(loud) || !text.is_ascii() && text.contains(MARKS)
}
