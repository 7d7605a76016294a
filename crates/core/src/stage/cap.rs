//! Results too long to send, cut to their head and tail, and to the first error between them.
//!
//! What it gives is longer than the limit by its markers, and it leaves alone what is no longer than that:
//! so a capped text is never capped again, which would put a wrong count in the place of a right one.

use std::ops::Range;

use super::{Edit, Scene, Stage};
use crate::signal::{self, Signal};
use crate::{Loss, Mode};

/// Head and tail.
pub(super) struct Ends;

impl Stage for Ends {
    fn keeps_text(&self) -> bool {
        true
    }

    /// The limit is kept whatever is lost.
    fn cuts_lines(&self) -> bool {
        false
    }

    fn name(&self) -> &'static str {
        "cap"
    }

    fn mode(&self) -> Mode {
        Mode::Safe
    }

    fn apply(&self, scene: Scene<'_>, text: &str) -> Option<Edit> {
        let cut = Cut::of(text, scene.plan.max_bytes)?;
        cut.window.is_none().then(|| cut.edit(text))
    }
}

/// Head and tail, and what goes wrong between them.
pub(super) struct Window;

impl Stage for Window {
    fn keeps_text(&self) -> bool {
        true
    }

    fn cuts_lines(&self) -> bool {
        false
    }

    fn name(&self) -> &'static str {
        "cap_error_window"
    }

    fn mode(&self) -> Mode {
        Mode::Safe
    }

    fn apply(&self, scene: Scene<'_>, text: &str) -> Option<Edit> {
        let cut = Cut::of(text, scene.plan.max_bytes)?;
        cut.window.is_some().then(|| cut.edit(text))
    }
}

/// The longest marker, twice, and the line that names the original: what a capped text may have above the limit.
const SLACK: usize = 2 * "\n[Tool output capped: 18446744073709551615 bytes removed]\n".len()
    + "<<<SHADOW:shadow_0123456789abcdef0123456789abcdef>>>\n".len();

/// Signals looked at for one that would be lost.
const MAX_SIGNALS: usize = 64;

/// What is kept of a text.
struct Cut {
    /// Where the head ends.
    head: usize,
    window: Option<Range<usize>>,
    /// Where the tail begins.
    tail: usize,
}

impl Cut {
    fn of(text: &str, limit: usize) -> Option<Self> {
        if limit == 0 || text.len() <= limit.saturating_add(SLACK) {
            return None;
        }
        let ends = Self::ends(text, limit, share(limit, 60));
        Some(Self::around(text, limit, &ends).unwrap_or(ends))
    }

    /// A head of so many bytes, and a tail of the rest of the limit.
    fn ends(text: &str, limit: usize, head: usize) -> Self {
        let tail = text.len() - (limit - head);
        Self { head: text.floor_char_boundary(head), window: None, tail: text.ceil_char_boundary(tail) }
    }

    /// Makes room for the first signal that `ends` would lose.
    fn around(text: &str, limit: usize, ends: &Self) -> Option<Self> {
        let (head, size) = (share(limit, 45), share(limit, 20));
        let lost = signal::signals(text)
            .skip_while(|signal| signal.line.end <= ends.head)
            .take(MAX_SIGNALS)
            .map(|signal| place(&signal, size))
            .find(|place| place.end > ends.head && place.start < ends.tail)?;
        let cut = Self::ends(text, limit - size, head);
        // A window that would run into the tail begins earlier, so that all of the limit is used.
        let start = text.floor_char_boundary(lost.start.min(cut.tail - size).max(cut.head));
        let end = text.floor_char_boundary(start + size).min(cut.tail);
        (start < end).then_some(Self { window: Some(start..end), ..cut })
    }

    fn edit(&self, text: &str) -> Edit {
        let mut out = text[..self.head].to_owned();
        let mut end = self.head;
        for part in self.window.iter().chain([&(self.tail..text.len())]) {
            if part.start > end {
                out.push_str(&marker(part.start - end));
            }
            out.push_str(&text[part.clone()]);
            end = part.end;
        }
        Edit { text: out, loss: Loss::Detail, note: String::new() }
    }
}

fn marker(bytes: usize) -> String {
    format!("\n[Tool output capped: {bytes} bytes removed]\n")
}

fn share(limit: usize, percent: usize) -> usize {
    limit / 100 * percent + limit % 100 * percent / 100
}

/// What must be seen of a signal: its line, or what tells in a line too long for the window.
fn place(signal: &Signal, size: usize) -> Range<usize> {
    if signal.line.len() > size { signal.words.clone() } else { signal.line.clone() }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{Call, Plan};

    /// What the two stages make of a text, and which of them.
    fn cap(limit: usize, text: &str) -> Option<(&'static str, String)> {
        let plan = Plan { max_bytes: limit, ..Plan::default() };
        let scene = Scene { plan: &plan, call: Call::default() };
        let stages: [&dyn Stage; 2] = [&Window, &Ends];
        let mut edits =
            stages.iter().filter_map(|stage| Some((stage.name(), stage.apply(scene, text)?.text)));
        let first = edits.next();
        assert_eq!(edits.next(), None, "one stage speaks");
        first
    }

    /// Contract 3.5.
    #[test]
    fn head_and_tail_are_kept() {
        let text: String = ('a'..='j').flat_map(|char| std::iter::repeat_n(char, 100)).collect();
        let expected = text[..300].to_owned() + &marker(500) + &text[800..];
        assert_eq!(cap(500, &text), Some(("cap", expected)));
        for limit in [0, 1000, 900, usize::MAX] {
            assert_eq!(cap(limit, &text), None);
        }
    }

    /// Contract 3.5 and 3.18: nothing is cut in two, and counts add up.
    #[test]
    fn characters_stay_whole() {
        for limit in 1..200 {
            for text in ["日本語".repeat(60), "🎉\n".repeat(90), "é error: é\n".repeat(50)] {
                let (_, out) = cap(limit, &text).unwrap();
                let (kept, removed) = account(&out);
                assert_eq!(kept + removed, text.len(), "{limit} {text}");
                assert!(kept <= limit && out.len() <= limit + SLACK);
                assert_eq!(cap(limit, &out), None, "never twice");
            }
        }
    }

    /// Bytes kept, and bytes that the markers say were not.
    fn account(out: &str) -> (usize, usize) {
        let counts: Vec<usize> = out
            .split("\n[Tool output capped: ")
            .skip(1)
            .map(|rest| rest.split(' ').next().unwrap().parse().unwrap())
            .collect();
        assert!((1..=2).contains(&counts.len()));
        let markers: usize = counts.iter().map(|&count| marker(count).len()).sum();
        (out.len() - markers, counts.iter().sum())
    }

    /// Contract 3.6.
    #[test]
    fn the_first_lost_error_is_kept() {
        let (fill, error) = ("a line like any other\n".repeat(100), "error: it broke\n");
        let text = fill.clone() + error + &fill + "FAILED too\n" + &fill;
        let (name, out) = cap(1000, &text).unwrap();
        assert_eq!(name, "cap_error_window");
        let window = &text[2200..2400];
        let expected = text[..450].to_owned()
            + &marker(1750)
            + window
            + &marker(text.len() - 2750)
            + &text[text.len() - 350..];
        assert_eq!(out, expected);
    }

    /// Contract 3.6: windows that touch merge.
    #[test]
    fn windows_merge() {
        let fill = "a line like any other\n".repeat(100);
        for at in [450, 500, 570, 590] {
            let text = fill[..at].to_owned() + "\nerror: it broke, and here is why it did\n" + &fill;
            let (name, out) = cap(1000, &text).unwrap();
            let lost = at + 40 > 600;
            assert_eq!(name, if lost { "cap_error_window" } else { "cap" }, "{at}");
            assert!(out.contains("error: it broke, and here is why it did\n"), "{at}");
            assert_eq!(account(&out).0 + account(&out).1, text.len());
        }
        let text = fill.clone() + &fill + "error: x\n" + &fill[..380];
        let (name, out) = cap(1000, &text).unwrap();
        assert_eq!((name, account(&out)), ("cap", (1000, text.len() - 1000)));
        let text = fill.clone() + &fill + "error: x\n" + &fill[..400];
        let (name, out) = cap(1000, &text).unwrap();
        assert_eq!((name, out.matches("capped").count()), ("cap_error_window", 1));
        assert!(out.contains("error: x\n"));
    }

    #[test]
    fn errors_in_long_lines_are_found() {
        let text = "x".repeat(3000) + " error: y " + &"z".repeat(3000);
        let (name, out) = cap(1000, &text).unwrap();
        assert_eq!(name, "cap_error_window");
        assert!(out.contains("]\nerror: y zz"));
    }

    /// Contract 3.6: errors that are seen anyway do not use up the search.
    #[test]
    fn many_errors_in_the_head_hide_none_behind() {
        let text = "error: a\n".repeat(500) + &"fine\n".repeat(1000) + "fatal: b\n" + &"fine\n".repeat(2000);
        let (name, out) = cap(10_000, &text).unwrap();
        assert!(name == "cap_error_window" && out.contains("]\nfatal: b\n"));
    }
}
