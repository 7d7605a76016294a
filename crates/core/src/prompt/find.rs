//! Finds JSON documents in a text: as the whole text, in code fences, or between words.
//!
//! Text that may be code is left unchanged: fences of other languages, and documents that are assigned, passed as
//! arguments or part of something larger. So are schemas and tool definitions, which a program may parse.

use std::ops::Range;

use tersely_codec::{DecodeError, Text, Value, json};

use crate::fence;

/// A JSON document in a text.
pub(super) struct Document<'t> {
    /// The bytes to replace: the document, and the language of its fence.
    pub(super) span: Range<usize>,
    /// The size of the document alone, in bytes.
    pub(super) size: usize,
    pub(super) value: Value<'t>,
    pub(super) place: PromptPlace,
}

/// The position of a document in a text.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum PromptPlace {
    /// The document is the whole text.
    Whole,
    /// Between fences of this many backticks.
    Fenced(usize),
    /// Between words.
    Between,
}

/// The documents of more than `min_bytes`, in order.
pub(super) fn documents(min_bytes: usize, text: &str) -> Vec<Document<'_>> {
    let mut found = Vec::new();
    let start = text.len() - text.trim_ascii_start().len();
    let span = start..start + text.trim_ascii().len();
    if let Some(value) = whole(&text[span.clone()]) {
        found.push(Document { size: span.len(), span, value, place: PromptPlace::Whole });
    } else {
        let mut from = 0;
        while let Some(block) = Block::next(text, from) {
            between(text, from..block.start, &mut found);
            from = block.end;
            found.extend(block.document(text));
        }
        between(text, from..text.len(), &mut found);
    }
    found.retain(|it| it.size > min_bytes && !is_contract(&it.value));
    found
}

fn whole(text: &str) -> Option<Value<'_>> {
    if !text.starts_with(['{', '[']) {
        return None;
    }
    json::decode(text).ok()
}

/// A fenced code block.
struct Block {
    start: usize,
    end: usize,
    ticks: usize,
    /// The range from the end of the opening backticks to the end of the last line; `None` if the block is not closed.
    inside: Option<Range<usize>>,
}

impl Block {
    /// The first block at or after `from`, which is the start of a line.
    fn next(text: &str, from: usize) -> Option<Self> {
        let mut lines = lines(text, from);
        let (start, line, ticks) =
            lines.find_map(|(at, line)| fence::opens(line).map(|ticks| (at, line, ticks)))?;
        let inside = start + line.len() - line.trim_start().len() + ticks;
        let Some((close, line)) = lines.find(|(_, line)| fence::closes(ticks, line)) else {
            return Some(Self { start, end: text.len(), ticks, inside: None });
        };
        let end = (close + line.len() + 1).min(text.len());
        Some(Self { start, end, ticks, inside: Some(inside..close - 1) })
    }

    /// The document that fills the block, if the block's language is JSON or not given.
    fn document<'t>(&self, text: &'t str) -> Option<Document<'t>> {
        let span = self.inside.clone()?;
        let (language, content) = text.get(span.clone())?.split_once('\n')?;
        let language = language.trim();
        if !language.is_empty() && !language.eq_ignore_ascii_case("json") {
            return None;
        }
        let content = content.trim_ascii();
        let value = whole(content)?;
        Some(Document { span, size: content.len(), value, place: PromptPlace::Fenced(self.ticks) })
    }
}

/// The lines of `text` from byte `from`, with their offsets.
fn lines(text: &str, from: usize) -> impl Iterator<Item = (usize, &str)> {
    let mut at = from;
    text[from..].split('\n').map(move |line| {
        let start = at;
        at += line.len() + 1;
        (start, line)
    })
}

/// Adds the documents between the words of `range` to `found`, in one pass: no text is parsed twice, even if it is not
/// JSON.
fn between<'t>(text: &'t str, range: Range<usize>, found: &mut Vec<Document<'t>>) {
    let mut at = range.start;
    while let Some(next) = text[at..range.end].find(['{', '[']) {
        let start = at + next;
        let rest = &text[start..range.end];
        at = match json::decode_first(rest) {
            Ok((value, length)) => {
                let span = start..start + length;
                if stands_alone(text, &span) {
                    found.push(Document { span, size: length, value, place: PromptPlace::Between });
                }
                start + length
            }
            Err(fault) => start + offset(rest, &fault).max(1),
        };
    }
}

/// The byte offset of a parse error.
fn offset(text: &str, fault: &DecodeError) -> usize {
    let lines: usize = text.split_inclusive('\n').take(fault.line - 1).map(str::len).sum();
    lines + text[lines..].chars().take(fault.column - 1).map(char::len_utf8).sum::<usize>()
}

/// True when a document is not part of something larger, judging by the characters around it.
fn stands_alone(text: &str, span: &Range<usize>) -> bool {
    let (before, after) = (&text[..span.start], &text[span.end..]);
    let apart = before.is_empty() || before.ends_with(|c: char| c.is_whitespace() || c == '>');
    let ends = after.is_empty() || after.starts_with(|c: char| c.is_whitespace() || ".<".contains(c));
    let leads = !before.trim_end().ends_with(['=', '(', '[', '{', ',', '+', '&', '|', '\\', '<', '`']);
    let follows = !after.trim_start().starts_with(['}', ']', ')', ',', ';', '+', '&', '|', '`']);
    apart && ends && leads && follows
}

/// True for a schema, and for a tool definition or a list of them.
fn is_contract(value: &Value<'_>) -> bool {
    match value {
        Value::Array(items) => matches!(items.first(), Some(Value::Object(tool)) if has_schema(tool)),
        Value::Object(members) => has_schema(members),
        _ => false,
    }
}

fn has_schema(members: &[(Text<'_>, Value<'_>)]) -> bool {
    let get = |name: &str| members.iter().find(|(key, _)| key.as_str() == name).map(|(_, value)| value);
    let holds = |name: &str| get(name).is_some_and(|value| !value.is_scalar());
    let typed =
        matches!(get("type"), Some(Value::String(kind)) if ["object", "function"].contains(&kind.as_str()));
    get("$schema").is_some()
        || holds("input_schema")
        || holds("inputSchema")
        || holds("functionDeclarations")
        || typed && (holds("properties") || holds("function") || holds("parameters"))
}
