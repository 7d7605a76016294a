//! Writes logs with the text that lines share, such as a date, a host or a CI step, stated once above them.
//!
//! Every line keeps its position, its time and all its words. A log that already contains a line in this notation would
//! not be restored exactly, so the pipeline leaves it unchanged.

mod head;
mod weigh;

use self::head::HeadRow;
use crate::form::repeats;
use crate::lines;
use crate::plan::{Loss, Mode};
use crate::room::Room;
use crate::stage::{Edit, Scene, Stage};
use crate::view::TextView;

/// A log of similar lines.
pub(crate) struct Log;

impl Stage for Log {
    fn name(&self) -> &'static str {
        "log"
    }

    fn mode(&self) -> Mode {
        Mode::Standard
    }

    fn apply(&self, scene: Scene<'_>, text: &TextView<'_>) -> Option<Edit> {
        if text.len() < MIN_BYTES || text.is_source(scene.call) {
            return None;
        }
        let (body, _) = repeats::fold(&write(text)?);
        let worth = body.len() * 100 < text.len() * MAX_KEPT_PERCENT;
        worth.then(|| Edit { text: body, loss: Loss::None, note: String::new() })
    }

    fn restore(&self, room: Room, note: &str, text: &str) -> Option<String> {
        let body = repeats::unfold(room, text).filter(|_| note.is_empty())?;
        read(room, &body)
    }
}

/// The minimum length of a log in bytes; shorter logs are not worth a head.
const MIN_BYTES: usize = 256;

/// The maximum size of the result in percent of the log. A log that saves less is easier to read unchanged.
const MAX_KEPT_PERCENT: usize = 90;

/// Writes the log with its shared text stated once; `None` if its lines share no text.
fn write(text: &str) -> Option<String> {
    let lines: Vec<&str> = lines::split(text).collect();
    let rows = head::rows(&lines);
    if rows.len() == lines.len() {
        return None;
    }
    let mut body = String::with_capacity(text.len());
    for row in rows {
        match row {
            HeadRow::Section(before, after) => body.push_str(&head::render_head(before, after)),
            HeadRow::Timed(time, text) => body.extend([time, " ", text]),
            HeadRow::Plain(line) => body.push_str(line),
        }
        body.push('\n');
    }
    body.pop();
    Some(body)
}

/// Restores the original log.
fn read(room: Room, body: &str) -> Option<String> {
    let mut out = String::with_capacity(body.len() * 2);
    let mut section = None;
    for line in lines::split(body) {
        if let Some(said) = head::read(line) {
            section = Some(said);
            continue;
        }
        match section.zip(head::split_time(line)) {
            Some(((before, after), (time, text))) => out.extend([before, time, after, text]),
            None => out.push_str(line),
        }
        out.push('\n');
        room.fits(out.len() - 1)?;
    }
    out.pop();
    Some(out)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::proof;

    fn comes_back(text: &str) {
        let Some(body) = write(text) else { return };
        let (folded, _) = repeats::fold(&body);
        assert_eq!(proof::read(&Log, "", &folded).as_deref(), Some(text), "{folded}");
    }

    /// A log with times and two kinds of lines, and with `more` in its middle.
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
    fn shared_text_is_written_once() {
        let body = write(&log("Caused by: x\n")).unwrap();
        let lines: Vec<&str> = body.lines().collect();
        assert_eq!(
            lines[..5],
            [
                "each timed line below: [2018-10-17 {time}] {text}",
                "12:04:00,718 WARN Removed 0 expired offsets in 0 milliseconds.",
                "12:04:01,719 INFO Partition test-7 starts at epoch 1, offset 0",
                "12:04:02,719 INFO Partition test-14 starts at epoch 2, offset 0",
                "12:04:03,718 WARN Removed 21 expired offsets in 3 milliseconds.",
            ]
        );
        assert_eq!(lines[21], "Caused by: x");
        assert_eq!(lines[41], "12:04:39,718 WARN Removed 273 expired offsets in 39 milliseconds.");
    }

    /// The end of a line may be what the reader is looking for.
    #[test]
    fn every_line_keeps_its_end() {
        let line =
            |n: usize| format!("Feb  9 21:10:{n} box cron[{n}]: session closed for user root by the clock\n");
        let body = write(&(10..40).map(line).collect::<String>()).unwrap();
        assert_eq!(body.matches("session closed for user root by the clock\n").count(), 30);
    }

    #[test]
    fn hostile_lines_come_back() {
        for line in [
            "",
            "\n",
            "\\",
            "\\\\x",
            "\\each timed line below: {time} {text}",
            "INFO: 1,1",
            "WARN: 1",
            "00,718 INFO: 1,1",
            "12 x",
            "[2018-10-17 12:04:07,718] INFO: 1,1",
            "[2018-10-17 12:04:07,718] \\INFO: 1,1",
            "[2018-10-17 12:04:07,718] ",
            "[2018-10-17 12:04:07,718]",
            "[2018-10-17 12:04:07,718] WARN Removed {1} expired offsets in {2} milliseconds.",
            "[2018-10-17 12:04:07,718] WARN Removed 1,2 expired offsets in 日本 milliseconds.",
            "\tat x\r",
            "a b c …",
            "\\a b c …",
            " …",
            "[2018-10-17 12:04:07,718] a b c …",
            "[2018-10-17 12:04:07,718] \\INFO Partition test-7 starts at epoch 1, offset 0",
            "日本語 12:00:00 é",
            "42 tests passed",
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
    fn lines_that_look_like_ours_do_not_come_back_as_others() {
        for line in
            ["each timed line below: a{time}b{text}", "12:04:00,718 plain", "(the line above once more)"]
        {
            let text = log(&format!("{line}\n"));
            let edit = proof::apply(&Log, &text);
            assert!(
                edit.is_none_or(|edit| proof::read(&Log, "", &edit.text).as_deref() != Some(&*text)),
                "{line}"
            );
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
        let plan = crate::plan::Plan::default();
        let scene = |tool| Scene::of(&plan, crate::call::Call { tool, ..crate::call::Call::default() });
        assert!(Log.apply(scene("bash"), &TextView::new(&log(""))).is_some());
        assert_eq!(Log.apply(scene("Read"), &TextView::new(&log(""))), None);
    }

    #[test]
    fn what_was_never_written_is_declined() {
        assert_eq!(proof::read(&Log, "nonsense", "x"), None);
    }
}
