//! Recognises words and symbols that mark errors and warnings.

use crate::signal;

/// True for severity words, which are never replaced.
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
    // The first and last letters exclude most words cheaply.
    let [first, .., last] = word.as_bytes() else { return false };
    let is_kind = || ["Error", "Exception", "Warning"].iter().any(|kind| word.ends_with(kind));
    let is_one = || word.len() <= 9 && LEVELS.iter().any(|level| level.eq_ignore_ascii_case(word));
    b"rng".contains(last) && is_kind() || b"ewfcpdrtaso".contains(&first.to_ascii_lowercase()) && is_one()
}

/// Symbols with which test runners mark failures.
pub(super) const FAILURE_MARKS: [char; 5] = ['●', '✕', '✗', '✖', '❌'];

/// True when a text contains an error or a warning.
pub(super) fn is_alarming(text: &str) -> bool {
    is_loud(text) || signal::find(text).is_some()
}

/// True when the words or symbols of a text mark an error or a warning. Does not search for error signals.
pub(super) fn is_loud(text: &str) -> bool {
    const QUIET: [&str; 4] = ["passed", "skipped", "ok", "pass"];
    let mut words = text.split(|letter: char| !letter.is_alphanumeric() && letter != '_');
    let loud = |word: &str| is_level(word) && !QUIET.iter().any(|quiet| quiet.eq_ignore_ascii_case(word));
    words.any(loud) || !text.is_ascii() && text.contains(FAILURE_MARKS)
}
