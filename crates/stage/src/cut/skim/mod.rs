//! Long output that no one edits, as a reader skims it: both ends, what went wrong, and the lines that lead the rest.
//!
//! What is missing is said by the numbers of its lines, by which it can be asked for. So a text that another stage has
//! cut already, or that is JSON, is left alone: its lines are not those of the original any more.

mod budget;
mod lead;

use self::budget::Budget;
use self::lead::Lead;
use crate::plan::{Loss, Mode, Reader};
use crate::read::json;
use crate::stage::{Edit, Scene, Stage};
use crate::{omit, signal};

/// A long text that is read from a screen.
pub(crate) struct Skim;

/// Shorter texts are read in one go.
const MIN_BYTES: usize = 4_000;

/// Lines before one that tells of an error that stay, and behind it.
const NEAR: (usize, usize) = (1, 2);

/// A shorter run of lines, in bytes, costs as much as the words that stand for it.
const MIN_RUN: usize = 120;

/// Bytes that are shown of a line that leads others.
const WIDTH: usize = 160;

impl Stage for Skim {
    fn name(&self) -> &'static str {
        "skim"
    }

    fn mode(&self) -> Mode {
        Mode::Standard
    }

    fn reader(&self) -> Reader {
        Reader::Strong
    }

    fn apply(&self, scene: Scene<'_>, text: &str) -> Option<Edit> {
        if text.len() < MIN_BYTES || json::opens(text) {
            return None;
        }
        let budget = Budget::of(scene.call, text)?;
        let lines: Vec<&str> = text.split_inclusive('\n').collect();
        if lines.iter().any(|line| omit::is_said(line)) {
            return None;
        }
        let short = write(&lines, &shown(&lines, &budget)?);
        (short.len() * 4 <= text.len() * 3).then_some(Edit {
            text: short,
            loss: Loss::Detail,
            note: String::new(),
        })
    }
}

/// What is shown of a line.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Shown {
    Nothing,
    Beginning,
    Whole,
}

/// What is shown of each line; `None` if the ends meet.
fn shown(lines: &[&str], budget: &Budget) -> Option<Vec<Shown>> {
    let head = within(lines.iter(), budget.head);
    let tail = lines.len() - within(lines.iter().rev(), budget.tail);
    if head >= tail {
        return None;
    }
    let mut shown = vec![Shown::Whole; lines.len()];
    shown[head..tail].fill(Shown::Nothing);
    for at in head..tail {
        if signal::find(lines[at].trim_end()).is_some() {
            let near = at.saturating_sub(NEAR.0)..(at + NEAR.1 + 1).min(lines.len());
            shown[near].fill(Shown::Whole);
        }
    }
    lead_on(lines, &mut shown, budget.between);
    Some(shown)
}

/// How many lines fit into so many bytes.
fn within<'a>(lines: impl Iterator<Item = &'a &'a str>, bytes: usize) -> usize {
    let sums = lines.scan(0, |sum, line| {
        *sum += line.len();
        Some(*sum)
    });
    sums.take_while(|sum| *sum <= bytes).count()
}

/// Shows the lines that lead others, the most telling first, until they have used up `room`. Where there are too many
/// of a kind, they are picked from all over the text.
fn lead_on(lines: &[&str], shown: &mut [Shown], mut room: usize) {
    let leads = lead::leads(lines);
    for kind in Lead::ALL {
        let cost = |at: usize| lines[at].len().min(WIDTH) + MARK;
        let of_kind = |at: &usize| leads[*at] == Some(kind) && shown[*at] == Shown::Nothing;
        let places: Vec<usize> = (0..lines.len()).filter(of_kind).collect();
        let all: usize = places.iter().map(|at| cost(*at)).sum();
        let step = all.div_ceil(room.max(1)).max(1);
        for at in places.into_iter().step_by(step) {
            if cost(at) > room {
                return;
            }
            room -= cost(at);
            shown[at] = Shown::Beginning;
        }
    }
}

/// What the words cost, in bytes, that stand for the lines before a line that is shown.
const MARK: usize = 20;

/// The lines as they are shown, with the numbers of those that are not.
fn write(lines: &[&str], shown: &[Shown]) -> String {
    let mut out = String::new();
    let mut at = 0;
    for run in shown.chunk_by(|one, two| one == two) {
        let part = &lines[at..at + run.len()];
        at += run.len();
        match run[0] {
            Shown::Nothing if part.iter().map(|line| line.len()).sum::<usize>() >= MIN_RUN => {
                out.push_str(&omit::numbered(at + 1 - part.len(), at));
                out.push('\n');
            }
            Shown::Beginning => part.iter().for_each(|line| {
                out.push_str(&omit::clip(line.trim_end(), WIDTH));
                out.push('\n');
            }),
            _ => out.extend(part.iter().copied()),
        }
    }
    out
}
