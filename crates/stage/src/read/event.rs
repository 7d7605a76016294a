//! Detects logs: texts whose lines report events in words, with a time or a severity level.
//!
//! Rows of data may contain times too, but they contain few words, and their time of day is often midnight.

use crate::lines;
use crate::read::json;

/// True when enough lines have a time or a level near their beginning and are not JSON, table rows or rows of numbers.
pub(crate) fn is_log(text: &str) -> bool {
    let lines = || lines::lines(text).filter(|line| !line.trim().is_empty());
    !is_document(text)
        && share(lines().take(SAMPLE_LINES))
        && share(lines())
        && !SIGNS.iter().any(|sign| has_columns(text, *sign))
}

/// The number of lines inspected first, so that long texts that are not logs are rejected quickly.
const SAMPLE_LINES: usize = 200;

/// In a log, at least one line in this many reports an event; the others continue the event above.
const MAX_LINES_PER_EVENT: usize = 3;

/// The number of leading bytes that are searched for a time or a level, which may follow a host, a job and a step.
const MAX_TIME_OFFSET: usize = 120;

/// The minimum number of separators in a table row; any sentence may contain a few.
const MIN_COLUMNS: usize = 4;

/// Severity levels.
const LEVELS: [&str; 12] =
    ["INFO", "WARN", "ERROR", "DEBUG", "TRACE", "NOTICE", "FATAL", "WARNING", "info", "warn", "debug", "LOG"];

fn share<'a>(lines: impl Iterator<Item = &'a str>) -> bool {
    let (mut all, mut events, mut rows) = (0, 0, 0);
    for line in lines {
        all += 1;
        events += usize::from(is_event(line));
        rows += usize::from(is_json(line) || is_wordless(line));
    }
    events * MAX_LINES_PER_EVENT >= all && rows * 2 < all
}

/// The minimum percentage of letters in a line of words.
const MIN_LETTER_PERCENT: usize = 20;

/// True for a line that consists mostly of numbers: a row of data.
fn is_wordless(line: &str) -> bool {
    let is_word = |word: &&str| word.len() > 2 && word.chars().all(char::is_alphabetic);
    let words = line.split(|char: char| !char.is_alphanumeric()).filter(is_word);
    let letters: usize = words.map(str::len).sum();
    let signs = line.bytes().filter(|byte| !byte.is_ascii_whitespace()).count();
    letters * 100 < signs * MIN_LETTER_PERCENT
}

/// True for a text that begins with a JSON document of several lines.
fn is_document(text: &str) -> bool {
    json::opens(text) && !lines::lines(text).next().is_some_and(is_json)
}

/// True for a line that is a JSON document, or an item in a list of documents.
fn is_json(line: &str) -> bool {
    let line = line.trim_start_matches(['[', ',', ' ']).trim_end_matches([' ', ',', ']', '\r']);
    line.starts_with('{') && line.ends_with('}')
}

/// True for a line with a time or a severity level near its beginning.
fn is_event(line: &str) -> bool {
    if names_commit(line) {
        return false;
    }
    let bytes = line.as_bytes();
    let bytes = &bytes[..bytes.len().min(MAX_TIME_OFFSET)];
    let mut at = 0;
    while at < bytes.len() {
        if bytes[at].is_ascii_digit() {
            let length = bytes[at..].iter().take_while(|byte| byte.is_ascii_digit()).count();
            if is_clock(&bytes[at..]) || is_epoch(&bytes[at..], length) {
                return true;
            }
            at += length;
        } else if bytes[at].is_ascii_alphabetic() {
            let length = bytes[at..].iter().take_while(|byte| byte.is_ascii_alphabetic()).count();
            if LEVELS.iter().any(|level| level.as_bytes() == &bytes[at..at + length]) {
                return true;
            }
            at += length;
        } else {
            at += 1;
        }
    }
    false
}

/// True for a row in a list of commits, tags or branches, which later calls refer to by name.
fn names_commit(line: &str) -> bool {
    let hash = |word: &str| word.len() == 40 && word.bytes().all(|byte| byte.is_ascii_hexdigit());
    line.split(' ').take(3).any(hash)
}

/// True for a time such as `12:34:56`. Midnight does not count, because dates without a time are written with it.
fn is_clock(bytes: &[u8]) -> bool {
    let shape = b"00:00:00";
    bytes.len() >= shape.len()
        && !bytes.starts_with(shape)
        && bytes.iter().zip(shape).all(|(byte, like)| match like {
            b'0' => byte.is_ascii_digit(),
            _ => byte == like,
        })
}

/// True for a Unix time in seconds with a fraction, or in milliseconds.
fn is_epoch(bytes: &[u8], digits: usize) -> bool {
    let fraction = || bytes.get(10) == Some(&b'.') && bytes.get(11).is_some_and(u8::is_ascii_digit);
    bytes[0] == b'1' && (digits == 13 || digits == 10 && fraction())
}

/// Column separators.
const SIGNS: [u8; 4] = *b",;\t|";

/// True when most lines are rows with the same number of columns, separated by `sign`.
fn has_columns(text: &str, sign: u8) -> bool {
    let count = |line: &str| line.bytes().filter(|byte| *byte == sign).count();
    let columns = lines::lines(text).nth(1).map_or(0, count);
    let lines = || lines::lines(text).take(SAMPLE_LINES);
    columns >= MIN_COLUMNS && lines().filter(|line| count(line) == columns).count() * 10 > lines().count() * 9
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn events_have_a_time_or_a_level() {
        for (line, told) in [
            ("2024-03-01T10:00:00Z up", true),
            ("build\tstep one\t2024-03-01T10:00:00.123Z up", true),
            ("Mar  1 10:00:00 host app[1]: up", true),
            ("type=X msg=audit(1700000000.123:7): y", true),
            ("1700000000123 up", true),
            ("INFO up", true),
            ("[debug] up", true),
            ("level=info msg=up", true),
            ("up since 10:30", false),
            ("1234567890 rows", false),
            ("invoice of 2009-01-01 00:00:00", false),
            ("information", false),
            ("é日本", false),
            ("", false),
        ] {
            assert_eq!(is_event(line), told, "{line}");
        }
    }

    #[test]
    fn rows_are_no_events() {
        for row in [
            "{\"at\":\"10:00:00\"}",
            " ,{\"at\":\"10:00:00\"}",
            "10:00:00,a,b,c,d",
            "| 10:00:00 | a | b | c |",
            "up since noon",
            "2009-01-03 10:12:44 10384 17 1201.50 88.10 3 11 0.25",
            "(7, 2, '2009-01-01 00:00:00', 'Theodor-Heuss-Str. 34', 'Stuttgart', 'Germany', 1.98)",
            "refs/tags/v1 0123456789abcdef0123456789abcdef01234567 2024-03-01 10:00:00 +0100 a release",
            "0123456789abcdef0123456789abcdef01234567 2024-03-01 10:00:00 +0100 a commit",
        ] {
            assert!(!is_log(&format!("{row}\n").repeat(90)), "{row}");
        }
        assert!(!is_log(&format!("[\n{}", "{\n\"at\": \"10:00:00\"\n},\n".repeat(90))));
        assert!(is_log(&"10:00:00 came up, then down\n  more of it\n".repeat(90)));
    }
}
