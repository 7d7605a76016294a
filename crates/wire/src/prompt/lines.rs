//! Hashes the lines of a system prompt, and recognises those that are known to change.

use memchr::{memchr, memmem};
use tersely_account::{LineMark, SystemLineKind, quick_hash};

/// The most bytes of a line that are searched for a date.
const MAX_DATE_BYTES: usize = 256;

/// Words that begin the state of a git repository.
const GIT: [&[u8]; 5] = [b"gitstatus", b"git status", b"current branch", b"recent commits", b"main branch"];

/// Words that are near a date or a time.
const DATE: [&[u8]; 6] = [b"date", b"time", b"today", b"now is", b"utc", b"gmt"];

/// The lines of a JSON string, of which `token` is the content; at most `most` of them.
pub(super) fn lines(token: &[u8], most: usize) -> Vec<LineMark> {
    let (mut marks, mut rest, mut is_git) = (Vec::new(), token, false);
    while marks.len() < most {
        let (line, next) = split(rest);
        let lower = line[..line.len().min(MAX_DATE_BYTES)].to_ascii_lowercase();
        let has = |word: &[u8]| memmem::find(&lower, word).is_some();
        if GIT.iter().any(|word| has(word)) {
            is_git = true;
        } else if lower.starts_with(b"#") || lower.starts_with(b"<") {
            is_git = false;
        }
        let kind = match () {
            () if is_git => SystemLineKind::Git,
            () if is_date(&lower) && DATE.iter().any(|word| has(word)) || is_day(&lower) => {
                SystemLineKind::Date
            }
            () => SystemLineKind::Plain,
        };
        marks.push(LineMark { hash: quick_hash(line), kind });
        let Some(next) = next else { break };
        rest = next;
    }
    marks
}

/// The first line, and what follows it.
fn split(text: &[u8]) -> (&[u8], Option<&[u8]>) {
    let mut from = 0;
    while let Some(at) = text.get(from..).and_then(|rest| memchr(b'\\', rest)).map(|at| from + at) {
        if text.get(at + 1) == Some(&b'n') {
            return (&text[..at], Some(&text[at + 2..]));
        }
        from = at + 2;
    }
    (text, None)
}

/// True when a line has digits that may be a date or a time.
fn is_date(line: &[u8]) -> bool {
    line.windows(2).any(|pair| pair.iter().all(u8::is_ascii_digit))
}

/// True when a line has a day such as `2026-11-17` or a time such as `17:05:12`.
fn is_day(line: &[u8]) -> bool {
    let fits = |window: &[u8], form: &[u8]| {
        let pairs = window.iter().zip(form);
        pairs.into_iter().all(|(byte, form)| if *form == b'0' { byte.is_ascii_digit() } else { byte == form })
    };
    line.windows(10).any(|window| fits(window, b"0000-00-00") || fits(window, b"0000/00/00"))
        || line.windows(8).any(|window| fits(window, b"00:00:00"))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn kinds(text: &str) -> Vec<SystemLineKind> {
        lines(text.as_bytes(), 99).iter().map(|line| line.kind).collect()
    }

    #[test]
    fn lines_that_change_are_recognised() {
        use SystemLineKind::{Date, Git, Plain};
        let text = r"You are an agent.\nToday's date: 2026-11-17\ngitStatus: x\n M src/main.rs\n# Next\nAll 17 times";
        assert_eq!(kinds(text), [Plain, Date, Git, Git, Plain, Date]);
        assert_eq!(kinds(r"at 17:05:12\\n\nno\\\nlast"), [Date, Plain, Plain]);
        assert_eq!(kinds(""), [Plain]);
        assert_eq!(kinds(r"Version 3.14 of the program\n\\"), [Plain, Plain]);
    }

    #[test]
    fn there_are_no_more_lines_than_asked_for() {
        assert_eq!(lines(r"a\nb\nc".as_bytes(), 2).len(), 2);
        assert!(lines(b"a", 0).is_empty());
    }
}
