//! Logs with what their lines share said once: date, host and step above them, and the end of a line that an
//! earlier one has too not at all.
//!
//! Every line keeps its place, its time and the words that tell it from others.

mod head;
mod tail;
mod weigh;

use self::head::Row;
use self::tail::{MORE, NOTE, Tails};
use super::{Edit, Scene, Stage, fold, source};
use crate::{Loss, Mode, Room};

/// A text of lines that resemble each other.
pub(super) struct Log;

impl Stage for Log {
    fn name(&self) -> &'static str {
        "log"
    }

    fn mode(&self) -> Mode {
        Mode::Standard
    }

    fn apply(&self, scene: Scene<'_>, text: &str) -> Option<Edit> {
        if text.len() < MIN_BYTES || source::is_source(scene.call, text) {
            return None;
        }
        let (note, body) = write(text);
        let (body, _) = fold::fold(&body);
        let worth = body.len() * 100 < text.len() * MOST;
        worth.then(|| Edit { text: body, loss: Loss::None, note: note.to_owned() })
    }

    fn restore(&self, room: Room, note: &str, text: &str) -> Option<String> {
        if note.is_empty() || note == NOTE { read(room, &fold::unfold(room, text)?) } else { None }
    }
}

/// Shorter texts have nothing to give.
const MIN_BYTES: usize = 256;

/// A log that keeps more of its bytes than this, in percent, is better read as it is.
const MOST: usize = 90;

/// Before a text that would be taken for something else.
const ESCAPE: char = '\\';

/// The log's note and body.
fn write(text: &str) -> (&'static str, String) {
    let lines: Vec<&str> = text.split('\n').collect();
    let mut writer =
        Writer { tails: Tails::default(), body: String::with_capacity(text.len()), inside: false };
    let cut = head::rows(&lines).iter().filter(|row| writer.row(row)).count();
    writer.body.pop();
    (if cut > 0 { NOTE } else { "" }, writer.body)
}

/// A body in the making.
struct Writer {
    tails: Tails,
    body: String,
    /// True below the first section.
    inside: bool,
}

impl Writer {
    /// Writes a row; true when its end was left out.
    fn row(&mut self, row: &Row<'_>) -> bool {
        let short = self.tails.shorten(row.text());
        let short = match *row {
            Row::Section(before, after) => {
                self.inside = true;
                self.body.extend([&head::say(before, after), "\n"]);
                return false;
            }
            Row::Timed(time, _) => {
                self.body.extend([time, " "]);
                short
            }
            Row::Plain(_) => short.filter(|short| !self.is_taken(&[short, MORE].concat())),
        };
        match short.filter(|short| !short.starts_with(ESCAPE)) {
            Some(short) => self.body.extend([short, MORE]),
            None => self.whole(row),
        }
        self.body.push('\n');
        self.tails.learn(row.text());
        short.is_some()
    }

    /// Writes a row's text so that it is read as itself.
    fn whole(&mut self, row: &Row<'_>) {
        let text = row.text();
        let taken = matches!(row, Row::Plain(_)) && self.is_taken(text);
        if taken || text.starts_with(ESCAPE) || text.ends_with(MORE) {
            self.body.push(ESCAPE);
        }
        self.body.push_str(text);
    }

    /// True when `line` would be taken for a section or for a row of one.
    fn is_taken(&self, line: &str) -> bool {
        head::read(line).is_some() || (self.inside && head::timed(line).is_some())
    }
}

/// The log that was written.
fn read(room: Room, body: &str) -> Option<String> {
    let mut out = String::with_capacity(body.len() * 2);
    let mut tails = Tails::default();
    let mut section = None;
    for line in body.split('\n') {
        if let Some(said) = head::read(line) {
            section = Some(said);
            continue;
        }
        let text = match section.zip(head::timed(line)) {
            Some(((before, after), (time, text))) => {
                out.extend([before, time, after]);
                text
            }
            None => line,
        };
        let from = out.len();
        match (text.strip_prefix(ESCAPE), text.strip_suffix(MORE)) {
            (Some(text), _) => out.push_str(text),
            (None, Some(start)) => out.extend([start, tails.after(start)?]),
            (None, None) => out.push_str(text),
        }
        tails.learn(&out[from..]);
        out.push('\n');
        room.fits(out.len() - 1)?;
    }
    out.pop();
    Some(out)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::stage::proof;

    fn comes_back(text: &str) {
        let (note, body) = write(text);
        assert_eq!(read(Room::of(text), &body).as_deref(), Some(text), "{note}\n{body}");
        let (folded, _) = fold::fold(&body);
        assert_eq!(proof::read(&Log, note, &folded).as_deref(), Some(text), "{note}\n{folded}");
    }

    /// A log with times, two shapes and `more` in the middle of it.
    fn log(more: &str) -> String {
        let line = |n: usize| {
            let second = n % 40;
            let n = n * 7;
            if second.is_multiple_of(3) {
                format!(
                    "[2018-10-17 12:04:{second:02},718] WARN Removed {n} expired offsets in {second} milliseconds.\n"
                )
            } else {
                format!(
                    "[2018-10-17 12:04:{second:02},719] INFO Partition test-{n} starts at epoch {second}, offset 0\n"
                )
            }
        };
        (0..20).map(line).chain([more.to_owned()]).chain((20..40).map(line)).collect()
    }

    #[test]
    fn what_lines_share_is_said_once() {
        let (note, body) = write(&log("Caused by: x\n"));
        let lines: Vec<&str> = body.lines().collect();
        assert_eq!(note, "");
        assert_eq!(
            lines[..5],
            [
                "each line: [2018-10-17 {time}] {text}",
                "12:04:00,718 WARN Removed 0 expired offsets in 0 milliseconds.",
                "12:04:01,719 INFO Partition test-7 starts at epoch 1, offset 0",
                "12:04:02,719 INFO Partition test-14 starts at epoch 2, offset 0",
                "12:04:03,718 WARN Removed 21 expired offsets in 3 milliseconds.",
            ]
        );
        assert_eq!(lines[21], "Caused by: x");
        assert_eq!(lines[41], "12:04:39,718 WARN Removed 273 expired offsets in 39 milliseconds.");
    }

    #[test]
    fn the_end_of_an_earlier_line_is_left_out() {
        let lines: Vec<_> =
            (10..20).map(|n| format!("box cron[{n}]: session closed for user root by the clock\n")).collect();
        let text = lines.concat();
        let (note, body) = write(&text);
        let first =
            "box cron[10]: session closed for user root by the clock\nbox cron[11]: session closed for …\n";
        assert!(note == NOTE && body.starts_with(first), "{body}");
        comes_back(&text);
    }

    #[test]
    fn hostile_lines_come_back() {
        for line in [
            "",
            "\n",
            "\\",
            "\\\\x",
            "each line: {time}{text}",
            "each line: a{time}b{text}",
            "\\each line: {time} {text}",
            "INFO: 1,1",
            "WARN: 1",
            "00,718 INFO: 1,1",
            "12 x",
            "12:04:00,718 plain",
            "[2018-10-17 12:04:07,718] INFO: 1,1",
            "[2018-10-17 12:04:07,718] \\INFO: 1,1",
            "[2018-10-17 12:04:07,718] ",
            "[2018-10-17 12:04:07,718]",
            "[2018-10-17 12:04:07,718] WARN Removed {1} expired offsets in {2} milliseconds.",
            "[2018-10-17 12:04:07,718] WARN Removed 1,2 expired offsets in 日本 milliseconds.",
            "(the line above 41 more times)",
            "\tat x\r",
            "a b c …",
            "\\a b c …",
            " …",
            "[2018-10-17 12:04:07,718] a b c …",
            "[2018-10-17 12:04:07,718] \\INFO Partition test-7 starts at epoch 1, offset 0",
            "日本語 12:00:00 é",
        ] {
            comes_back(&log(&format!("{line}\n")));
            comes_back(&log(&format!("{line}\n").repeat(9)));
            comes_back(&format!("{}{line}", log("")));
            comes_back(&format!("{line}\n{}", log("")));
            comes_back(&log("").replace('\n', "\r\n"));
            comes_back(&log("").replace("Partition", line));
        }
    }

    #[test]
    fn edges_come_back() {
        for text in ["", "\n", "a", "a\n\n", "12:00:00 ", &"12:00:00 x\n".repeat(9), &"é{1} 7\n".repeat(9)] {
            comes_back(text);
        }
        for n in 1..40 {
            comes_back(&log("x\n")[n..]);
        }
    }

    #[test]
    fn files_are_left_alone() {
        let plan = crate::Plan::default();
        let scene = |tool| Scene { plan: &plan, call: crate::Call { tool, ..crate::Call::default() } };
        assert!(Log.apply(scene("bash"), &log("")).is_some());
        assert_eq!(Log.apply(scene("Read"), &log("")), None);
    }

    #[test]
    fn what_was_never_written_is_declined() {
        for (note, body) in [("nonsense", "x"), (NOTE, "a b c …"), ("", " …")] {
            assert_eq!(proof::read(&Log, note, body), None);
        }
    }
}
