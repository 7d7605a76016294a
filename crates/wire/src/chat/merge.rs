//! Writes the chunks of all rounds as the chunks of one answer.

use std::borrow::Cow;
use std::ops::Range;

use serde_json::json;
use tersely_json::{BytePatch, string};

use super::chunk::{ChatChunk, DeltaPart, is_nothing};
use crate::hidden::tally::UsageTally;
use crate::hidden::words::gap_between;
use crate::protocol::framing::EventFrame;

/// Writes one answer, and tracks which parts of it the client has seen.
#[derive(Debug, Default)]
pub(super) struct ChunkWriter {
    /// The total usage of all rounds.
    pub(super) tally: UsageTally,
    /// The id and the time of the first chunk, as JSON.
    head: Option<[String; 2]>,
    has_role: bool,
    /// The last character of the text so far.
    last: Option<char>,
    /// The current round.
    round: usize,
    /// The latest round that contained text.
    text_round: usize,
}

/// The parts of a chunk that the client sees.
#[derive(Debug, Default)]
pub(super) struct ChunkView {
    /// The pieces of calls, each with its call number.
    pub(super) calls: Vec<(usize, u64)>,
    pub(super) rest: DeltaRest,
    /// The new stop reason as JSON; `None` leaves the stop reason unchanged.
    pub(super) finish: Option<String>,
    pub(super) usage: UsageView,
}

/// How the usage of a chunk is shown.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub(super) enum UsageView {
    /// Leave the usage unchanged.
    #[default]
    Original,
    /// Show the sum of all rounds.
    Sum,
    /// Show `null`.
    Null,
}

/// How the members of a delta other than its calls are shown.
#[derive(Debug, Default)]
pub(super) enum DeltaRest {
    /// Show them in full.
    #[default]
    All,
    /// Omit them.
    None,
    /// Replace the whole delta by this one.
    Other(String),
}

impl ChunkWriter {
    /// Records the id and the time of the first chunk, and the usage of every chunk.
    pub(super) fn observe(&mut self, chunk: &ChatChunk<'_>) {
        if let Some(usage) = chunk.usage() {
            self.tally.record(&usage);
        }
        let raw = |place: &Option<Range<usize>>| {
            place.as_ref().map(|it| string::raw(it, chunk.data)).unwrap_or_default()
        };
        self.head.get_or_insert_with(|| [raw(&chunk.id), raw(&chunk.created)]);
    }

    /// Starts the round that follows a hidden result.
    pub(super) fn next_round(&mut self) {
        self.round += 1;
    }

    /// True when the client has received no text.
    pub(super) fn is_silent(&self) -> bool {
        self.last.is_none()
    }

    /// True when a chunk has content in addition to its calls.
    pub(super) fn has_rest(&self, chunk: &ChatChunk<'_>) -> bool {
        chunk.parts.iter().any(|part| match part.name.as_str() {
            "tool_calls" => false,
            "role" => !self.has_role,
            _ => !is_nothing(&chunk.data[part.value.clone()]),
        })
    }

    /// Appends the visible part of a chunk, in the event that contained the chunk.
    pub(super) fn write(
        &mut self,
        view: &ChunkView,
        frame: EventFrame<'_>,
        chunk: &ChatChunk<'_>,
        out: &mut Vec<u8>,
    ) {
        let mut patch = BytePatch::default();
        for (place, first) in [&chunk.id, &chunk.created].into_iter().zip(self.head.iter().flatten()) {
            let differs =
                |place: &&Range<usize>| !first.is_empty() && string::raw(place, chunk.data) != *first;
            if let Some(place) = place.as_ref().filter(differs) {
                patch.put(place.clone(), first.clone());
            }
        }
        let finish = chunk.finish.clone().zip(view.finish.clone());
        let delta = chunk.delta.clone().zip(self.delta(view, chunk));
        for (place, text) in [finish, delta].into_iter().flatten() {
            patch.put(place, text);
        }
        match (chunk.usage(), view.usage) {
            (Some(usage), UsageView::Sum) => self.tally.update(&usage, &mut patch),
            (Some(usage), UsageView::Null) => patch.put(usage.span, *b"null"),
            (None, _) | (_, UsageView::Original) => {}
        }
        frame.write(patch, chunk.data, out);
        self.remember(view, chunk);
    }

    /// The visible delta; `None` when the delta is unchanged.
    fn delta(&self, view: &ChunkView, chunk: &ChatChunk<'_>) -> Option<String> {
        if let DeltaRest::Other(delta) = &view.rest {
            return Some(delta.clone());
        }
        let came = |part: &DeltaPart| Some(string::raw(&part.member, chunk.data));
        let shown: Vec<_> = chunk.parts.iter().map(|part| self.part(part, view, chunk)).collect();
        let is_same = shown.iter().zip(&chunk.parts).all(|(shown, part)| *shown == came(part));
        (!is_same).then(|| format!("{{{}}}", shown.into_iter().flatten().collect::<Vec<_>>().join(",")))
    }

    /// The visible form of a member of a delta.
    fn part(&self, part: &DeltaPart, view: &ChunkView, chunk: &ChatChunk<'_>) -> Option<String> {
        let came = string::raw(&part.member, chunk.data);
        match part.name.as_str() {
            "tool_calls" if chunk.pieces.is_empty() => Some(came),
            "tool_calls" if view.calls.is_empty() => None,
            "tool_calls" => {
                Some(chunk.calls(&view.calls).map_or(came, |calls| format!("\"tool_calls\":{calls}")))
            }
            _ if matches!(view.rest, DeltaRest::None) => None,
            "role" if self.round > 0 && self.has_role => None,
            "content" => Some(self.apart(part, chunk).unwrap_or(came)),
            _ => Some(came),
        }
    }

    /// The first text of a round, with a gap in front that separates it from earlier text; `None` when no gap is
    /// needed.
    fn apart(&self, part: &DeltaPart, chunk: &ChatChunk<'_>) -> Option<String> {
        let content = content(part, chunk).filter(|_| self.round > self.text_round)?;
        let gap = gap_between(self.last, content.chars().next());
        (!gap.is_empty()).then(|| format!("\"content\":{}", json!(format!("{gap}{content}"))))
    }

    fn remember(&mut self, view: &ChunkView, chunk: &ChatChunk<'_>) {
        if !matches!(view.rest, DeltaRest::All) {
            return;
        }
        for part in &chunk.parts {
            self.has_role |= part.name == "role" && !is_nothing(&chunk.data[part.value.clone()]);
            if let Some(last) = content(part, chunk).and_then(|content| content.chars().last()) {
                (self.last, self.text_round) = (Some(last), self.round);
            }
        }
    }
}

/// The text of this member, if the member is `content`.
fn content<'a>(part: &DeltaPart, chunk: &ChatChunk<'a>) -> Option<Cow<'a, str>> {
    let value = (part.name == "content").then(|| &chunk.data[part.value.clone()])?;
    string::decode(value)
}
