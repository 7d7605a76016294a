//! Finds tool results, tools and prompts in Gemini requests, where `functionResponse` parts answer `functionCall`
//! parts.
//!
//! A response is an object, and the model reads the whole object. Each member that is a text, an array or an object
//! is a slot, and its new text becomes a string under the same name. So the response remains an object, as the API
//! requires, and short members stay unchanged. If a member contains text blocks, like the `content` of an MCP server,
//! the texts of these blocks are the slots.

use std::borrow::Cow;

use tersely_json::{JsonError, JsonScan};

use crate::request::call::SlotCall;
use crate::request::command;
use crate::request::content;
use crate::request::findings::{RequestFindings, ResultLabel, Speaker};
use crate::request::preamble;
use crate::request::reading::Reading;
use crate::request::schema::{self, FoundDescriptions};
use crate::request::tools::RequestHead;

/// Measures the tools and the system prompt.
pub(super) fn head(reading: &Reading<'_>) -> RequestHead {
    preamble::beside(&["systemInstruction", "system_instruction"], reading)
}

/// Reads a request. It may be wrapped: in `generateContentRequest` when only tokens are counted, or in `request` for a
/// signed-in client.
pub(super) fn walk<'a>(scan: &mut JsonScan<'a>, found: &mut RequestFindings<'a>) -> Result<(), JsonError> {
    unwrap(scan, |scan, key| found.member(scan, key, ("contents", content)))
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

/// Reads a content. Content without a role belongs to a user.
fn content<'a>(scan: &mut JsonScan<'a>, found: &mut RequestFindings<'a>) -> Result<(), JsonError> {
    let (mut role, mut parts) = (None, None);
    scan.peek();
    let (start, mark) = (scan.at(), found.prompts.len());
    found.begin();
    scan.members(|scan, key| match key {
        b"role" => scan.word(&mut role),
        b"parts" => {
            scan.once(&mut parts, ())?;
            scan.items(|scan| part(scan, found))
        }
        _ => scan.skip().map(drop),
    })?;
    found.end(scan, start, Speaker::of(None, Some(role.as_deref().unwrap_or("user"))), mark);
    Ok(())
}

/// Reads a part of a content. Google accepts names in camel case and in snake case.
fn part<'a>(scan: &mut JsonScan<'a>, found: &mut RequestFindings<'a>) -> Result<(), JsonError> {
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
        b"text" => {
            let text = scan.skip()?;
            found.prompt(scan.body(), text);
            Ok(())
        }
        _ => scan.skip().map(drop),
    })
}

fn call<'a>(scan: &mut JsonScan<'a>, found: &mut RequestFindings<'a>) -> Result<(), JsonError> {
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

fn response<'a>(scan: &mut JsonScan<'a>, found: &mut RequestFindings<'a>) -> Result<(), JsonError> {
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
