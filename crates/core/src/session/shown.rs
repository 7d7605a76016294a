//! One result as a request shows it.

use std::collections::HashMap;
use std::ops::Range;

use tersely_stage::form::NUMBERED;
use tersely_stage::{Call, ToolKind, stands_alone};

use crate::pipeline::footer::{self, WRAPPED};
use crate::session::line::SessionLine;
use crate::session::name::ResultNames;
use crate::session::source::Source;
use crate::session::{line, words};

/// A text that was sent under a name.
pub(super) struct Shown {
    pub(super) id: String,
    pub(super) tool: String,
    pub(super) command: Option<String>,
    pub(super) names: ResultNames,
    pub(super) source: Source,
    pub(super) text: String,
    /// The lines that can be named; none where a head changes what lines say.
    pub(super) lines: Vec<SessionLine>,
    /// True when nothing of it stands elsewhere.
    pub(super) is_whole: bool,
    /// What it stands for, where that is more than it shows.
    stands_for: Option<String>,
    /// How many outputs of the same command up to this one leave out what has not changed.
    pub(super) looks: usize,
    /// The lines whose own numbers are how they are named; empty where they are not.
    numbered: Vec<usize>,
}

/// A text that is sent, and what it says with its references followed.
#[derive(Clone, Copy)]
pub(super) struct ShownText<'t> {
    pub(super) sent: &'t str,
    pub(super) stands_for: &'t str,
}

impl<'t> ShownText<'t> {
    /// A text without references.
    pub(super) fn same(text: &'t str) -> Self {
        Self { sent: text, stands_for: text }
    }
}

/// Fewer numbers than this may be anything.
const MIN_NUMBERED: usize = 4;

/// What it takes to know a line and to find it.
const A_LINE: usize = 160;

impl Shown {
    /// The text that was sent for a call, under its names.
    pub(super) fn of(
        call: Call<'_>,
        names: ResultNames,
        ShownText { sent: text, stands_for }: ShownText<'_>,
    ) -> Self {
        let mut lines = lines(text).unwrap_or_default();
        for line in &mut lines {
            line.is_reference = words::read(line.full(text)).is_some();
        }
        let is_whole = !lines.iter().any(|line| line.is_reference);
        Self {
            id: call.id.to_owned(),
            tool: call.tool.to_owned(),
            command: call.command.map(str::to_owned),
            names,
            source: Source::of(call),
            text: text.to_owned(),
            is_whole,
            stands_for: (text != stands_for).then(|| stands_for.to_owned()),
            looks: 0,
            numbered: numbered(&lines),
            lines,
        }
    }

    /// About how many bytes it takes, with what finds its lines.
    pub(super) fn bytes(&self) -> usize {
        let stands_for = self.stands_for.as_ref().map_or(0, String::len);
        self.text.len() + stands_for + self.lines.len() * A_LINE
    }

    /// All that it stands for.
    pub(super) fn stands_for(&self) -> &str {
        self.stands_for.as_ref().unwrap_or(&self.text)
    }

    /// True when the same tool gave it.
    pub(super) fn is_of(&self, call: Call<'_>) -> bool {
        let kind = Call { tool: &self.tool, ..Call::default() }.tool_kind();
        kind == call.tool_kind() && (kind != ToolKind::Generic || self.tool == call.tool)
    }

    /// True when it is of the file that a call shows.
    pub(super) fn is_same_file(&self, call: Call<'_>) -> bool {
        self.is_of(call) && self.command.as_deref() == call.command
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

    /// Where the only line stands that is quoted so, behind the references of the text too.
    pub(super) fn place_quoted(&self, quote: &str) -> Option<usize> {
        let hidden = |text: &String| text.lines().filter(|line| line.trim() == quote).count() > 1;
        if self.stands_for.as_ref().is_some_and(hidden) {
            return None;
        }
        let mut found = (0..self.lines.len()).filter(|at| self.lines[*at].full(&self.text).trim() == quote);
        let place = found.next()?;
        found.next().is_none().then_some(place)
    }

    /// How often each line stands in it, as it would be quoted, and behind its references.
    pub(super) fn quotes(&self) -> HashMap<&str, usize> {
        let mut quotes = HashMap::new();
        for line in self.stands_for().split('\n') {
            *quotes.entry(line.trim()).or_default() += 1;
        }
        quotes
    }

    /// True when a reader sees that something was left out of it.
    pub(super) fn is_cut(&self) -> bool {
        self.text.starts_with(CUT)
    }
}

/// What a text begins with that names its original.
const CUT: &str = "<<<";

/// The lines of a text that say the same wherever they stand: all of it where no form wrote it, what is above the last
/// line of a form that keeps lines as they are, and none otherwise.
pub(super) fn lines(text: &str) -> Option<Vec<SessionLine>> {
    // What names an original, or was told from such a text, has a first line of another meaning.
    if text.starts_with(CUT) {
        return None;
    }
    let Some(signed) = footer::read(text) else { return Some(line::lines(text, 0..text.len())) };
    if signed.is_ours() && signed.stage().0 == WRAPPED {
        // What a text was wrapped in stands on the first line.
        let start = signed.body.find('\n')? + 1;
        return kept_lines(text, start..signed.body.len());
    }
    kept_lines(text, 0..text.len())
}

/// The lines of a part of a text that no form wrote, or one that keeps lines as they are.
fn kept_lines(text: &str, part: Range<usize>) -> Option<Vec<SessionLine>> {
    let Some(signed) = footer::read(&text[part.clone()]) else { return Some(line::lines(text, part)) };
    let stage = signed.stage().0;
    if !signed.is_ours() || !stands_alone(stage) {
        return None;
    }
    let mut lines = line::lines(text, part.start..part.start + signed.body.len());
    if stage == NUMBERED {
        line::number_empty(&mut lines);
    }
    Some(lines)
}

/// True when lines begin with numbers by which they can be named.
pub(super) fn is_numbered(lines: &[SessionLine]) -> bool {
    !numbered(lines).is_empty()
}

/// The numbered lines, if their numbers only grow.
fn numbered(lines: &[SessionLine]) -> Vec<usize> {
    let numbered: Vec<usize> = (0..lines.len()).filter(|at| lines[*at].number.is_some()).collect();
    let grows = numbered.windows(2).all(|pair| lines[pair[0]].number < lines[pair[1]].number);
    if grows && numbered.len() >= MIN_NUMBERED { numbered } else { Vec::new() }
}
