//! Logs with what their lines share said once: date, host and step above them, and the words of lines that
//! differ only in a few values as shapes with names, which lines then call with their values.
//!
//! Every line keeps its place. A name is a word of the line itself, so that a reader who skips the shapes still
//! sees what happened: `opened: root,1000`.

mod call;
mod head;
mod mine;
mod name;
mod shape;
mod weigh;
mod word;

use self::call::{Calls, ESCAPE};
use self::head::Row;
use self::mine::mine;
use super::{Edit, Scene, Stage, fold, source};
use crate::{Loss, Mode};

/// A text of lines that resemble each other.
pub(super) struct Log;

impl Stage for Log {
    fn name(&self) -> &'static str {
        "log"
    }

    /// How well shapes read is not measured yet; until it is, they are for those who ask for all there is.
    fn mode(&self) -> Mode {
        Mode::Aggressive
    }

    fn apply(&self, scene: Scene<'_>, text: &str) -> Option<Edit> {
        if text.len() < MIN_BYTES || source::is_source(scene.call, text) {
            return None;
        }
        let (note, body) = write(text);
        let (body, _) = fold::fold(&body);
        let worth = body.len() * 100 < text.len() * MOST;
        worth.then_some(Edit { text: body, loss: Loss::None, note })
    }

    fn restore(&self, note: &str, text: &str) -> Option<String> {
        read(note, &fold::unfold(text)?)
    }
}

/// Shorter texts have nothing to give.
const MIN_BYTES: usize = 256;

/// A log that keeps more of its bytes than this, in percent, is better read as it is.
const MOST: usize = 90;

/// No log that is longer than this when read was ever written.
const MAX_BYTES: usize = 1 << 27;

/// The log's note and body.
fn write(text: &str) -> (String, String) {
    let lines: Vec<&str> = text.split('\n').collect();
    let rows = head::rows(&lines);
    let texts: Vec<&str> = rows.iter().map(Row::text).collect();
    let mined = mine(&texts);
    let values: Vec<_> =
        texts.iter().zip(&mined.of).map(|(text, of)| mined.molds[(*of)?].take(text)).collect();
    let comma = comma(values.iter().flatten().flatten());
    let of = mined.of;
    let calls = Calls::new(mined.molds.into_iter().map(|mold| mold.shape).collect(), comma);
    let mut body = String::with_capacity(text.len());
    calls.shapes.iter().for_each(|shape| body.extend([&shape.print(), "\n"]));
    let mut writer = Writer { calls: &calls, body, section: None };
    for ((row, of), values) in rows.iter().zip(of).zip(values) {
        let call = of.zip(values).and_then(|(index, values)| calls.print(index, &values));
        writer.row(row, call.as_deref());
    }
    writer.body.pop();
    let body = writer.body;
    (calls.note(), body)
}

/// What parts values: a comma, or a tab when many of them hold commas.
fn comma<'a>(values: impl Iterator<Item = &'a &'a str>) -> char {
    let (all, with) =
        values.fold((0, 0), |(all, with), value| (all + 1, with + usize::from(value.contains(','))));
    if with * 32 > all { '\t' } else { ',' }
}

/// A body in the making.
struct Writer<'a> {
    calls: &'a Calls,
    body: String,
    section: Option<(&'a str, &'a str)>,
}

impl<'a> Writer<'a> {
    /// Writes a row, as `call` when its text has a shape.
    fn row(&mut self, row: &Row<'a>, call: Option<&str>) {
        match *row {
            Row::Section(before, after) => {
                self.section = Some((before, after));
                self.body.push_str(&head::say(before, after));
            }
            Row::Timed(time, text) => {
                self.body.extend([time, " "]);
                match call {
                    Some(call) => self.body.push_str(call),
                    None => self.calls.escape(&mut self.body, text),
                }
            }
            Row::Plain(line) => match call.filter(|call| !self.is_taken(call)) {
                Some(call) => self.body.push_str(call),
                None if self.is_taken(line) => self.body.extend([&ESCAPE.to_string(), line]),
                None => self.calls.escape(&mut self.body, line),
            },
        }
        self.body.push('\n');
    }

    /// True when `line` would be taken for a section or for a row of one.
    fn is_taken(&self, line: &str) -> bool {
        head::read(line).is_some() || (self.section.is_some() && head::timed(line).is_some())
    }
}

/// The log that was written.
fn read(note: &str, body: &str) -> Option<String> {
    let (calls, body) = Calls::parse(note, body)?;
    let mut out = String::with_capacity(body.len() * 2);
    let mut section = None;
    for line in body.split('\n') {
        if let Some(said) = head::read(line) {
            section = Some(said);
            continue;
        }
        match section.zip(head::timed(line)) {
            Some(((before, after), (time, text))) => {
                out.extend([before, time, after]);
                calls.expand(&mut out, text);
            }
            None => calls.expand(&mut out, line),
        }
        out.push('\n');
        if out.len() > MAX_BYTES {
            return None;
        }
    }
    out.pop();
    Some(out)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn comes_back(text: &str) {
        let (note, body) = write(text);
        assert_eq!(read(&note, &body).as_deref(), Some(text), "{note}\n{body}");
        let (folded, _) = fold::fold(&body);
        assert_eq!(Log.restore(&note, &folded).as_deref(), Some(text), "{note}\n{folded}");
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
        assert_eq!(note, "2 shapes first; below, \"name: a,b\" is that shape with {1}=a, {2}=b");
        assert_eq!(
            lines[..6],
            [
                "INFO: INFO Partition test-{1} starts at epoch {2}, offset 0",
                "WARN: WARN Removed {1} expired offsets in {2} milliseconds.",
                "each line: [2018-10-17 12:04:{time}] {text}",
                "00,718 WARN: 0,0",
                "01,719 INFO: 7,1",
                "02,719 INFO: 14,2",
            ]
        );
        assert_eq!(lines[23], "Caused by: x");
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
            "{1}{2}{3}",
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
    fn commas_in_values_make_tabs() {
        let lines: Vec<_> = (0..20).map(|n| format!("error at file{n}.ts({n},7) in module m{n}\n")).collect();
        let text = lines.concat();
        let (note, body) = write(&text);
        assert!(note.contains("a\tb"), "{note}\n{body}");
        comes_back(&text);
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
        for (note, body) in [("nonsense", "x"), ("9 shapes first", "x")] {
            assert_eq!(Log.restore(note, body), None);
        }
    }
}
