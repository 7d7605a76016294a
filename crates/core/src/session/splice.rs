//! Replaces lines with references, and references with lines.

use tersely_stage::Room;

use crate::session::line::SessionLine;
use crate::session::runs::LineRun;
use crate::session::shown_result::ShownResult;
use crate::session::words::{Lines, Reference};
use crate::session::{Session, words};

/// The text with its runs replaced by references.
pub(super) fn write(text: &str, lines: &[SessionLine], runs: &[LineRun]) -> Option<String> {
    let mut out = String::with_capacity(text.len());
    let mut from = 0;
    for run in runs {
        out.push_str(text.get(from..lines.get(run.at.start)?.start)?);
        out.push_str(&run.words);
        from = lines.get(run.at.end.checked_sub(1)?)?.end;
    }
    out.push_str(text.get(from..)?);
    Some(out)
}

/// The text with its references resolved; `None` when a reference cannot be resolved.
pub(super) fn resolve(room: Room, history: &Session, text: &str) -> Option<String> {
    let mut out = String::with_capacity(text.len() * 2);
    for (at, line) in text.split('\n').enumerate() {
        if at > 0 {
            out.push('\n');
        }
        match words::read(line) {
            Some(reference) => push_lines(history.find_by_name(reference.name)?, &reference, &mut out)?,
            None => out.push_str(line),
        }
        room.fits(out.len())?;
    }
    Some(out)
}

/// Appends the lines that a reference stands for.
fn push_lines(shown: &ShownResult, reference: &Reference<'_>, out: &mut String) -> Option<()> {
    match &reference.lines {
        Lines::All => None,
        Lines::Numbered(here, there) => {
            let start = shown.place_of(*there.start())?;
            let lines = shown_lines(shown, start, there.end() - there.start() + 1)?;
            for (line, number) in lines.iter().zip(here.clone()) {
                if number > *here.start() {
                    out.push('\n');
                }
                line.push_gutter(&shown.text, number, out);
                out.push_str(line.content(&shown.text));
            }
            (lines.last()?.number == Some(*there.end())).then_some(())
        }
        Lines::Block { count, first, last } => {
            let (start, end) = (shown.place_quoted(first)?, shown.place_quoted(last)?);
            let lines = shown_lines(shown, start, *count)?;
            out.push_str(&shown.text[lines.first()?.start..lines.last()?.end]);
            (start + count == end + 1).then_some(())
        }
    }
}

/// The `count` lines of a result from `start` on, if the result itself shows all of them.
fn shown_lines(shown: &ShownResult, start: usize, count: usize) -> Option<&[SessionLine]> {
    let lines = shown.lines.get(start..start.checked_add(count)?)?;
    (!lines.iter().any(|line| line.is_reference)).then_some(lines)
}
