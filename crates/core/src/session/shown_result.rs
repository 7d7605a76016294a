//! One earlier result, as the model sees it.

use std::collections::HashMap;
use std::ops::Range;

use tersely_stage::form::NUMBERED;
use tersely_stage::{Call, ToolKind, stands_alone};

use crate::pipeline::footer::{self, WRAPPED};
use crate::session::line::SessionLine;
use crate::session::name::ResultNames;
use crate::session::source::Source;
use crate::session::{line, words};

/// A text that was sent, and the names that refer to it.
pub(super) struct ShownResult {
    pub(super) id: String,
    pub(super) tool: String,
    pub(super) command: Option<String>,
    pub(super) names: ResultNames,
    pub(super) source: Source,
    pub(super) text: String,
    /// Lines that references may lead to; empty if a heading changes the meaning of the lines.
    pub(super) lines: Vec<SessionLine>,
    /// True when the result contains no references.
    pub(super) is_whole: bool,
    /// The text with references resolved, if that differs from the text as sent.
    stands_for: Option<String>,
    /// How many consecutive outputs of the same command, up to this one, left out unchanged lines.
    pub(super) repeats: usize,
    /// The indices of the numbered lines, if references identify the lines of this text by their numbers.
    numbered: Vec<usize>,
}

/// A text that is sent, and the same text with its references resolved.
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

/// The minimum number of numbered lines in a gutter. Fewer numbers may have another meaning.
const MIN_NUMBERED_LINES: usize = 4;

/// The approximate memory use of a line and its index entries, in bytes.
const BYTES_PER_LINE: usize = 160;

impl ShownResult {
    /// The text that was sent for a call, with its names.
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
            repeats: 0,
            numbered: numbered_lines(&lines),
            lines,
        }
    }

    /// The approximate memory use of the result, including its index entries, in bytes.
    pub(super) fn bytes(&self) -> usize {
        let stands_for = self.stands_for.as_ref().map_or(0, String::len);
        self.text.len() + stands_for + self.lines.len() * BYTES_PER_LINE
    }

    /// The text with references resolved.
    pub(super) fn stands_for(&self) -> &str {
        self.stands_for.as_ref().unwrap_or(&self.text)
    }

    /// True when the tool of `call` returned this result.
    pub(super) fn is_of(&self, call: Call<'_>) -> bool {
        let kind = Call { tool: &self.tool, ..Call::default() }.tool_kind();
        kind == call.tool_kind() && (kind != ToolKind::Generic || self.tool == call.tool)
    }

    /// True when the result shows the same file as `call`, or is the output of the same command.
    pub(super) fn is_same_file(&self, call: Call<'_>) -> bool {
        self.is_of(call) && self.command.as_deref() == call.command
    }

    /// True when references identify its lines by the numbers that they begin with.
    pub(super) fn is_numbered(&self) -> bool {
        !self.numbered.is_empty()
    }

    /// The index of the line with this number.
    pub(super) fn place_of(&self, number: usize) -> Option<usize> {
        let at = self.numbered.binary_search_by_key(&Some(number), |at| self.lines[*at].number).ok()?;
        self.numbered.get(at).copied()
    }

    /// The index of the line that a quote refers to; `None` unless exactly one line matches, counting lines that
    /// references stand for.
    pub(super) fn place_quoted(&self, quote: &str) -> Option<usize> {
        let hidden = |text: &String| text.lines().filter(|line| line.trim() == quote).count() > 1;
        if self.stands_for.as_ref().is_some_and(hidden) {
            return None;
        }
        let mut found = (0..self.lines.len()).filter(|at| self.lines[*at].full(&self.text).trim() == quote);
        let place = found.next()?;
        found.next().is_none().then_some(place)
    }

    /// How often each line occurs in the text with references resolved, by the line's quoted form.
    pub(super) fn quotes(&self) -> HashMap<&str, usize> {
        let mut quotes = HashMap::new();
        for line in self.stands_for().split('\n') {
            *quotes.entry(line.trim()).or_default() += 1;
        }
        quotes
    }

    /// True when the result is shown below a reference to its original.
    pub(super) fn is_cut(&self) -> bool {
        self.text.starts_with(REFERENCE_OPEN)
    }
}

/// The beginning of a text that refers to its original.
const REFERENCE_OPEN: &str = "<<<";

/// The lines of a text that can be understood on their own: all lines if the text has no form, the lines above the
/// footer if the form keeps lines unchanged, else none.
pub(super) fn lines(text: &str) -> Option<Vec<SessionLine>> {
    // The first line is a reference to the original, or an escaped imitation of one, and not a line of the result.
    if text.starts_with(REFERENCE_OPEN) {
        return None;
    }
    let Some(signed) = footer::read(text) else { return Some(line::lines(text, 0..text.len())) };
    if signed.is_ours() && signed.stage().0 == WRAPPED {
        // The first line is the JSON that the text was wrapped in.
        let start = signed.body.find('\n')? + 1;
        return kept_lines(text, start..signed.body.len());
    }
    kept_lines(text, 0..text.len())
}

/// The lines of a part of a text, if the text has no form or its form keeps lines unchanged.
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

/// True when lines begin with numbers by which references can identify them.
pub(super) fn is_numbered(lines: &[SessionLine]) -> bool {
    !numbered_lines(lines).is_empty()
}

/// The indices of the numbered lines, if the numbers are in ascending order.
fn numbered_lines(lines: &[SessionLine]) -> Vec<usize> {
    let numbered: Vec<usize> = (0..lines.len()).filter(|at| lines[*at].number.is_some()).collect();
    let grows = numbered.windows(2).all(|pair| lines[pair[0]].number < lines[pair[1]].number);
    if grows && numbered.len() >= MIN_NUMBERED_LINES { numbered } else { Vec::new() }
}
