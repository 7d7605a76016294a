//! Finds tool results, tools and prompts in Messages requests, where `tool_result` blocks answer `tool_use` blocks.
//!
//! Only results of the client's own tools are slots. Results of the provider's tools (`web_search_tool_result` and
//! the like) must be sent back exactly as the provider wrote them, because the provider may check them.

use tersely_json::{JsonError, JsonScan};

use crate::request::call::SlotCall;
use crate::request::command;
use crate::request::content;
use crate::request::context_management;
use crate::request::findings::{self, RequestFindings, ResultLabel, Speaker};
use crate::request::reading::Reading;
use crate::request::schema::{self, FoundDescriptions};

/// Reads a request.
pub(crate) fn walk<'a>(scan: &mut JsonScan<'a>, found: &mut RequestFindings<'a>) -> Result<(), JsonError> {
    findings::walk(scan, found, "messages", message)
}

/// True when a request lets the provider remove results from what the model reads: by `context_management`, or by
/// `cache_edits`, with which some versions of Claude Code delete earlier results from the provider's cache.
pub(super) fn drops_results(reading: &Reading<'_>) -> bool {
    context_management::is_managed(reading)
        || reading.findings().edits_cache
        || reading.value("cache_edits").is_some()
}

/// Finds the descriptions of all tools, and those in their schemas.
pub(crate) fn tools<'a>(scan: &mut JsonScan<'a>, found: &mut FoundDescriptions<'a>) -> Result<(), JsonError> {
    scan.items_of("tools", |scan| schema::tool(&["input_schema"], scan, found))
}

/// Reads a message. Its role may come after its content.
fn message<'a>(scan: &mut JsonScan<'a>, found: &mut RequestFindings<'a>) -> Result<(), JsonError> {
    let (mut kind, mut role, mut content) = (None, None, None);
    scan.peek();
    let (start, mark) = (scan.at(), found.prompts.len());
    found.begin();
    scan.members(|scan, key| match key {
        b"type" => scan.word(&mut kind),
        b"role" => scan.word(&mut role),
        b"content" => {
            scan.once(&mut content, ())?;
            if let Some(b'[' | b'{') = scan.peek() {
                return scan.items(|scan| block(scan, found));
            }
            let text = scan.skip()?;
            found.prompt(scan.body(), text);
            Ok(())
        }
        _ => scan.skip().map(drop),
    })?;
    found.end(scan, start, Speaker::of(kind.as_deref(), role.as_deref()), mark);
    Ok(())
}

/// Reads a block: a call, a result, a text or something else. The member that gives its type may come last.
fn block<'a>(scan: &mut JsonScan<'a>, found: &mut RequestFindings<'a>) -> Result<(), JsonError> {
    let (mut kind, mut id, mut name, mut input) = (None, None, None, None);
    let (mut answers, mut content, mut fails, mut text) = (None, None, None, None);
    let mark = found.mark();
    scan.members(|scan, key| match key {
        b"type" => scan.word(&mut kind),
        b"id" => scan.word(&mut id),
        b"name" => scan.word(&mut name),
        b"tool_use_id" => scan.word(&mut answers),
        b"is_error" => scan.place(&mut fails),
        b"input" => {
            let given = command::read_arguments(scan)?;
            scan.once(&mut input, given)
        }
        b"content" => {
            scan.once(&mut content, ())?;
            content::texts(scan, found)
        }
        b"text" => scan.place(&mut text),
        _ => scan.skip().map(drop),
    })?;
    match kind.as_deref() {
        Some("tool_use") => {
            let (id, tool) = (id.unwrap_or_default(), name.unwrap_or_default());
            found.calls.make(SlotCall::of(id, tool, input.unwrap_or_default()));
            found.forget(mark);
        }
        Some("tool_result") => {
            let is_error = fails.is_some_and(|span| &scan.body()[span] == b"true");
            let answer = ResultLabel { id: answers.unwrap_or_default(), is_error, ..ResultLabel::default() };
            found.settle(mark, scan.body(), answer);
        }
        Some(kind) if content::TEXT.contains(&kind) => {
            found.forget(mark);
            if let Some(text) = text {
                found.prompt(scan.body(), text);
            }
        }
        kind => {
            found.edits_cache |= kind == Some("cache_edits");
            found.forget(mark);
        }
    }
    Ok(())
}
