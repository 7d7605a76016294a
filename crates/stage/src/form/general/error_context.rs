//! Marks lines that report a gap, or are read together with an error or a warning, in which no part is replaced by a sign.

use crate::form::general::alarm::FAILURE_MARKS;
use crate::form::general::source::ReadText;
use crate::{omit, signal};

/// Lines below and above an error that may belong to it.
const LINES_BELOW: usize = 40;
const LINES_ABOVE: usize = 2;

/// Longer lines, in bytes, may contain signs even with an error word.
const LONG_LINE_BYTES: usize = 600;

/// For each line, whether it is read together with an error or a warning. The lines that belong to an error end at a
/// blank line or at one with a time of its own.
pub(super) fn kept_lines(source: &ReadText<'_>) -> Vec<bool> {
    let mut kept = vec![false; source.lines.len()];
    let belongs = |at: &usize| {
        let line = source.lines[*at].of(source.text);
        line.len() <= LONG_LINE_BYTES && !source.timed[*at] && !line.trim().is_empty()
    };
    for at in 0..kept.len() {
        let line = source.lines[at].of(source.text);
        let (points, signals) = (is_pointer(line), signal::find(line).is_some());
        kept[at] |= line.len() <= LONG_LINE_BYTES && (signals || source.words.is_alarming(at as u32));
        kept[at] |= omit::is_mark(line);
        if points || signals || is_failed_test(line) {
            let above = (0..at).rev().take(LINES_ABOVE).take_while(belongs).count();
            let below = if points { 0 } else { LINES_BELOW };
            let below = (at + 1..kept.len()).take(below).take_while(belongs).count();
            kept[at - above..=at + below].fill(true);
        }
    }
    kept
}

/// True for a line that only points into the one above.
fn is_pointer(line: &str) -> bool {
    line.contains('^') && line.bytes().all(|byte| b"^~-| ".contains(&byte))
}

/// True for the line of a failed test. A `×` marks one only at the start of a line; elsewhere it means "times".
fn is_failed_test(line: &str) -> bool {
    let line = line.trim_start();
    line.starts_with(FAILURE_MARKS) || line.starts_with('×')
}
