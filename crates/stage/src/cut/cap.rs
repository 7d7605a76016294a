//! Caps results at a maximum length: keeps the head, the tail, and errors between them.
//!
//! Cuts at line ends; only a line longer than its share of the limit is itself cut, at a blank if possible. Lines
//! with errors and their neighbours are kept even beyond the limit, up to a small multiple of it. Markers make the
//! result slightly longer than the limit, so a text that exceeds the limit only by the length of such markers is left
//! unchanged. This prevents a capped text from being capped again, which would replace the correct count in its
//! marker.

use std::ops::Range;

use crate::class::{CutClass, Omission};
use crate::plan::{Loss, Mode, Plan};
use crate::signal;
use crate::signal::Signal;
use crate::stage::{Edit, Scene, Stage};
use crate::view::TextView;

/// Keeps the head, the tail, and any errors between them.
pub(crate) struct Cap {
    /// True for the stage that caps texts with errors between head and tail, false for the stage that caps all other
    /// texts.
    has_errors: bool,
}

impl Cap {
    pub(crate) const ENDS: Self = Self { has_errors: false };
    pub(crate) const ERROR_WINDOW: Self = Self { has_errors: true };
}

impl Stage for Cap {
    fn keeps_text(&self) -> bool {
        true
    }

    /// The limit must be met, even if lines with errors are lost.
    fn cuts_lines(&self) -> bool {
        false
    }

    fn name(&self) -> &'static str {
        if self.has_errors { "cap_error_window" } else { "cap" }
    }

    fn mode(&self) -> Mode {
        Mode::Safe
    }

    fn leaves(&self) -> &'static [Omission] {
        &[(CutClass::Content, &["bytes beyond `max_bytes`"])]
    }

    fn apply(&self, scene: Scene<'_>, text: &TextView<'_>) -> Option<Edit> {
        let cut = Cut::of(text, scene.plan.max_bytes)?;
        (cut.errors == self.has_errors).then(|| cut.edit(text))
    }
}

/// Length of the longest possible marker in bytes.
const MARKER_BYTES: usize = "\n[Tool output capped: 18446744073709551615 bytes removed]\n".len();

/// The number of bytes by which a capped text may exceed the limit: two markers of maximum length, and the line with
/// the reference.
const SLACK_BYTES: usize = 2 * MARKER_BYTES + "<<<SHADOW:shadow_0123456789abcdef0123456789abcdef>>>\n".len();

/// True when `sent` is longer than a capped result can be.
#[must_use]
pub fn is_exceeded(plan: &Plan, sent: &str) -> bool {
    plan.max_bytes > 0 && sent.len() > plan.max_bytes.saturating_add(SLACK_BYTES)
}

/// The number of lines kept before and after an error: the place where it happened, and the lines that point into it.
const LINES_BEFORE: usize = 1;
const LINES_AFTER: usize = 2;

/// The lines around errors may take up to this multiple of the limit.
const MAX_ERROR_FACTOR: usize = 3;

/// The kept parts of a text.
struct Cut {
    /// The head, the parts kept between head and tail, and the tail, in order.
    kept: Vec<Range<usize>>,
    /// True when there are errors between head and tail.
    errors: bool,
}

impl Cut {
    fn of(text: &str, limit: usize) -> Option<Self> {
        if limit == 0 || text.len() <= limit.saturating_add(SLACK_BYTES) {
            return None;
        }
        let ends = Part::of(text, limit, (60, 40));
        let errors = ends.lost_errors(text, limit).next().is_some();
        let kept = if errors { around(text, limit) } else { vec![0..ends.head, ends.tail..text.len()] };
        let gap = kept.windows(2).any(|pair| pair[0].end < pair[1].start);
        gap.then_some(Self { kept, errors })
    }

    fn edit(&self, text: &str) -> Edit {
        let (mut out, mut end) = (String::new(), 0);
        for part in &self.kept {
            if part.start > end {
                out.push_str(if out.ends_with('\n') { "" } else { "\n" });
                out.push_str(&marker(part.start - end));
            }
            out.push_str(&text[part.clone()]);
            end = part.end;
        }
        Edit { text: out, loss: Loss::Detail, note: String::new() }
    }
}

/// The end of a text's head and the start of its tail.
struct Part {
    head: usize,
    tail: usize,
}

impl Part {
    /// The head and the tail, each with its percentage of the limit.
    fn of(text: &str, limit: usize, (head, tail): (usize, usize)) -> Self {
        Self {
            head: break_before(text, 0..share(limit, head)),
            tail: break_behind(text, text.len() - share(limit, tail)..text.len()),
        }
    }

    /// The positions of errors between head and tail.
    fn lost_errors(&self, text: &str, limit: usize) -> impl Iterator<Item = Range<usize>> {
        let (head, tail, size) = (self.head, self.tail, share(limit, 20));
        signal::signals(text)
            .skip_while(move |signal| signal.line.end <= head)
            .map(move |signal| place(&signal, size))
            .filter(move |place| place.end > head)
            .take_while(move |place| place.start < tail)
    }
}

/// The ranges to keep: the head, a window at the first error after it, the lines around further errors, and the tail.
fn around(text: &str, limit: usize) -> Vec<Range<usize>> {
    let ends = Part::of(text, limit, (45, 35));
    let size = share(limit, 20);
    let (mut kept, mut left) = (Vec::new(), limit.saturating_mul(MAX_ERROR_FACTOR));
    kept.push(0..ends.head);
    for lost in ends.lost_errors(text, limit) {
        let seen = kept.last().map_or(0, |last| last.end);
        if lost.end <= seen {
            continue;
        }
        let part = if kept.len() > 1 {
            near(text, &lost)
        } else {
            // A window that would overlap the tail begins earlier, so that the whole limit is used.
            let early = break_behind(text, ends.tail.saturating_sub(size)..ends.tail);
            let start = lost.start.min(early);
            start..break_before(text, start..(start + size).min(text.len())).max(lost.end)
        };
        let part = part.start.clamp(seen, ends.tail)..part.end.clamp(seen, ends.tail);
        // The marker in front of the part takes space as well.
        left = left.saturating_sub(part.len() + MARKER_BYTES);
        if left == 0 {
            break;
        }
        kept.push(part);
    }
    kept.push(ends.tail..text.len());
    kept
}

/// A range, extended by the lines around it.
fn near(text: &str, place: &Range<usize>) -> Range<usize> {
    let before = text[..place.start].rmatch_indices('\n').nth(LINES_BEFORE).map_or(0, |(at, _)| at + 1);
    let behind = text[place.end..].match_indices('\n').nth(LINES_AFTER).map(|(at, _)| place.end + at + 1);
    before..behind.unwrap_or(text.len())
}

/// The last position within `range` at which a text may be cut: after a line, else after a blank near the end of the
/// range.
fn break_before(text: &str, range: Range<usize>) -> usize {
    let range = range.start..text.floor_char_boundary(range.end);
    let part = &text[range.clone()];
    let behind = |sign: char| part.rfind(sign).map(|at| at + 1).filter(|at| at * 2 >= part.len());
    behind('\n').or_else(|| behind(' ')).map_or(range.end, |at| range.start + at)
}

/// The first position within `range` at which a text may be cut: after a line, else after a blank near the start.
fn break_behind(text: &str, range: Range<usize>) -> usize {
    let range = text.ceil_char_boundary(range.start)..range.end;
    if text[..range.start].ends_with('\n') {
        return range.start;
    }
    let part = &text[range.clone()];
    let behind = |sign: char| part.find(sign).map(|at| at + 1).filter(|at| at * 2 <= part.len());
    behind('\n').or_else(|| behind(' ')).map_or(range.start, |at| range.start + at)
}

fn marker(bytes: usize) -> String {
    format!("[Tool output capped: {bytes} bytes removed]\n")
}

fn share(limit: usize, percent: usize) -> usize {
    limit / 100 * percent + limit % 100 * percent / 100
}

/// The part of a signal that must be kept: its line, or only its words if the line is too long for the window.
fn place(signal: &Signal, size: usize) -> Range<usize> {
    if signal.line.len() > size { signal.words.clone() } else { signal.line.clone() }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::call::Call;
    use crate::plan::Plan;

    /// The output of the stage that applies, with the name of that stage.
    fn cap(limit: usize, text: &str) -> Option<(&'static str, String)> {
        let plan = Plan { max_bytes: limit, ..Plan::default() };
        let scene = Scene::of(&plan, Call::default());
        let stages: [&dyn Stage; 2] = [&Cap::ERROR_WINDOW, &Cap::ENDS];
        let mut edits = stages
            .iter()
            .filter_map(|stage| Some((stage.name(), stage.apply(scene, &TextView::new(text))?.text)));
        let first = edits.next();
        assert_eq!(edits.next(), None, "one stage speaks");
        first
    }

    /// Lines of ten bytes each, which make positions easy to count.
    fn lines(range: Range<usize>) -> String {
        range.map(|n| format!("line {n:04}\n")).collect::<Vec<_>>().concat()
    }

    /// Behaviour 3.5.
    #[test]
    fn head_and_tail_are_kept() {
        let text = lines(0..100);
        let expected = lines(0..30) + &marker(500) + &lines(80..100);
        assert_eq!(cap(500, &text), Some(("cap", expected)));
        for limit in [0, 1000, 900, usize::MAX] {
            assert_eq!(cap(limit, &text), None);
        }
    }

    #[test]
    fn cuts_fall_between_lines() {
        let text = lines(0..400);
        for limit in 100..300 {
            let (_, out) = cap(limit, &text).unwrap();
            let sound = |line: &str| line.len() == 9 || line.starts_with("[Tool output capped: ");
            assert!(out.lines().all(sound), "{limit}\n{out}");
        }
    }

    #[test]
    fn a_line_longer_than_all_is_cut_at_a_blank() {
        let (_, out) = cap(200, &"some words ".repeat(90)).unwrap();
        let parts: Vec<&str> = out.lines().collect();
        assert!(parts[0].ends_with("words ") || parts[0].ends_with("some "), "{out}");
        assert!(parts[2].starts_with("some ") || parts[2].starts_with("words "), "{out}");
        let (_, out) = cap(200, &"x".repeat(900)).unwrap();
        assert_eq!(out, format!("{}\n{}{}", "x".repeat(120), marker(700), "x".repeat(80)));
    }

    /// Behaviour 3.5 and 3.18: no character is split, and the counts are correct.
    #[test]
    fn characters_stay_whole() {
        for limit in 1..200 {
            for text in ["日本語".repeat(60), "🎉\n".repeat(90), "é fine: é\n".repeat(50)] {
                let (_, out) = cap(limit, &text).unwrap();
                let (kept, removed) = account(&out);
                let added = usize::from(!text.contains('\n') && !out.starts_with("\n["));
                assert!((kept + removed).abs_diff(text.len()) <= 1 + added, "{limit} {text} {out}");
                assert!(out.len() <= limit + SLACK_BYTES);
                assert_eq!(cap(limit, &out), None, "never twice");
            }
        }
    }

    /// The number of bytes kept, and the number that the markers report as removed.
    fn account(out: &str) -> (usize, usize) {
        let counts: Vec<usize> = out
            .split("[Tool output capped: ")
            .skip(1)
            .map(|rest| rest.split(' ').next().unwrap().parse().unwrap())
            .collect();
        assert!(!counts.is_empty());
        let markers: usize = counts.iter().map(|&count| marker(count).len()).sum();
        (out.len() - markers, counts.iter().sum())
    }

    /// Behaviour 3.6.
    #[test]
    fn the_first_lost_error_is_kept_in_a_window() {
        let text = lines(0..200) + "error: it broke\n" + &lines(200..400);
        let (name, out) = cap(1000, &text).unwrap();
        let window = "error: it broke\n".to_owned() + &lines(200..218);
        let expected = lines(0..45) + &marker(1550) + &window + &marker(1470) + &lines(365..400);
        assert_eq!((name, out), ("cap_error_window", expected));
    }

    /// Every error is kept with the lines around it, however many errors there are.
    #[test]
    fn every_error_is_kept() {
        let many: String =
            (0..40).map(|n| lines(n * 100..n * 100 + 90) + &format!("error: number {n}\n")).collect();
        let (name, out) = cap(2_000, &many).unwrap();
        assert_eq!((name, out.matches("error: number ").count()), ("cap_error_window", 40), "{out}");
        assert!(out.contains("]\nline 2089\nerror: number 20\nline 2100\nline 2101\n["), "{out}");
        let all = "error: and nothing else\n".repeat(2_000);
        assert!(cap(2_000, &all).unwrap().1.len() < 9_000, "but not without an end");
        assert_eq!(cap(20_000, &all), None, "what is all errors stays");
    }

    /// Behaviour 3.6: adjacent windows merge.
    #[test]
    fn windows_merge() {
        for at in [44, 45, 50, 57, 59, 61, 340, 360] {
            let text = lines(0..at) + "error: it broke, and here is why it did\n" + &lines(at..400);
            let (name, out) = cap(1000, &text).unwrap();
            let lost = (57..=360).contains(&at);
            assert_eq!(name, if lost { "cap_error_window" } else { "cap" }, "{at}");
            assert!(out.contains("error: it broke, and here is why it did\n"), "{at}");
            assert_eq!(account(&out).0 + account(&out).1, text.len());
        }
    }

    #[test]
    fn errors_in_long_lines_are_found() {
        let text = "x".repeat(3000) + " error: y " + &"z".repeat(3000);
        let (name, out) = cap(1000, &text).unwrap();
        assert_eq!(name, "cap_error_window");
        assert!(out.contains("]\nerror: y zz"), "{out}");
    }

    /// Behaviour 3.6: errors that are kept in the head do not prevent the search from finding later ones.
    #[test]
    fn many_errors_in_the_head_hide_none_behind() {
        let text = "error: a\n".repeat(500) + &"fine\n".repeat(1000) + "fatal: b\n" + &"fine\n".repeat(2000);
        let (name, out) = cap(10_000, &text).unwrap();
        assert!(name == "cap_error_window" && out.contains("]\nfatal: b\n"));
    }
}
