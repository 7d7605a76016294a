//! Writes consecutive repeats of a line or a block of lines once, with a count: `(the line above 41 more times)`.

use crate::lines;
use crate::plan::{Loss, Mode};
use crate::room::Room;
use crate::stage::{Edit, Scene, Stage};
use crate::view::TextView;

/// A text that contains consecutive repeats.
pub(crate) struct Repeats;

impl Stage for Repeats {
    fn name(&self) -> &'static str {
        "repeats"
    }

    fn mode(&self) -> Mode {
        Mode::Standard
    }

    fn apply(&self, scene: Scene<'_>, text: &TextView<'_>) -> Option<Edit> {
        if text.is_source(scene.call) {
            return None;
        }
        let (text, repeats) = fold(text);
        (repeats > 0).then_some(Edit { text, loss: Loss::None, note: String::new() })
    }

    fn restore(&self, room: Room, note: &str, text: &str) -> Option<String> {
        if note.is_empty() { unfold(room, text) } else { None }
    }
}

/// The maximum number of lines in a repeated block.
const MAX_PERIOD_LINES: usize = 8;

/// The minimum length of repeats in bytes; shorter repeats cost less than the line that replaces them.
const MIN_BYTES: usize = 48;

/// A count represents at most this many bytes, or `MAX_BLOCKS` repeats if that is more.
const MAX_REPEAT_BYTES: usize = 5_000;
const MAX_BLOCKS: usize = 200;

/// Writes each repeat once. Returns the text and the number of repeats. Leaves the text unchanged if one of its lines
/// looks like our notation.
pub(crate) fn fold(text: &str) -> (String, usize) {
    let lines: Vec<&str> = lines::split(text).collect();
    if lines.iter().any(|line| read(line).is_some()) {
        return (text.to_owned(), 0);
    }
    let mut out = String::with_capacity(text.len());
    let mut at = 0;
    let mut repeats = 0;
    while at < lines.len() {
        let (period, more) = repeat(&lines, at).unwrap_or((1, 0));
        lines[at..at + period].iter().for_each(|line| out.extend([line, "\n"]));
        if more > 0 {
            repeats += 1;
            out.push_str(&render_count(period, more));
            out.push('\n');
        }
        at += period * (more + 1);
    }
    out.pop();
    (out, repeats)
}

/// Restores the original text; `None` when there are too few lines above a count, or too little room.
pub(crate) fn unfold(room: Room, text: &str) -> Option<String> {
    let mut out = String::with_capacity(text.len());
    for line in lines::split(text) {
        let Some((period, more)) = read(line) else {
            out.push_str(line);
            out.push('\n');
            continue;
        };
        let block = last_lines(&out, period)?;
        let end = out.len();
        room.fits(block.checked_mul(more)?.checked_add(end)?)?;
        (0..more).for_each(|_| out.extend_from_within(end - block..end));
    }
    out.pop();
    Some(out)
}

/// The length in bytes of the last `count` lines, including their newlines; `None` when there are fewer lines.
fn last_lines(text: &str, count: usize) -> Option<usize> {
    let body = text.strip_suffix('\n')?;
    let start = match body.rmatch_indices('\n').nth(count.checked_sub(1)?) {
        Some((before, _)) => before + 1,
        None if body.matches('\n').count() + 1 == count => 0,
        None => return None,
    };
    Some(text.len() - start)
}

/// The repeat starting at `at` that saves most: the number of lines in its block, and how many more times the block
/// follows.
fn repeat(lines: &[&str], at: usize) -> Option<(usize, usize)> {
    let rest = &lines[at..];
    let mut best: Option<(usize, usize, usize)> = None;
    for period in 1..=MAX_PERIOD_LINES.min(rest.len() / 2) {
        if rest[0] != rest[period] {
            continue;
        }
        let block: usize = rest[..period].iter().map(|line| line.len() + 1).sum();
        let most = MAX_BLOCKS.max(MAX_REPEAT_BYTES / block);
        let pairs = rest.iter().zip(&rest[period..]).take(most * period);
        let more = pairs.take_while(|(one, other)| one == other).count() / period;
        let saved = block * more;
        if saved >= MIN_BYTES && best.is_none_or(|(most, ..)| saved > most) {
            best = Some((saved, period, more));
        }
    }
    best.map(|(_, period, more)| (period, more))
}

fn render_count(period: usize, more: usize) -> String {
    let lines = if period == 1 { "line".to_owned() } else { format!("{period} lines") };
    let times = if more == 1 { "once more".to_owned() } else { format!("{more} more times") };
    format!("(the {lines} above {times})")
}

/// Parses a line written by `render_count`.
fn read(line: &str) -> Option<(usize, usize)> {
    let (lines, times) = line.strip_prefix("(the ")?.strip_suffix(')')?.split_once(" above ")?;
    let period = match lines.strip_suffix(" lines") {
        Some(count) => count.parse().ok()?,
        None => 1,
    };
    let more = match times.strip_suffix(" more times") {
        Some(count) => count.parse().ok()?,
        None => 1,
    };
    (render_count(period, more) == line && period > 0 && more > 0).then_some((period, more))
}

#[cfg(test)]
mod tests {
    use super::*;

    const LONG: &str = "a line that is long enough to be worth saying only once";

    fn check(text: &str, folded: &str) {
        assert_eq!(fold(text), (folded.to_owned(), 1), "{text}");
        assert_eq!(unfold(Room::of(folded), folded).as_deref(), Some(text), "{folded}");
    }

    #[test]
    fn repeats_are_written_once() {
        check(&format!("{LONG}\n{LONG}"), &format!("{LONG}\n(the line above once more)"));
        check(&format!("x\n{}y\n", "wait\n".repeat(42)), "x\nwait\n(the line above 41 more times)\ny\n");
        check(&"ping\r\npong\r\n".repeat(9), "ping\r\npong\r\n(the 2 lines above 8 more times)\n");
        check(&"\n".repeat(100), "\n(the line above 100 more times)");
    }

    #[test]
    fn blocks_keep_what_follows_them() {
        check(
            &format!("{}a\nbb", "a\nbb\nccc\n".repeat(20)),
            "a\nbb\nccc\n(the 3 lines above 19 more times)\na\nbb",
        );
    }

    /// Behaviour 3.8 and 17.13.
    #[test]
    fn lines_that_look_like_ours_come_back() {
        for line in ["(the 1 lines above 1 more times)", "3x foo", "\\", "\\(the line above once more)"] {
            for text in [format!("{LONG}\n{LONG}\n{line}\n{line}"), format!("{line}\n").repeat(9) + LONG] {
                let (folded, _) = fold(&text);
                assert_eq!(unfold(Room::of(&folded), &folded), Some(text), "{folded}");
            }
        }
        for line in ["(the line above once more)", "(the line above 41 more times)"] {
            let text = format!("{LONG}\n{LONG}\n{line}\n");
            assert_eq!(fold(&text), (text, 0));
        }
    }

    #[test]
    fn cycles_with_the_same_words_stay_apart() {
        let one = fold(&"a, b\nc\n".repeat(20));
        let other = fold(&"a\nb, c\n".repeat(20));
        assert_ne!(one, other);
    }

    /// A count represents only a limited number of repeats; the remaining repeats get counts of their own.
    #[test]
    fn long_repeats_are_written_in_parts() {
        for (block, most) in [("wait\n", 100_000), ("\n", 100_000), (&format!("{LONG}\n"), 10_000)] {
            let text = block.repeat(most);
            let (folded, repeats) = fold(&text);
            assert!(repeats > 1 && folded.len() * 100 < text.len(), "{}", folded.len());
            assert_eq!(unfold(Room::of(&folded), &folded).as_ref(), Some(&text));
        }
    }

    #[test]
    fn what_was_never_folded_is_declined() {
        for text in [
            "(the line above once more)",
            "a\n(the 2 lines above once more)",
            "a\n(the line above 99999999999 more times)",
            "a\n(the line above 134217727 more times)",
        ] {
            assert_eq!(unfold(Room::of(text), text), None, "{text}");
        }
        for text in ["", "a", "a\na\n", "\n\n\n"] {
            assert_eq!(fold(text), (text.to_owned(), 0), "{text}");
        }
    }
}
