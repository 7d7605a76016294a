//! Finds tool results, tools and prompts in Gemini requests, where `functionResponse` parts answer `functionCall`
//! parts.
//!
//! A response is an object, and the model reads the whole object. Each member that is a text, an array or an object
//! is a slot, and its new text becomes a string under the same name. So the response remains an object, as the API
//! requires, and short members stay unchanged. If a member contains text blocks, like the `content` of an MCP server,
//! the texts of these blocks are the slots.

use std::borrow::Cow;

use tersely_json::{JsonError, JsonScan, top_members};

use crate::request::call::SlotCall;
use crate::request::command;
use crate::request::content;
use crate::request::last_assistant;
use crate::request::preamble::{self, RequestHead};
use crate::request::prompt::{self, FoundPrompts};
use crate::request::schema::{self, FoundDescriptions};
use crate::request::slot::{FoundSlots, ResultLabel};

/// Measures the tools and the system prompt.
pub(super) fn head(body: &[u8]) -> RequestHead {
    let wrapped = top_members(&WRAPS, body).unwrap_or_default();
    let body = wrapped.first().map_or(body, |member| member.value);
    preamble::beside(&[preamble::TOOLS, "systemInstruction", "system_instruction"], body)
}

/// Finds the end of the model's last message.
pub(super) fn last_assistant_end(body: &[u8]) -> usize {
    let walk = |scan: &mut JsonScan<'_>, found: &mut last_assistant::LastMessageEnd| {
        unwrap(scan, |scan, key| match key {
            b"contents" => scan.items(|scan| last_assistant::message("model", scan, found)),
            _ => scan.skip().map(drop),
        })
    };
    last_assistant::find(body, walk)
}

/// Members that contain a wrapped request.
const WRAPS: [&str; 3] = ["generateContentRequest", "generate_content_request", "request"];

/// Finds every text of every tool result. The request may be wrapped: in `generateContentRequest` when only tokens
/// are counted, or in `request` for a signed-in client.
pub(super) fn results<'a>(scan: &mut JsonScan<'a>, found: &mut FoundSlots<'a>) -> Result<(), JsonError> {
    let (mut bare, mut wrapped) = (None, None);
    scan.members(|scan, key| match key {
        b"contents" => {
            scan.once(&mut bare, ())?;
            scan.items(|scan| content(scan, found))
        }
        b"generateContentRequest" | b"generate_content_request" | b"request" => {
            scan.once(&mut wrapped, ())?;
            scan.items_of("contents", |scan| content(scan, found))
        }
        _ => scan.skip().map(drop),
    })
}

/// Passes each member of the request to `each`, including the members of a wrapped request.
fn unwrap<'a>(
    scan: &mut JsonScan<'a>,
    mut each: impl FnMut(&mut JsonScan<'a>, &[u8]) -> Result<(), JsonError>,
) -> Result<(), JsonError> {
    scan.members(|scan, key| match key {
        b"generateContentRequest" | b"generate_content_request" | b"request" => scan.members(&mut each),
        _ => each(scan, key),
    })
}

/// The members of a declaration that contain schemas.
const SCHEMAS: [&str; 6] = [
    "parameters",
    "parametersJsonSchema",
    "parameters_json_schema",
    "response",
    "responseJsonSchema",
    "response_json_schema",
];

/// Finds the descriptions of all tools, and those in their schemas.
pub(super) fn tools<'a>(scan: &mut JsonScan<'a>, found: &mut FoundDescriptions<'a>) -> Result<(), JsonError> {
    unwrap(scan, |scan, key| match key {
        b"tools" => scan.items(|scan| declarations(scan, found)),
        _ => scan.skip().map(drop),
    })
}

fn declarations<'a>(scan: &mut JsonScan<'a>, found: &mut FoundDescriptions<'a>) -> Result<(), JsonError> {
    scan.members(|scan, key| match key {
        b"functionDeclarations" | b"function_declarations" => {
            scan.items(|scan| schema::tool(&SCHEMAS, scan, found))
        }
        _ => scan.skip().map(drop),
    })
}

/// Finds every text of every user message.
pub(super) fn users<'a>(scan: &mut JsonScan<'a>, found: &mut FoundPrompts<'a>) -> Result<(), JsonError> {
    unwrap(scan, |scan, key| match key {
        b"contents" => scan.items(|scan| user(scan, found)),
        _ => scan.skip().map(drop),
    })
}

/// Reads the current content, if it belongs to a user. Content without a role belongs to a user.
fn user<'a>(scan: &mut JsonScan<'a>, found: &mut FoundPrompts<'a>) -> Result<(), JsonError> {
    let (mut role, mut parts) = (None, None);
    let mark = found.len();
    scan.members(|scan, key| match key {
        b"role" => scan.word(&mut role),
        b"parts" => {
            scan.once(&mut parts, ())?;
            scan.items(|scan| {
                scan.members(|scan, key| match key {
                    b"text" => prompt::string(scan, found),
                    _ => scan.skip().map(drop),
                })
            })
        }
        _ => scan.skip().map(drop),
    })?;
    if !matches!(role.as_deref(), None | Some("user")) {
        found.truncate(mark);
    }
    Ok(())
}

fn content<'a>(scan: &mut JsonScan<'a>, found: &mut FoundSlots<'a>) -> Result<(), JsonError> {
    found.begin();
    scan.items_of("parts", |scan| part(scan, found))
}

/// Reads a part of a content. Google accepts names in camel case and in snake case.
fn part<'a>(scan: &mut JsonScan<'a>, found: &mut FoundSlots<'a>) -> Result<(), JsonError> {
    let mut data = None;
    scan.members(|scan, key| match key {
        b"functionCall" | b"function_call" => {
            scan.once(&mut data, ())?;
            call(scan, found)
        }
        b"functionResponse" | b"function_response" => {
            scan.once(&mut data, ())?;
            response(scan, found)
        }
        _ => scan.skip().map(drop),
    })
}

fn call<'a>(scan: &mut JsonScan<'a>, found: &mut FoundSlots<'a>) -> Result<(), JsonError> {
    let (mut id, mut name, mut args) = (None, None, None);
    scan.members(|scan, key| match key {
        b"id" => scan.word(&mut id),
        b"name" => scan.word(&mut name),
        b"args" => {
            let given = command::read_arguments(scan)?;
            scan.once(&mut args, given)
        }
        _ => scan.skip().map(drop),
    })?;
    let (id, tool) = (id.unwrap_or_default(), name.unwrap_or_default());
    found.calls.make(SlotCall::of(id, tool, args.unwrap_or_default()));
    Ok(())
}

fn response<'a>(scan: &mut JsonScan<'a>, found: &mut FoundSlots<'a>) -> Result<(), JsonError> {
    let (mut id, mut name, mut given) = (None, None, None);
    let (mark, mut is_error) = (found.mark(), false);
    scan.members(|scan, key| match key {
        b"id" => scan.word(&mut id),
        b"name" => scan.word(&mut name),
        b"response" => {
            scan.once(&mut given, ())?;
            scan.members(|scan, key| {
                is_error |= key == b"error" && scan.peek() != Some(b'n');
                content::member(scan, found)
            })
        }
        _ => scan.skip().map(drop),
    })?;
    let (id, tool): (Cow<'_, str>, _) = (id.unwrap_or_default(), name.unwrap_or_default());
    found.settle(mark, scan.body(), ResultLabel { id, tool, is_error });
    Ok(())
}
