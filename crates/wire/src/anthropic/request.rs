//! Finds tool results, tools and prompts in Messages requests, where `tool_result` blocks answer `tool_use` blocks.
//!
//! Only results of the client's own tools are slots. Results of the provider's tools (`web_search_tool_result` and
//! the like) must be sent back exactly as the provider wrote them, because the provider may check them.

use memchr::memmem;
use tersely_json::{JsonError, JsonScan};

use crate::request::call::SlotCall;
use crate::request::command;
use crate::request::content;
use crate::request::context_management;
use crate::request::prompt::{self, FoundPrompts};
use crate::request::schema::{self, FoundDescriptions};
use crate::request::slot::{FoundSlots, ResultLabel};

/// True when a request lets the provider remove results from what the model reads: by `context_management`, or by a
/// block of `cache_edits`, with which some versions of Claude Code delete earlier results from the provider's cache.
pub(super) fn drops_results(body: &[u8]) -> bool {
    const CACHE_EDITS: &[u8] = b"\"cache_edits\"";
    // A result that quotes the word has it escaped, so only a name or a type is found. A name that means something else
    // costs a few references and no text.
    context_management::is_managed(body) || memmem::find(body, CACHE_EDITS).is_some()
}

/// Finds every text of every tool result.
pub(crate) fn results<'a>(scan: &mut JsonScan<'a>, found: &mut FoundSlots<'a>) -> Result<(), JsonError> {
    scan.items_of("messages", |scan| message(scan, found))
}

/// Finds the descriptions of all tools, and those in their schemas.
pub(crate) fn tools<'a>(scan: &mut JsonScan<'a>, found: &mut FoundDescriptions<'a>) -> Result<(), JsonError> {
    scan.items_of("tools", |scan| schema::tool(&["input_schema"], scan, found))
}

/// Finds every text of every user message.
pub(crate) fn users<'a>(scan: &mut JsonScan<'a>, found: &mut FoundPrompts<'a>) -> Result<(), JsonError> {
    scan.items_of("messages", |scan| prompt::message(scan, found))
}

fn message<'a>(scan: &mut JsonScan<'a>, found: &mut FoundSlots<'a>) -> Result<(), JsonError> {
    found.begin();
    scan.items_of("content", |scan| block(scan, found))
}

/// Reads a block: a call, a result or something else. The member that gives its type may come last.
fn block<'a>(scan: &mut JsonScan<'a>, found: &mut FoundSlots<'a>) -> Result<(), JsonError> {
    let (mut kind, mut id, mut name, mut input) = (None, None, None, None);
    let (mut answers, mut content, mut fails) = (None, None, None);
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
        _ => found.forget(mark),
    }
    Ok(())
}
