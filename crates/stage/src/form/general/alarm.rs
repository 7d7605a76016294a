//! Recognises words and symbols that mark errors and warnings.

use crate::signal;

/// Severity words; upper and lower case are equal.
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

/// The length of the longest severity word in bytes.
const MAX_LEVEL_BYTES: usize = 9;

/// The severity words by their length, and by their first letter: one bit for each word.
const BY_LENGTH: [u32; MAX_LEVEL_BYTES + 1] = {
    let mut words = [0; MAX_LEVEL_BYTES + 1];
    let mut at = 0;
    while at < LEVELS.len() {
        words[LEVELS[at].len()] |= 1 << at;
        at += 1;
    }
    words
};
const BY_FIRST: [u32; 256] = {
    let mut words = [0; 256];
    let mut at = 0;
    while at < LEVELS.len() {
        let first = LEVELS[at].as_bytes()[0];
        words[first as usize] |= 1 << at;
        words[first.to_ascii_uppercase() as usize] |= 1 << at;
        at += 1;
    }
    words
};

/// True for severity words, which are never replaced.
pub(super) fn is_level(word: &str) -> bool {
    let [first, .., last] = word.as_bytes() else { return false };
    let is_kind = || ["Error", "Exception", "Warning"].iter().any(|kind| word.ends_with(kind));
    let by_length = BY_LENGTH.get(word.len()).copied().unwrap_or(0);
    let mut likely = by_length & BY_FIRST[usize::from(*first)];
    while likely != 0 {
        if LEVELS[likely.trailing_zeros() as usize].eq_ignore_ascii_case(word) {
            return true;
        }
        likely &= likely - 1;
    }
    matches!(last, b'r' | b'n' | b'g') && is_kind()
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

#[cfg(test)]
mod tests {
    use super::*;

    /// The same without any table.
    fn is_listed(word: &str) -> bool {
        LEVELS.iter().any(|level| level.eq_ignore_ascii_case(word))
            || word.len() > 1 && ["Error", "Exception", "Warning"].iter().any(|kind| word.ends_with(kind))
    }

    #[test]
    fn severity_words_are_known_in_any_case_and_no_other_words_are() {
        let near = [
            "erro",
            "errorss",
            "okk",
            "o",
            "",
            "é",
            "Erro",
            "TypeError",
            "typeerror",
            "IOException",
            "Warning",
            "MyWarnings",
            "passe",
            "timeouts",
            "exceptions",
            "ſkipped",
            "faıl",
            "ERRORé",
            "\0k",
            "_ok",
        ];
        for word in LEVELS.into_iter().chain(near) {
            let half = word
                .char_indices()
                .map(|(at, char)| if at % 2 == 0 { char.to_ascii_uppercase() } else { char });
            for word in [
                word.to_owned(),
                word.to_ascii_uppercase(),
                half.collect(),
                format!("{word}s"),
                format!("x{word}"),
            ] {
                assert_eq!(is_level(&word), is_listed(&word), "{word}");
            }
        }
    }

    #[test]
    fn a_text_is_loud_if_a_whole_word_of_it_is() {
        for (text, expected) in [
            ("1 failed, 3 passed", true),
            ("3 passed, 2 skipped: ok", false),
            ("unfailing terrors", false),
            ("an_error", false),
            ("java.io.IOException: x", true),
            ("x ✕ y", true),
            ("it passed ✓", false),
            ("[ERR]", true),
            ("", false),
        ] {
            assert_eq!(is_loud(text), expected, "{text}");
        }
    }
}
