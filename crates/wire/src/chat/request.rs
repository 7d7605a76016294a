//! Finds tool results, tools and prompts in Chat Completions requests. Messages with the role `tool` answer
//! `tool_calls`; messages with the role `function` answer a `function_call`.

use std::borrow::Cow;

use tersely_json::{JsonError, JsonScan};

use crate::request::call::SlotCall;
use crate::request::command::{self, GivenArguments};
use crate::request::content;
use crate::request::findings::{self, RequestFindings, ResultLabel, Speaker};
use crate::request::preamble;
use crate::request::reading::Reading;
use crate::request::schema::{self, FoundDescriptions};
use crate::request::tools::RequestHead;

/// Measures the tools and the system prompt.
pub(super) fn head(reading: &Reading<'_>) -> RequestHead {
    let head = preamble::beside(&[], reading);
    RequestHead { bytes: head.bytes + reading.findings().opening_bytes, ..head }
}

/// Reads a request.
pub(crate) fn walk<'a>(scan: &mut JsonScan<'a>, found: &mut RequestFindings<'a>) -> Result<(), JsonError> {
    findings::walk(scan, found, "messages", message)
}

/// Finds the descriptions of all tools, and those in their schemas. Each tool is in a wrapper that gives its type,
/// except in `functions`.
pub(crate) fn tools<'a>(scan: &mut JsonScan<'a>, found: &mut FoundDescriptions<'a>) -> Result<(), JsonError> {
    scan.members(|scan, key| match key {
        b"tools" => scan.items(|scan| {
            scan.members(|scan, key| match key {
                b"function" | b"custom" => schema::tool(&["parameters"], scan, found),
                _ => scan.skip().map(drop),
            })
        }),
        b"functions" => scan.items(|scan| schema::tool(&["parameters"], scan, found)),
        _ => scan.skip().map(drop),
    })
}

fn message<'a>(scan: &mut JsonScan<'a>, found: &mut RequestFindings<'a>) -> Result<(), JsonError> {
    let (mut role, mut id, mut name, mut tool_name) = (None, None, None, None);
    let (mut kind, mut content, mut calls, mut single) = (None, None, None, None);
    scan.peek();
    let (start, mark, prompts) = (scan.at(), found.mark(), found.prompts.len());
    found.begin();
    scan.members(|scan, key| match key {
        b"type" => scan.word(&mut kind),
        b"role" => scan.word(&mut role),
        b"tool_call_id" => scan.word(&mut id),
        b"name" => scan.word(&mut name),
        b"tool_name" => scan.word(&mut tool_name),
        b"content" => {
            scan.once(&mut content, ())?;
            content::message(scan, found)
        }
        b"tool_calls" => {
            scan.once(&mut calls, ())?;
            scan.items(|scan| call(scan, found))
        }
        b"function_call" => {
            let (tool, given) = function(scan)?;
            scan.once(&mut single, ())?;
            found.calls.make(SlotCall::of(Cow::default(), tool, given));
            Ok(())
        }
        _ => scan.skip().map(drop),
    })?;
    if let Some("tool" | "function") = role.as_deref() {
        let tool = tool_name.or(name).unwrap_or_default();
        found.settle(mark, scan.body(), ResultLabel { id: id.unwrap_or_default(), tool, is_error: false });
    } else {
        found.forget(mark);
    }
    found.end(scan, start, Speaker::of(kind.as_deref(), role.as_deref()), prompts);
    Ok(())
}

fn call<'a>(scan: &mut JsonScan<'a>, found: &mut RequestFindings<'a>) -> Result<(), JsonError> {
    let (mut id, mut called) = (None, None);
    scan.members(|scan, key| match key {
        b"id" => scan.word(&mut id),
        b"function" | b"custom" => {
            let function = function(scan)?;
            scan.once(&mut called, function)
        }
        _ => scan.skip().map(drop),
    })?;
    let (tool, given) = called.unwrap_or_default();
    found.calls.make(SlotCall::of(id.unwrap_or_default(), tool, given));
    Ok(())
}

/// Reads a tool's name and its arguments.
fn function<'a>(scan: &mut JsonScan<'a>) -> Result<(Cow<'a, str>, GivenArguments<'a>), JsonError> {
    let (mut name, mut arguments) = (None, None);
    scan.members(|scan, key| match key {
        b"name" => scan.word(&mut name),
        b"arguments" | b"input" => {
            let given = command::read_arguments(scan)?;
            scan.once(&mut arguments, given)
        }
        _ => scan.skip().map(drop),
    })?;
    Ok((name.unwrap_or_default(), arguments.unwrap_or_default()))
}
