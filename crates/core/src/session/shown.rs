//! One result as a request shows it.

use super::line::{self, Line};
use super::{duplicate, note};
use crate::{Call, Tool, reference};

/// A text that was sent, and what can be named of it.
pub(super) struct Shown {
    pub(super) id: String,
    pub(super) tool: String,
    pub(super) text: String,
    pub(super) lines: Vec<Line>,
    /// True when nothing of it stands elsewhere.
    pub(super) is_whole: bool,
    /// The lines whose own numbers are how they are named; empty where they cannot be.
    numbered: Vec<usize>,
}

/// Fewer numbers than this may be anything.
const MIN_NUMBERED: usize = 4;

/// What it takes to know a line and to find it.
const A_LINE: usize = 160;

impl Shown {
    /// The text that was sent for a call.
    pub(super) fn of(call: Call<'_>, text: &str) -> Self {
        let mut lines = line::lines(text);
        let referring = note::open(reference::split(text).map_or(text, |(_, body)| body)).is_some();
        if referring {
            for line in &mut lines {
                line.is_reference = note::mentions(line.full(text));
            }
        }
        let is_whole = !referring && duplicate::id(text).is_none();
        let numbered = numbered(&lines);
        Self {
            id: call.id.to_owned(),
            tool: call.tool.to_owned(),
            text: text.to_owned(),
            lines,
            is_whole,
            numbered,
        }
    }

    /// About how many bytes it takes, with what finds its lines.
    pub(super) fn bytes(&self) -> usize {
        self.text.len() + self.lines.len() * A_LINE
    }

    /// True when the same tool gave it.
    pub(super) fn is_of(&self, call: Call<'_>) -> bool {
        let kind = Call { tool: &self.tool, ..Call::default() }.tool_kind();
        kind == call.tool_kind() && (kind != Tool::Generic || self.tool == call.tool)
    }

    /// True when lines of it are named by the numbers that they begin with.
    pub(super) fn is_numbered(&self) -> bool {
        !self.numbered.is_empty()
    }

    /// Where the line with this number stands.
    pub(super) fn place_of(&self, number: usize) -> Option<usize> {
        let at = self.numbered.binary_search_by_key(&Some(number), |at| self.lines[*at].number).ok()?;
        self.numbered.get(at).copied()
    }
}

/// The numbered lines, if their numbers only grow.
fn numbered(lines: &[Line]) -> Vec<usize> {
    let numbered: Vec<usize> = (0..lines.len()).filter(|at| lines[*at].number.is_some()).collect();
    let grows = numbered.windows(2).all(|pair| lines[pair[0]].number < lines[pair[1]].number);
    if grows && numbered.len() >= MIN_NUMBERED { numbered } else { Vec::new() }
}

/// True when an id can stand in a line of ours.
pub(super) fn can_be_named(id: &str) -> bool {
    !id.is_empty() && is_plain(id)
}

/// True of words that cannot be taken for notation.
pub(super) fn is_plain(word: &str) -> bool {
    let plain = |byte: u8| byte.is_ascii_alphanumeric() || b"_-.:|/".contains(&byte);
    word.len() <= MAX_NAME && word.bytes().all(plain)
}

/// Names are shorter.
const MAX_NAME: usize = 128;
