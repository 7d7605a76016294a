//! The hour and the minute of timed lines, said once above them where several lines share a minute.

use crate::form::log::head::{self, HeadRow};

/// How times are written: all of it on each line, or hour and minute above those of one minute.
#[derive(Default)]
pub(crate) struct Clock<'a> {
    sparse: bool,
    /// What stands above.
    minute: &'a str,
}

/// Lines that share a minute on average where it is said once.
const MIN_LINES: usize = 3;

/// Where the seconds of a time begin.
const SECONDS: usize = 5;

/// Above the lines.
const WORDS: &str = "[a line such as 15:04 is the hour and minute of those below it, which begin with the seconds, such as :05]\n";

/// What a note ends with where this is so.
const NOTE: &str = " minutes";

impl<'a> Clock<'a> {
    pub(crate) fn of(rows: &[HeadRow<'a>]) -> Self {
        let (mut timed, mut minutes, mut minute) = (0, 0, "");
        for row in rows {
            match row {
                HeadRow::Timed(time, _) => {
                    timed += 1;
                    minutes += usize::from(&time[..SECONDS] != minute);
                    minute = &time[..SECONDS];
                }
                HeadRow::Section(..) => minute = "",
                HeadRow::Plain(_) => {}
            }
        }
        Self { sparse: minutes > 0 && timed >= minutes * MIN_LINES && timed > 4 * MIN_LINES, minute: "" }
    }

    pub(crate) fn words(&self) -> &'static str {
        if self.sparse { WORDS } else { "" }
    }

    pub(crate) fn note(&self) -> &'static str {
        if self.sparse { NOTE } else { "" }
    }

    /// Reads what `note` wrote; the rest of the note comes with it.
    pub(crate) fn parse(note: &str) -> (Self, &str) {
        let rest = note.strip_suffix(NOTE);
        (Self { sparse: rest.is_some(), minute: "" }, rest.unwrap_or(note))
    }

    /// Writes a time, below its minute.
    pub(crate) fn write(&mut self, out: &mut String, time: &'a str) {
        let (minute, seconds) = time.split_at(if self.sparse { SECONDS } else { 0 });
        if minute != self.minute {
            out.extend([minute, "\n"]);
            self.minute = minute;
        }
        out.extend([seconds, " "]);
    }

    /// True when a plain line would be taken for a time of ours.
    pub(crate) fn is_taken(&self, line: &str) -> bool {
        self.sparse && (is_minute(line) || seconds(line).is_some())
    }

    /// True for a line that says the minute of those below.
    pub(crate) fn reads(&mut self, line: &'a str) -> bool {
        let minute = self.sparse && is_minute(line);
        if minute {
            self.minute = line;
        }
        minute
    }

    /// The time of a line, in two parts, and what follows.
    pub(crate) fn timed<'t>(&self, line: &'t str) -> Option<([&'t str; 2], &'t str)>
    where
        'a: 't,
    {
        if !self.sparse {
            return head::timed(line).map(|(time, text)| (["", time], text));
        }
        seconds(line).map(|(time, text)| ([self.minute, time], text))
    }
}

/// True for `15:04`.
fn is_minute(line: &str) -> bool {
    line.len() == SECONDS
        && [line, ":00 "].concat().as_str().get(..9).is_some_and(|time| head::timed(time).is_some())
}

/// The seconds at the start of a line, `:05.123`, and what follows them.
fn seconds(line: &str) -> Option<(&str, &str)> {
    let bytes = line.as_bytes();
    let digits = bytes.first() == Some(&b':') && bytes.get(1..3)?.iter().all(u8::is_ascii_digit);
    let end = line.find(' ').filter(|_| digits)?;
    let sound = bytes[3..end].iter().all(|byte| byte.is_ascii_digit() || matches!(byte, b':' | b'.' | b','));
    sound.then(|| (&line[..end], &line[end + 1..]))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn minutes_stand_above_their_lines() {
        let times: Vec<String> = (0..16).map(|n| format!("10:0{}:{:02}.5", n / 8, n * 7 % 60)).collect();
        let rows: Vec<_> = times.iter().map(|time| HeadRow::Timed(time, "x")).collect();
        let mut clock = Clock::of(&rows);
        let mut out = String::new();
        for time in &times {
            clock.write(&mut out, time);
        }
        assert!(out.starts_with("10:00\n:00.5 :07.5 ") && out.contains("10:01\n:56.5 "), "{out}");
        assert_eq!(clock.timed(":07.5 x"), Some((["10:01", ":07.5"], "x")));
        assert!(clock.is_taken("10:04") && clock.is_taken(":05 x") && !clock.is_taken("10:04:05 x"));
    }

    #[test]
    fn a_time_stays_whole_where_few_share_a_minute() {
        let times: Vec<String> = (0..16).map(|n| format!("10:{n:02}:00")).collect();
        let rows: Vec<_> = times.iter().map(|time| HeadRow::Timed(time, "x")).collect();
        let clock = Clock::of(&rows);
        assert_eq!((clock.note(), clock.words()), ("", ""));
        assert_eq!(clock.timed("10:04:05 x"), Some((["", "10:04:05"], "x")));
    }
}
