//! Lines that report an error, a warning or a gap: no sign stands for a part of these.

use crate::form::general::source::ReadText;
use crate::{omit, signal};

/// Lines below an error that may belong to it, and above.
const BELOW: usize = 40;
const ABOVE: usize = 2;

/// A long line with an error word in it may have signs.
const LONG: usize = 600;

/// Of each line, whether it is read with an error or a warning. What belongs to an error ends at a blank line, or at one with
/// a time of its own.
pub(super) fn kept_lines(source: &ReadText<'_>) -> Vec<bool> {
    let mut kept = vec![false; source.lines.len()];
    let belongs = |at: &usize| {
        let line = source.lines[*at].of(source.text);
        line.len() <= LONG && !source.timed[*at] && !line.trim().is_empty()
    };
    for at in 0..kept.len() {
        let line = source.lines[at].of(source.text);
        let (points, tells) = (points(line), signal::find(line).is_some());
        kept[at] |= line.len() <= LONG && (tells || source.words.is_alarming(at as u32));
        kept[at] |= omit::is_mark(line);
        if points || tells || line.trim_start().starts_with(FAILED) {
            let above = (0..at).rev().take(ABOVE).take_while(belongs).count();
            let below = if points { 0 } else { BELOW };
            let below = (at + 1..kept.len()).take(below).take_while(belongs).count();
            kept[at - above..=at + below].fill(true);
        }
    }
    kept
}

/// True for a line that does nothing but point into the one above.
fn points(line: &str) -> bool {
    line.contains('^') && line.bytes().all(|byte| b"^~-| ".contains(&byte))
}

/// What a line of a test that failed begins with.
const FAILED: [char; 6] = ['●', '✕', '✗', '✖', '❌', '×'];
