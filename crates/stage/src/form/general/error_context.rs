//! Marks the lines in which no text is replaced by a sign: lines that report an omission, and lines that are read
//! together with an error or a warning.

use crate::form::general::alarm::FAILURE_MARKS;
use crate::form::general::source::ReadText;
use crate::{omit, signal};

/// The number of lines below and above an error that may belong to it.
const LINES_BELOW: usize = 40;
const LINES_ABOVE: usize = 2;

/// Lines of more bytes than this may contain signs even if they contain an error word.
const LONG_LINE_BYTES: usize = 600;

/// For each line, whether it must stay free of signs. The lines that belong to an error end at a blank line, at a long
/// line, or at a line with its own time.
pub(super) fn kept_lines(source: &ReadText<'_>) -> Vec<bool> {
    let mut kept = vec![false; source.lines.len()];
    let belongs = |at: &usize| {
        let line = source.lines[*at].of(source.text);
        line.len() <= LONG_LINE_BYTES && !source.timed[*at] && !line.trim().is_empty()
    };
    let mut signals = signal::signals(source.text).map(|signal| signal.line.start).peekable();
    for at in 0..kept.len() {
        let line = source.lines[at].of(source.text);
        let signals = signals.next_if_eq(&source.lines[at].from()).is_some();
        let points = is_pointer(line);
        kept[at] |= line.len() <= LONG_LINE_BYTES && (signals || source.words.is_alarming(at as u32));
        kept[at] |= omit::is_marker(line);
        if points || signals || is_failed_test(line) {
            let above = (0..at).rev().take(LINES_ABOVE).take_while(belongs).count();
            let below = if points { 0 } else { LINES_BELOW };
            let below = (at + 1..kept.len()).take(below).take_while(belongs).count();
            kept[at - above..=at + below].fill(true);
        }
    }
    kept
}

/// True for a line that only points at part of the line above.
fn is_pointer(line: &str) -> bool {
    line.bytes().all(|byte| matches!(byte, b'^' | b'~' | b'-' | b'|' | b' ')) && line.contains('^')
}

/// True for the line of a failed test. The sign `×` marks a failed test only at the start of a line; elsewhere it means
/// "times".
fn is_failed_test(line: &str) -> bool {
    let line = line.trim_start();
    line.starts_with(FAILURE_MARKS) || line.starts_with('×')
}
