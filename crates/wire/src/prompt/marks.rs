//! Makes the marks of a request from what one reading of it found.

use std::ops::Range;
use std::sync::Arc;

use memchr::memmem;
use tersely_account::{PartMark, PromptMarks, ShownName, SystemMark, ToolMark, quick_hash};
use tersely_json::{JsonNode, string};

use crate::prompt::context::PromptContext;
use crate::prompt::digest::{UnorderedDepth, ValueDigest, digest};
use crate::prompt::lines::lines;
use crate::prompt::settings::settings;
use crate::prompt::ttl;
use crate::request::findings::{FoundMessage, Speaker};
use crate::request::history::HistoryPlace;
use crate::request::reading::Reading;
use crate::request::tools::FoundTools;

/// The maximum number of lines of a system prompt that are hashed one by one.
const MAX_LINES: usize = 2_048;

/// The beginning of the line by which Claude Code attributes its requests, in a block of its own. It may differ in each.
const ATTRIBUTION: &[u8] = b"x-anthropic-billing-header:";

/// How Claude Code begins a conversation that it has compacted, and how many bytes of the first message are searched.
const COMPACTED: &[u8] = b"This session is being continued from a previous conversation";
const MAX_COMPACTED_BYTES: usize = 1_024;

/// The marks of a request; `None` if it cannot be read, or if the provider stores the conversation. The marks of parts
/// that one of `known` has too are taken from there.
#[must_use]
pub fn prompt_marks(
    context: &PromptContext<'_>,
    reading: &Reading<'_>,
    known: &[Arc<PromptMarks>],
) -> Option<PromptMarks> {
    if reading.error().is_some() || reading.history() == HistoryPlace::Elsewhere {
        return None;
    }
    let found = reading.findings();
    let spoken = found.spoken.iter().filter(|message| !message.is_opening);
    let mut messages: Vec<_> = spoken
        .map(|message| {
            (
                raw_mark(&reading.body()[message.span.clone()]),
                &message.span,
                message.speaker == Speaker::Model,
            )
        })
        .collect();
    let known = nearest(known, &messages.iter().map(|(mark, ..)| mark));
    let nothing = PromptMarks::default();
    let before = known.unwrap_or(&nothing);
    for (at, (mark, span, is_model)) in messages.iter_mut().enumerate() {
        complete(mark, before.messages.get(at), &reading.body()[Range::clone(span)]);
        mark.is_model = *is_model;
    }
    Some(PromptMarks {
        order: reading.order(),
        settings: settings(context, reading),
        tools: tools(reading.body(), &reading.findings().tools, &before.tools),
        system: system(reading, &before.system),
        messages: messages.into_iter().map(|(mark, ..)| mark).collect(),
        attribution: system_blocks(reading).find(is_attribution).map_or(0, |block| quick_hash(block.bytes())),
        is_hour: is_hour(reading, bytes_of(reading, found.spoken.last())),
        is_compacted: is_compacted(bytes_of(reading, found.spoken.iter().find(|it| !it.is_opening))),
        cleared: 0,
    })
}

/// True when the first message, which has these bytes, is a summary of a longer conversation.
pub(super) fn is_compacted(first: &[u8]) -> bool {
    memmem::find(&first[..first.len().min(MAX_COMPACTED_BYTES)], COMPACTED).is_some()
}

/// True when the system prompt or the last message, which has these bytes, is cached for an hour.
pub(super) fn is_hour(reading: &Reading<'_>, last: &[u8]) -> bool {
    reading.value("system").is_some_and(ttl::is_hour) || ttl::is_hour(last)
}

/// The marks that begin with the most of these messages.
pub(super) fn nearest<'k, 'm>(
    known: &'k [Arc<PromptMarks>],
    messages: &(impl Iterator<Item = &'m PartMark> + Clone),
) -> Option<&'k PromptMarks> {
    let same = |known: &&Arc<PromptMarks>| {
        let pairs = known.messages.iter().zip(messages.clone());
        pairs.take_while(|(a, b)| a.raw == b.raw).count()
    };
    known.iter().max_by_key(same).map(|known| &**known)
}

/// The bytes of a message.
fn bytes_of<'a>(reading: &Reading<'a>, message: Option<&FoundMessage>) -> &'a [u8] {
    message.map(|message| &reading.body()[message.span.clone()]).unwrap_or_default()
}

pub(super) fn raw_mark(bytes: &[u8]) -> PartMark {
    PartMark {
        raw: quick_hash(bytes),
        bytes: u32::try_from(bytes.len()).unwrap_or(u32::MAX),
        ..PartMark::default()
    }
}

/// Adds the hashes of what the model sees, from the same part of an earlier request if there is one.
pub(super) fn complete(mark: &mut PartMark, known: Option<&PartMark>, bytes: &[u8]) {
    if let Some(known) = known.filter(|known| known.raw == mark.raw && known.bytes == mark.bytes) {
        (mark.hash, mark.loose) = (known.hash, known.loose);
    } else {
        let ValueDigest { exact, loose } = digest(UnorderedDepth::MESSAGE, bytes).unwrap_or_default();
        (mark.hash, mark.loose) = (exact, loose);
    }
}

pub(super) fn tools(body: &[u8], found: &FoundTools, known: &[ToolMark]) -> Vec<ToolMark> {
    let mut marks: Vec<ToolMark> = Vec::with_capacity(known.len());
    for tool in &found.parts {
        let bytes = &body[tool.span.clone()];
        let mut part = raw_mark(bytes);
        if let Some(same) = known.get(marks.len()).filter(|it| it.part.raw == part.raw) {
            marks.push(same.clone());
            continue;
        }
        let Some(ValueDigest { exact, loose }) = digest(UnorderedDepth::TOOL, bytes) else { continue };
        (part.hash, part.loose) = (exact, loose);
        let name = tool.name.as_ref().map(|name| &body[name.clone()]);
        let shown = name.and_then(string::decode).and_then(|name| ShownName::of(&name));
        marks.push(ToolMark { part, id: name.map_or(exact, quick_hash), name: shown });
    }
    marks
}

/// The blocks of the system prompt.
fn system(reading: &Reading<'_>, known: &[SystemMark]) -> Vec<SystemMark> {
    let (mut marks, mut room): (Vec<SystemMark>, _) = (Vec::new(), MAX_LINES);
    for block in system_blocks(reading) {
        // The block has a place, but nothing that could differ.
        if is_attribution(&block) {
            marks.push(SystemMark::default());
            continue;
        }
        let mut part = raw_mark(block.bytes());
        let same = known.get(marks.len()).filter(|it| it.part.raw == part.raw).cloned();
        let mark = same.or_else(|| {
            let ValueDigest { exact, loose } = digest(UnorderedDepth::MESSAGE, block.bytes())?;
            (part.hash, part.loose) = (exact, loose);
            Some(SystemMark { part, lines: lines(block.inside(), room).into() })
        });
        room -= mark.as_ref().map_or(0, |mark| mark.lines.len().min(room));
        marks.extend(mark);
    }
    marks
}

/// The texts of the system prompt: those beside the conversation, and what the operator says first in it.
fn system_blocks<'a>(reading: &Reading<'a>) -> impl Iterator<Item = JsonNode<'a>> {
    let body = reading.body();
    let beside = ["system", "instructions", "systemInstruction", "system_instruction"].into_iter();
    let beside = beside.filter_map(move |name| Some(JsonNode::at(reading.place(name)?, body)));
    let opening = reading.findings().spoken.iter().filter(|message| message.is_opening);
    let opening = opening.map(move |message| JsonNode::at(message.span.clone(), body));
    beside.chain(opening).flat_map(|node| blocks(0, &node))
}

fn is_attribution(block: &JsonNode<'_>) -> bool {
    block.inside().starts_with(ATTRIBUTION)
}

/// The depth to which a system prompt is searched for its texts: the member, its blocks, their texts.
const MAX_BLOCK_DEPTH: u8 = 4;

/// The texts of a system prompt, each as a string; a block without text as it is.
fn blocks<'a>(depth: u8, node: &JsonNode<'a>) -> Vec<JsonNode<'a>> {
    if depth < MAX_BLOCK_DEPTH && node.is_list() {
        return node.items().iter().flat_map(|item| blocks(depth + 1, item)).collect();
    }
    let inner = || ["text", "content", "parts"].into_iter().find_map(|name| node.get(name));
    match node.is_object().then(inner).flatten() {
        Some(inner) if depth < MAX_BLOCK_DEPTH => blocks(depth + 1, &inner),
        _ => vec![node.clone()],
    }
}

#[cfg(test)]
mod tests {
    use serde_json::{Value, json};
    use tersely_account::PromptChange;

    use super::*;
    use crate::providers::claimed_provider;

    fn marks(body: &Value) -> PromptMarks {
        let (body, provider) = (body.to_string(), claimed_provider("/v1/messages").expect("a provider"));
        let context = PromptContext { model: None, betas: 0 };
        prompt_marks(&context, &provider.read(body.as_bytes()), &[]).expect("marks")
    }

    fn said(attribution: &str, system: &str, first: &str) -> PromptMarks {
        let block = |text: &str| json!({ "type": "text", "text": text });
        let message = json!({ "role": "user", "content": [block(first)] });
        marks(&json!({ "system": [block(attribution), block(system)], "messages": [message] }))
    }

    #[test]
    fn a_line_that_attributes_requests_has_a_place_and_no_difference() {
        let one = said("x-anthropic-billing-header: cc_version=2.1.326.445;", "Be terse.", "go");
        let two = said("x-anthropic-billing-header: cc_version=2.1.326.e27;", "Be terse.", "go");
        assert_eq!(PromptChange::first(&one, &two), None);
        assert_ne!(one.attribution, two.attribution);
        let three = said("x-anthropic-billing-header: cc_version=2.1.326.e27;", "Be kind.", "go");
        let found = PromptChange::first(&two, &three).expect("a change").into_break();
        assert_eq!((found.place, found.line), (Some(2), Some(1)));
        assert_eq!(said("You are an agent.", "Be terse.", "go").attribution, 0);
    }

    #[test]
    fn a_summary_in_front_is_a_compacted_conversation() {
        let summary = "This session is being continued from a previous conversation that ran out of context.";
        assert!(said("a", "b", summary).is_compacted);
        assert!(!said("a", "b", "go").is_compacted);
        assert!(!said("a", summary, "go").is_compacted);
        assert!(!said("a", "b", &format!("{}{summary}", "x".repeat(MAX_COMPACTED_BYTES))).is_compacted);
    }
}
