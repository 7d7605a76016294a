//! Writes the chunks of all rounds as those of one answer.

use std::borrow::Cow;
use std::ops::Range;

use serde_json::json;

use super::chunk::{Chunk, Part, is_nothing};
use crate::hidden::frames::Frame;
use crate::hidden::tally::Tally;
use crate::hidden::words::gap;
use crate::json::patch::Patch;
use crate::json::text::{self, spelled};

/// What the client has seen of an answer.
#[derive(Debug, Default)]
pub(super) struct Voice {
    /// What all rounds cost.
    pub(super) tally: Tally,
    /// The id and the time of the first chunk, as JSON.
    head: Option<[String; 2]>,
    is_role_said: bool,
    /// How its text ends.
    last: Option<char>,
    /// The round that is on.
    round: usize,
    /// The round that text was last said in.
    spoken: usize,
}

/// What is shown of a chunk.
#[derive(Debug, Default)]
pub(super) struct View {
    /// Pieces of calls, each under its number.
    pub(super) calls: Vec<(usize, u64)>,
    pub(super) rest: Rest,
    /// What stands as the reason to stop, as JSON; as it came without one.
    pub(super) finish: Option<String>,
    pub(super) usage: Counted,
}

/// What is shown of the usage, where a chunk says it.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub(super) enum Counted {
    /// As it came.
    #[default]
    Came,
    /// That of all rounds.
    Summed,
    /// Nothing yet.
    Untold,
}

/// What is shown of a delta beside its calls.
#[derive(Debug, Default)]
pub(super) enum Rest {
    /// All of it.
    #[default]
    All,
    /// Nothing.
    None,
    /// This in its place.
    Other(String),
}

impl Voice {
    /// The first chunk says what the answer is called, and any may say what it costs.
    pub(super) fn meet(&mut self, chunk: &Chunk<'_>) {
        if let Some(usage) = chunk.usage() {
            self.tally.hear(&usage);
        }
        let said = |place: &Option<Range<usize>>| {
            place.as_ref().map(|it| spelled(it, chunk.data)).unwrap_or_default()
        };
        self.head.get_or_insert_with(|| [said(&chunk.id), said(&chunk.created)]);
    }

    /// What follows is said in answer to a hidden result.
    pub(super) fn go_on(&mut self) {
        self.round += 1;
    }

    /// True when the client has nothing to read.
    pub(super) fn is_silent(&self) -> bool {
        self.last.is_none()
    }

    /// True when a chunk says something beside its calls.
    pub(super) fn has_rest(&self, chunk: &Chunk<'_>) -> bool {
        chunk.parts.iter().any(|part| match part.name.as_str() {
            "tool_calls" => false,
            "role" => !self.is_role_said,
            _ => !is_nothing(&chunk.data[part.value.clone()]),
        })
    }

    /// Appends what is shown of a chunk, as the event it came in.
    pub(super) fn write(&mut self, view: &View, frame: Frame<'_>, chunk: &Chunk<'_>, out: &mut Vec<u8>) {
        let mut patch = Patch::default();
        for (place, first) in [&chunk.id, &chunk.created].into_iter().zip(self.head.iter().flatten()) {
            let differs = |place: &&Range<usize>| !first.is_empty() && spelled(place, chunk.data) != *first;
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
            (Some(usage), Counted::Summed) => self.tally.update(&usage, &mut patch),
            (Some(usage), Counted::Untold) => patch.put(usage.span, *b"null"),
            (None, _) | (_, Counted::Came) => {}
        }
        frame.write(patch, chunk.data, out);
        self.remember(view, chunk);
    }

    /// The delta as it is shown; `None` when it is as it came.
    fn delta(&self, view: &View, chunk: &Chunk<'_>) -> Option<String> {
        if let Rest::Other(delta) = &view.rest {
            return Some(delta.clone());
        }
        let came = |part: &Part| Some(spelled(&part.member, chunk.data));
        let shown: Vec<_> = chunk.parts.iter().map(|part| self.part(part, view, chunk)).collect();
        let is_same = shown.iter().zip(&chunk.parts).all(|(shown, part)| *shown == came(part));
        (!is_same).then(|| format!("{{{}}}", shown.into_iter().flatten().collect::<Vec<_>>().join(",")))
    }

    /// A member of a delta as it is shown.
    fn part(&self, part: &Part, view: &View, chunk: &Chunk<'_>) -> Option<String> {
        let came = spelled(&part.member, chunk.data);
        match part.name.as_str() {
            "tool_calls" if chunk.pieces.is_empty() => Some(came),
            "tool_calls" if view.calls.is_empty() => None,
            "tool_calls" => {
                Some(chunk.calls(&view.calls).map_or(came, |calls| format!("\"tool_calls\":{calls}")))
            }
            _ if matches!(view.rest, Rest::None) => None,
            "role" if self.round > 0 && self.is_role_said => None,
            "content" => Some(self.apart(part, chunk).unwrap_or(came)),
            _ => Some(came),
        }
    }

    /// The first text of a round, set apart from what was said before; `None` when nothing has to be.
    fn apart(&self, part: &Part, chunk: &Chunk<'_>) -> Option<String> {
        let content = content(part, chunk).filter(|_| self.round > self.spoken)?;
        let gap = gap(self.last, content.chars().next());
        (!gap.is_empty()).then(|| format!("\"content\":{}", json!(format!("{gap}{content}"))))
    }

    fn remember(&mut self, view: &View, chunk: &Chunk<'_>) {
        if !matches!(view.rest, Rest::All) {
            return;
        }
        for part in &chunk.parts {
            self.is_role_said |= part.name == "role" && !is_nothing(&chunk.data[part.value.clone()]);
            if let Some(last) = content(part, chunk).and_then(|content| content.chars().last()) {
                (self.last, self.spoken) = (Some(last), self.round);
            }
        }
    }
}

/// The text of a member, if it is the one that holds the text.
fn content<'a>(part: &Part, chunk: &Chunk<'a>) -> Option<Cow<'a, str>> {
    let value = (part.name == "content").then(|| &chunk.data[part.value.clone()])?;
    text::decode(value)
}
