//! Removes times and hashes from logs, because they differ in every run.
//!
//! Lines with an error keep their times and hashes. So do the first and the last line, which show the period. A line
//! at the top reports what is missing.

use crate::class::{CutClass, Omission};
use crate::lines;
use crate::plan::{Loss, Mode};
use crate::read::event::is_log;
use crate::signal;
use crate::stage::{Edit, Scene, Stage};
use crate::view::TextView;

/// The cut for logs whose lines contain times.
pub(crate) struct Noise;

const TIME: &str = "[timestamp]";
const HASH: &str = "[hash]";
impl Stage for Noise {
    fn name(&self) -> &'static str {
        "noise"
    }

    fn mode(&self) -> Mode {
        Mode::Aggressive
    }

    fn leaves(&self) -> &'static [Omission] {
        &[(CutClass::Content, &["times and hashes"])]
    }

    fn apply(&self, scene: Scene<'_>, text: &TextView<'_>) -> Option<Edit> {
        if !is_log(text) || text.is_source(scene.call) {
            return None;
        }
        let lines: Vec<&str> = lines::split_inclusive(text).collect();
        let mut out = String::with_capacity(text.len());
        for (at, line) in lines.iter().enumerate() {
            if at == 0 || at + 1 == lines.len() || signal::find(line.trim_end()).is_some() {
                out.push_str(line);
            } else {
                quieten(&mut out, line);
            }
        }
        (out != **text).then(|| Edit { text: head(&out) + &out, loss: Loss::Detail, note: String::new() })
    }
}

/// The line at the top, which reports what is missing from a text.
fn head(text: &str) -> String {
    // Two brackets in a row would look like the start of a JSON document.
    match (text.contains(TIME), text.contains(HASH)) {
        (true, true) => format!("[times and hashes are left out: {TIME} and {HASH} stand for them]\n"),
        (false, _) => format!("[hashes are left out: {HASH} stands for them]\n"),
        (_, false) => format!("[times are left out: {TIME} stands for them]\n"),
    }
}

/// Writes a line in which times and hashes are replaced by short words.
fn quieten(out: &mut String, line: &str) {
    let bytes = line.as_bytes();
    let (mut from, mut at) = (0, 0);
    while at < bytes.len() {
        let found = if !bytes[at].is_ascii_alphanumeric() {
            None
        } else if let Some(end) = time(bytes, at) {
            Some((at - date(&bytes[from..at]), end, TIME))
        } else {
            hash(bytes, at).map(|end| (at, end, HASH))
        };
        match found {
            Some((start, end, word)) => {
                out.push_str(&line[from..start]);
                out.push_str(word);
                (from, at) = (end, end);
            }
            None => at += word(&bytes[at..]),
        }
    }
    out.push_str(&line[from..]);
}

/// The number of bytes to skip: a run of digits or a run of letters. The next run may begin a time.
fn word(bytes: &[u8]) -> usize {
    let digits = |byte: &u8| byte.is_ascii_digit();
    let letters = |byte: &u8| byte.is_ascii_alphabetic();
    let run = if bytes.first().is_some_and(digits) {
        bytes.iter().take_while(|byte| digits(byte)).count()
    } else {
        bytes.iter().take_while(|byte| letters(byte)).count()
    };
    run.max(1)
}

/// The end of the time of day at `at`, including its fraction and time zone.
fn time(bytes: &[u8], at: usize) -> Option<usize> {
    if !fits(b"00:00:00", bytes.get(at..at + 8)?) || bytes.get(at + 8).is_some_and(u8::is_ascii_digit) {
        return None;
    }
    let mut end = at + 8;
    if let Some(b'.' | b',') = bytes.get(end) {
        let digits = bytes[end + 1..].iter().take_while(|byte| byte.is_ascii_digit()).count();
        end += if digits > 0 { digits + 1 } else { 0 };
    }
    let zone = ZONES
        .iter()
        .find(|zone| bytes.get(end..end + zone.len()).is_some_and(|part| fits(zone.as_bytes(), part)));
    Some(end + zone.map_or(0, |zone| zone.len()))
}

/// Formats of a time zone; `0` is any digit.
const ZONES: [&str; 8] = ["Z", "+00:00", "-00:00", "+0000", "-0000", " +0000", " -0000", " UTC"];

/// Formats of a date in front of a time: `0` is any digit, `_` is a digit or a space, `Mon` is the name of a month.
const DATES: [&str; 9] = [
    "0000-00-00T",
    "0000-00-00 ",
    "0000/00/00 ",
    "00/Mon/0000:",
    "00 Mon 0000 ",
    "00-Mon-0000 ",
    "00/00/0000, ",
    "Mon _0 ",
    "_0 Mon ",
];

const MONTHS: &str = "Jan Feb Mar Apr May Jun Jul Aug Sep Oct Nov Dec";

/// The length of the date at the end of `before`.
fn date(before: &[u8]) -> usize {
    let ends = |date: &&&str| {
        before.len().checked_sub(date.len()).is_some_and(|start| fits(date.as_bytes(), &before[start..]))
    };
    DATES.iter().find(ends).map_or(0, |date| date.len())
}

/// True when `bytes` match `shape`, which has the same length.
fn fits(shape: &[u8], bytes: &[u8]) -> bool {
    let month = |at: usize| {
        let name = std::str::from_utf8(&bytes[at..at + 3]).unwrap_or_default();
        MONTHS.split(' ').any(|month| month == name)
    };
    (0..shape.len()).all(|at| match shape[at] {
        b'0' => bytes[at].is_ascii_digit(),
        b'_' => bytes[at].is_ascii_digit() || bytes[at] == b' ',
        b'M' => month(at),
        b'o' | b'n' => true,
        sign => bytes[at] == sign,
    })
}

/// The end of the hash at `at`: 32 to 64 hexadecimal digits with no letter, digit or underscore next to them.
fn hash(bytes: &[u8], at: usize) -> Option<usize> {
    let part = |byte: &u8| byte.is_ascii_alphanumeric() || *byte == b'_';
    let run = bytes[at..].iter().take(65).take_while(|byte| part(byte)).count();
    let alone = at.checked_sub(1).is_none_or(|before| !part(&bytes[before]));
    let hex = bytes[at..at + run].iter().all(u8::is_ascii_hexdigit);
    (alone && hex && (32..=64).contains(&run)).then_some(at + run)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::proof;

    fn quiet(line: &str) -> String {
        let mut out = String::new();
        quieten(&mut out, line);
        out
    }

    /// Behaviour 3.9.
    #[test]
    fn times_and_hashes_are_named() {
        for (line, expected) in [
            ("2024-05-01T10:00:00.123Z up", "[timestamp] up"),
            ("[2024-05-01 10:00:00,5] up", "[[timestamp]] up"),
            ("at 2024/05/01 10:00:00 +0100", "at [timestamp]"),
            ("x [01/May/2024:10:00:00 +0000] y", "x [[timestamp]] y"),
            ("May  1 10:00:00 host up", "[timestamp] host up"),
            ("31 May 10:00:00 . up", "[timestamp] . up"),
            ("took 10:00:00", "took [timestamp]"),
            ("é 10:00:00 é", "é [timestamp] é"),
            ("id 0123456789abcdef0123456789abcdef.", "id [hash]."),
            ("10:00 1:00:00:00 0123456789abcdef 10:00:000", "10:00 1:[timestamp] 0123456789abcdef 10:00:000"),
            ("x0123456789abcdef0123456789abcdef", "x0123456789abcdef0123456789abcdef"),
            ("", ""),
        ] {
            assert_eq!(quiet(line), expected);
        }
    }

    #[test]
    fn errors_and_ends_keep_their_times() {
        let line = |n| format!("10:00:0{n} {}\n", if n == 4 { "ERROR" } else { "worker done" });
        let text = (1..9).map(line).collect::<Vec<_>>().concat();
        let edit = proof::apply(&Noise, &text).unwrap();
        assert!(
            edit.text.starts_with("[times are left out: [timestamp] stands for them]\n10:00:01 "),
            "{}",
            edit.text
        );
        let kept: Vec<_> = edit.text.lines().filter(|line| line.starts_with("10:00:0")).collect();
        assert_eq!(kept, ["10:00:01 worker done", "10:00:04 ERROR", "10:00:08 worker done"]);
    }

    /// Behaviour 1.21.
    #[test]
    fn json_keeps_what_it_says() {
        let rows = "{\"at\":\"2024-05-01T10:00:00Z\",\"id\":1}\n".repeat(9);
        assert_eq!(proof::apply(&Noise, &rows), None);
        let list = format!("[{}]", rows.trim_end().replace('\n', ",\n"));
        assert_eq!(proof::apply(&Noise, &list), None);
        let indented = "[\n  {\n    \"at\": \"2024-05-01T10:00:00Z\"\n  }\n]\n";
        assert_eq!(proof::apply(&Noise, indented), None);
    }
}
