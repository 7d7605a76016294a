//! Derives the marks of a body that was rewritten from those of the body as it came. Most of it was copied, and bytes are
//! compared faster than they are read and hashed.

use std::ops::Range;
use std::sync::Arc;

use tersely_account::{PartMark, PromptMarks};
use tersely_json::JsonScan;

use crate::prompt::marks::{complete, is_compacted, is_hour, nearest, raw_mark, tools};
use crate::request::reading::Reading;
use crate::request::tools::FoundTools;

/// A part of a body that may have been rewritten.
#[derive(Clone, Copy)]
enum BodyPart {
    Tools,
    /// The number of the message.
    Message(usize),
}

/// The marks of `sent`, if it differs from the body of `reading` in its tools and messages alone; otherwise `None`.
/// `marks` are those of the body. The marks of parts that one of `known` has too are taken from there.
#[must_use]
pub fn rewritten_marks(
    marks: &PromptMarks,
    reading: &Reading<'_>,
    sent: &[u8],
    known: &[Arc<PromptMarks>],
) -> Option<PromptMarks> {
    let spoken = &reading.findings().spoken;
    let opening = spoken.iter().filter(|message| message.is_opening).count();
    let (mut now, mut edited, mut listed) = (marks.clone(), Vec::new(), None);
    for (part, bytes) in edits(reading, sent)? {
        match part {
            BodyPart::Tools => listed = Some(bytes),
            BodyPart::Message(at) => {
                // What the operator says first is a part of the system prompt.
                let place = at.checked_sub(opening).filter(|_| !spoken[at].is_opening)?;
                let mark = now.messages.get_mut(place)?;
                *mark = PartMark { is_model: mark.is_model, ..raw_mark(bytes) };
                if place == 0 {
                    now.is_compacted = is_compacted(bytes);
                }
                if at + 1 == spoken.len() {
                    now.is_hour = is_hour(reading, bytes);
                }
                edited.push((place, bytes));
            }
        }
    }
    let known = nearest(known, &now.messages.iter());
    for (place, bytes) in edited {
        let before = known.and_then(|known| known.messages.get(place));
        complete(&mut now.messages[place], before, bytes);
    }
    if let Some(bytes) = listed {
        let mut found = FoundTools::default();
        found.read(&mut JsonScan::new(bytes)).ok()?;
        now.tools = tools(bytes, &found, known.map_or(&marks.tools, |known| &known.tools));
    }
    Some(now)
}

/// The parts that differ, with their bytes in `sent`; `None` if anything else does.
fn edits<'s>(reading: &Reading<'_>, sent: &'s [u8]) -> Option<Vec<(BodyPart, &'s [u8])>> {
    let (body, mut edits) = (reading.body(), Vec::new());
    let (mut old, mut new) = (0, 0);
    for (part, span) in parts(reading)? {
        // What is between two parts was copied, so the next part begins at the same value.
        let gap = body.get(old..span.start)?;
        new += sent.get(new..)?.starts_with(gap).then_some(gap.len())?;
        let rest = &sent[new..];
        if rest.starts_with(&body[span.clone()]) {
            new += span.len();
        } else {
            let place = JsonScan::new(rest).skip().ok().filter(|place| place.start == 0)?;
            edits.push((part, &rest[..place.end]));
            new += place.end;
        }
        old = span.end;
    }
    (body[old..] == sent[new..]).then_some(edits)
}

/// The tools and the messages, in the order in which the body has them; `None` if one is inside another.
fn parts(reading: &Reading<'_>) -> Option<Vec<(BodyPart, Range<usize>)>> {
    let found = reading.findings();
    let listed = reading.place("tools");
    let is_listed = |span: &Range<usize>| {
        listed.as_ref().is_some_and(|listed| listed.start <= span.start && span.end <= listed.end)
    };
    if !found.tools.parts.iter().all(|tool| is_listed(&tool.span)) {
        return None;
    }
    let messages = found.spoken.iter().enumerate();
    let messages = messages.map(|(at, message)| (BodyPart::Message(at), message.span.clone()));
    let mut parts: Vec<_> = listed.map(|span| (BodyPart::Tools, span)).into_iter().chain(messages).collect();
    parts.sort_by_key(|(_, span)| span.start);
    parts.is_sorted_by(|(_, one), (_, two)| one.end <= two.start).then_some(parts)
}
