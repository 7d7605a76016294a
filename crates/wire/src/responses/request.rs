//! Finds tool results, tools and prompts in Responses requests, where items whose type ends in `_call_output` answer
//! items whose type ends in `_call`.
//!
//! These endings cover functions, custom tools, shells and patches, and future kinds of tools. Items that contain
//! both a call and its result (`mcp_call`, `web_search_call`) are the provider's own and stay unchanged.

use std::borrow::Cow;

use tersely_json::{JsonError, JsonScan, top_members};

use crate::request::call::SlotCall;
use crate::request::command::{self, GivenArguments};
use crate::request::content::{self, TEXT};
use crate::request::context_management;
use crate::request::findings::{RequestFindings, ResultLabel, Speaker};
use crate::request::history::HistoryPlace;
use crate::request::preamble;
use crate::request::reading::Reading;
use crate::request::schema::{self, FoundDescriptions};
use crate::request::tools::RequestHead;

/// Measures the tools and the system prompt.
pub(super) fn head(reading: &Reading<'_>) -> RequestHead {
    // If the provider stores the conversation, the next request does not repeat it.
    let opening = if history(reading).is_kept() { 0 } else { reading.findings().opening_bytes };
    let head = preamble::beside(&["instructions"], reading);
    RequestHead { bytes: head.bytes + opening, ..head }
}

/// True when the provider may omit results from the model's input.
pub(super) fn drops_results(reading: &Reading<'_>) -> bool {
    context_management::member("truncation", reading).is_some_and(|how| how == "auto")
        || context_management::is_managed(reading)
}

/// Where the rest of the conversation is stored.
pub(super) fn history(reading: &Reading<'_>) -> HistoryPlace {
    history_by(|name| reading.value(name))
}

/// Where the rest of the conversation of a body is stored that was not read as a whole.
pub(super) fn history_of(body: &[u8]) -> HistoryPlace {
    let found = top_members(&["previous_response_id", "conversation", "store"], body).unwrap_or_default();
    history_by(|name| found.iter().find(|member| member.name == name).map(|member| member.value))
}

fn history_by<'a>(value: impl Fn(&str) -> Option<&'a [u8]>) -> HistoryPlace {
    let is_named = |name: &str| value(name).is_some_and(|value| value != b"null");
    if is_named("previous_response_id") || is_named("conversation") {
        HistoryPlace::Elsewhere
    } else if value("store") == Some(b"false") {
        HistoryPlace::Here
    } else {
        // Responses are stored by default.
        HistoryPlace::Named
    }
}

/// Reads a request. If the whole input is one text, it is a user's.
pub(super) fn walk<'a>(scan: &mut JsonScan<'a>, found: &mut RequestFindings<'a>) -> Result<(), JsonError> {
    scan.members(|scan, key| {
        let is_text = key == b"input" && scan.peek() == Some(b'"');
        let start = scan.at();
        found.member(scan, key, ("input", item))?;
        if is_text {
            found.prompt(scan.body(), start..scan.at());
        }
        Ok(())
    })
}

/// Finds the descriptions of all tools, and those in their schemas, including tools that a later item adds.
pub(super) fn tools<'a>(scan: &mut JsonScan<'a>, found: &mut FoundDescriptions<'a>) -> Result<(), JsonError> {
    scan.members(|scan, key| match key {
        b"tools" => scan.items(|scan| tool(MAX_DEPTH, scan, found)),
        b"input" => scan.items(|scan| later_tools(scan, found)),
        _ => scan.skip().map(drop),
    })
}

fn later_tools<'a>(scan: &mut JsonScan<'a>, found: &mut FoundDescriptions<'a>) -> Result<(), JsonError> {
    let (mut kind, mark) = (None, found.len());
    scan.members(|scan, key| match key {
        b"type" => scan.word(&mut kind),
        b"tools" => scan.items(|scan| tool(MAX_DEPTH, scan, found)),
        _ => scan.skip().map(drop),
    })?;
    if kind.as_deref() != Some("additional_tools") {
        found.truncate(mark);
    }
    Ok(())
}

/// The maximum nesting depth of namespaces of tools.
const MAX_DEPTH: usize = 4;

/// Reads a tool, or a namespace of tools.
fn tool<'a>(
    depth: usize,
    scan: &mut JsonScan<'a>,
    found: &mut FoundDescriptions<'a>,
) -> Result<(), JsonError> {
    schema::walk_object(scan, found, |scan, found, key| match key {
        b"parameters" => schema::schema(scan, found),
        b"tools" if depth > 0 => scan.items(|scan| tool(depth - 1, scan, found)),
        _ => scan.skip().map(drop),
    })
}

fn item<'a>(scan: &mut JsonScan<'a>, found: &mut RequestFindings<'a>) -> Result<(), JsonError> {
    let (mut kind, mut call_id, mut id, mut name) = (None, None, None, None);
    let (mut arguments, mut output, mut role, mut content) = (None, None, None, None);
    scan.peek();
    let (start, mark, prompts) = (scan.at(), found.mark(), found.prompts.len());
    found.step();
    scan.members(|scan, key| match key {
        b"type" => scan.word(&mut kind),
        b"role" => scan.word(&mut role),
        b"content" => {
            scan.once(&mut content, ())?;
            content::message(scan, found)
        }
        b"call_id" => scan.word(&mut call_id),
        b"id" => scan.word(&mut id),
        b"name" => scan.word(&mut name),
        b"arguments" | b"input" => {
            let given = command::read_arguments(scan)?;
            scan.once(&mut arguments, given)
        }
        b"action" => {
            let command = action(scan)?;
            scan.once(&mut arguments, GivenArguments { command, ..GivenArguments::default() })
        }
        b"output" => {
            scan.once(&mut output, ())?;
            outputs(scan, found)
        }
        _ => scan.skip().map(drop),
    })?;
    found.end(scan, start, speaker(kind.as_deref(), role.as_deref()), prompts);
    let (kind, id) = (kind.unwrap_or_default(), call_id.or(id).unwrap_or_default());
    if kind.ends_with("_call_output") && !id.is_empty() {
        found.settle(mark, scan.body(), ResultLabel { id, tool: name.unwrap_or_default(), is_error: false });
        return Ok(());
    }
    found.forget(mark);
    if let Some(tool) = own_name(kind) {
        found.calls.make(SlotCall::of(id, name.unwrap_or(tool), arguments.unwrap_or_default()));
    }
    Ok(())
}

/// The speaker of an item: reasoning and calls are the model's.
fn speaker(kind: Option<&str>, role: Option<&str>) -> Speaker {
    match kind {
        Some(kind) if kind == "reasoning" || kind.ends_with("_call") => Speaker::Model,
        Some("additional_tools") => Speaker::Operator,
        kind => Speaker::of(kind, role),
    }
}

/// The name of a tool whose calls have a type of their own, such as `local_shell_call`.
fn own_name(kind: Cow<'_, str>) -> Option<Cow<'_, str>> {
    match kind {
        Cow::Borrowed(kind) => kind.strip_suffix("_call").map(Cow::Borrowed),
        Cow::Owned(kind) => kind.strip_suffix("_call").map(|name| Cow::Owned(name.to_owned())),
    }
}

/// The command of a shell call: one command as an array of words, or several commands.
fn action<'a>(scan: &mut JsonScan<'a>) -> Result<Option<Cow<'a, str>>, JsonError> {
    let mut given = None;
    scan.members(|scan, key| match key {
        b"command" => {
            let line = command::line(scan)?;
            scan.once(&mut given, line)
        }
        b"commands" => {
            let lines = command::strings(scan)?.join("\n");
            scan.once(&mut given, Some(Cow::Owned(lines)))
        }
        _ => scan.skip().map(drop),
    })?;
    Ok(given.flatten().filter(|line| !line.is_empty()))
}

fn outputs<'a>(scan: &mut JsonScan<'a>, found: &mut RequestFindings<'a>) -> Result<(), JsonError> {
    if scan.peek() == Some(b'[') {
        return scan.items(|scan| part(scan, found));
    }
    let place = scan.skip()?;
    found.hold_string(scan.body(), place);
    Ok(())
}

/// Reads a text block, or the output of one shell command.
fn part<'a>(scan: &mut JsonScan<'a>, found: &mut RequestFindings<'a>) -> Result<(), JsonError> {
    let (mut kind, mut text, mut stdout, mut stderr) = (None, None, None, None);
    scan.members(|scan, key| match key {
        b"type" => scan.word(&mut kind),
        b"text" => scan.place(&mut text),
        b"stdout" => scan.place(&mut stdout),
        b"stderr" => scan.place(&mut stderr),
        _ => scan.skip().map(drop),
    })?;
    let mut places = match kind.as_deref() {
        None => [stdout, stderr],
        Some(kind) if TEXT.contains(&kind) => [text, None],
        Some(_) => return Ok(()),
    };
    // Slots must be in the order of the body, whichever of the two outputs comes first.
    places.sort_by_key(|place| place.as_ref().map(|span| span.start));
    for span in places.into_iter().flatten() {
        found.hold_string(scan.body(), span);
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_request_says_where_its_conversation_is() {
        for (body, history) in [
            (r#"{"input":[]}"#, HistoryPlace::Named),
            (r#"{"input":[],"store":true,"previous_response_id":null}"#, HistoryPlace::Named),
            (r#"{"input":[],"store":false}"#, HistoryPlace::Here),
            (r#"{"previous_response_id":"resp_1","store":false}"#, HistoryPlace::Elsewhere),
            (r#"{"conversation":{"id":"conv_1"}}"#, HistoryPlace::Elsewhere),
            (r#"{"input":[{"previous_response_id":"x"}],"store":false}"#, HistoryPlace::Here),
        ] {
            assert_eq!(super::history_of(body.as_bytes()), history, "{body}");
        }
    }
}
