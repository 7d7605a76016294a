//! Finds tool results, tools and prompts in Converse requests, where `toolResult` blocks answer `toolUse` blocks.
//!
//! The content of a result is an array of texts, JSON objects and media. Each text is a slot. The API requires a JSON
//! object to remain an object, so each of its members is a slot, and the new text becomes a string under the same
//! name.

use tersely_json::{JsonError, JsonScan};

use crate::request::call::SlotCall;
use crate::request::command;
use crate::request::content;
use crate::request::findings::{self, RequestFindings, ResultLabel, Speaker};
use crate::request::schema::{self, FoundDescriptions};

/// Reads a request.
pub(super) fn walk<'a>(scan: &mut JsonScan<'a>, found: &mut RequestFindings<'a>) -> Result<(), JsonError> {
    findings::walk(scan, found, "messages", message)
}

/// Finds the descriptions of all tools, and those in their schemas.
pub(super) fn tools<'a>(scan: &mut JsonScan<'a>, found: &mut FoundDescriptions<'a>) -> Result<(), JsonError> {
    under("toolConfig", scan, |scan| {
        scan.items_of("tools", |scan| under("toolSpec", scan, |scan| tool(scan, found)))
    })
}

/// Passes the value of the member `name` of the current object to `each`, and skips every other member.
fn under<'a>(
    name: &str,
    scan: &mut JsonScan<'a>,
    mut each: impl FnMut(&mut JsonScan<'a>) -> Result<(), JsonError>,
) -> Result<(), JsonError> {
    let mut seen = None;
    scan.members(|scan, key| {
        if key != name.as_bytes() {
            return scan.skip().map(drop);
        }
        scan.once(&mut seen, ())?;
        each(scan)
    })
}

fn tool<'a>(scan: &mut JsonScan<'a>, found: &mut FoundDescriptions<'a>) -> Result<(), JsonError> {
    schema::walk_object(scan, found, |scan, found, key| {
        if key == b"inputSchema" {
            return under("json", scan, |scan| schema::schema(scan, found));
        }
        scan.skip().map(drop)
    })
}

fn message<'a>(scan: &mut JsonScan<'a>, found: &mut RequestFindings<'a>) -> Result<(), JsonError> {
    let (mut role, mut content) = (None, None);
    scan.peek();
    let (start, mark) = (scan.at(), found.prompts.len());
    found.begin();
    scan.members(|scan, key| match key {
        b"role" => scan.word(&mut role),
        b"content" => {
            scan.once(&mut content, ())?;
            scan.items(|scan| block(scan, found))
        }
        _ => scan.skip().map(drop),
    })?;
    found.end(scan, start, Speaker::of(None, role.as_deref()), mark);
    Ok(())
}

fn block<'a>(scan: &mut JsonScan<'a>, found: &mut RequestFindings<'a>) -> Result<(), JsonError> {
    let mut data = None;
    scan.members(|scan, key| match key {
        b"toolUse" => {
            scan.once(&mut data, ())?;
            call(scan, found)
        }
        b"toolResult" => {
            scan.once(&mut data, ())?;
            result(scan, found)
        }
        b"text" => {
            let text = scan.skip()?;
            scan.once(&mut data, ())?;
            found.prompt(scan.body(), text);
            Ok(())
        }
        _ => scan.skip().map(drop),
    })
}

fn call<'a>(scan: &mut JsonScan<'a>, found: &mut RequestFindings<'a>) -> Result<(), JsonError> {
    let (mut id, mut name, mut input) = (None, None, None);
    scan.members(|scan, key| match key {
        b"toolUseId" => scan.word(&mut id),
        b"name" => scan.word(&mut name),
        b"input" => {
            let given = command::read_arguments(scan)?;
            scan.once(&mut input, given)
        }
        _ => scan.skip().map(drop),
    })?;
    let (id, tool) = (id.unwrap_or_default(), name.unwrap_or_default());
    found.calls.make(SlotCall::of(id, tool, input.unwrap_or_default()));
    Ok(())
}

/// Reads a result. Results of the provider's own tools have a type, and must be sent back as the provider wrote them.
fn result<'a>(scan: &mut JsonScan<'a>, found: &mut RequestFindings<'a>) -> Result<(), JsonError> {
    let (mut id, mut status, mut kind, mut content) = (None, None, None, None);
    let mark = found.mark();
    scan.members(|scan, key| match key {
        b"toolUseId" => scan.word(&mut id),
        b"status" => scan.word(&mut status),
        b"type" => scan.word(&mut kind),
        b"content" => {
            scan.once(&mut content, ())?;
            scan.items(|scan| part(scan, found))
        }
        _ => scan.skip().map(drop),
    })?;
    if kind.is_some_and(|kind| !kind.is_empty()) {
        found.forget(mark);
        return Ok(());
    }
    let is_error = status.as_deref() == Some("error");
    let label = ResultLabel { id: id.unwrap_or_default(), is_error, ..ResultLabel::default() };
    found.settle(mark, scan.body(), label);
    Ok(())
}

/// Reads a part of a result, which has exactly one member. A part with several members is an error.
fn part<'a>(scan: &mut JsonScan<'a>, found: &mut RequestFindings<'a>) -> Result<(), JsonError> {
    let mut data = None;
    scan.members(|scan, key| {
        scan.once(&mut data, ())?;
        match key {
            b"text" => {
                let place = scan.skip()?;
                found.hold_string(scan.body(), place);
                Ok(())
            }
            b"json" if scan.peek() == Some(b'{') => scan.members(|scan, _| content::member(scan, found)),
            _ => scan.skip().map(drop),
        }
    })
}
