//! Finds places in Chat Completions, where messages of the role `tool` answer `tool_calls`, and those of the role
//! `function` a `function_call`.

use std::borrow::Cow;

use crate::call::Call;
use crate::command::command;
use crate::content::texts;
use crate::hidden::{self, Hides};
use crate::scan::Scan;
use crate::slot::{Answer, Found, find};
use crate::{Description, Prompt, Provider, Slot, WireError, prompt, schema};

pub(crate) struct Chat;

impl Provider for Chat {
    fn name(&self) -> &'static str {
        "chat"
    }

    fn claims(&self, path: &str) -> bool {
        path.ends_with("/chat/completions")
    }

    fn slots<'a>(&self, body: &'a [u8]) -> Result<Vec<Slot<'a>>, WireError> {
        find(body, request)
    }

    fn descriptions<'a>(&self, body: &'a [u8]) -> Result<Vec<Description<'a>>, WireError> {
        schema::find(body, tools)
    }

    fn prompts<'a>(&self, body: &'a [u8]) -> Result<Vec<Prompt<'a>>, WireError> {
        prompt::find(body, prompts)
    }

    fn hides(&self, _target: &str) -> Option<&'static dyn Hides> {
        Some(&hidden::chat::Hide)
    }
}

pub(crate) fn request<'a>(scan: &mut Scan<'a>, found: &mut Found<'a>) -> Result<(), WireError> {
    scan.items_of("messages", |scan| message(scan, found))
}

/// Each tool in a wrapper that says of what kind it is; `functions` without one.
pub(crate) fn tools<'a>(scan: &mut Scan<'a>, found: &mut schema::Found<'a>) -> Result<(), WireError> {
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

pub(crate) fn prompts<'a>(scan: &mut Scan<'a>, found: &mut prompt::Found<'a>) -> Result<(), WireError> {
    scan.items_of("messages", |scan| prompt::message(scan, found))
}

fn message<'a>(scan: &mut Scan<'a>, found: &mut Found<'a>) -> Result<(), WireError> {
    let (mut role, mut id, mut name, mut tool_name) = (None, None, None, None);
    let (mut content, mut calls, mut single) = (None, None, None);
    let mark = found.mark();
    found.calls.begin();
    scan.members(|scan, key| match key {
        b"role" => scan.word(&mut role),
        b"tool_call_id" => scan.word(&mut id),
        b"name" => scan.word(&mut name),
        b"tool_name" => scan.word(&mut tool_name),
        b"content" => {
            scan.once(&mut content, ())?;
            texts(scan, found)
        }
        b"tool_calls" => {
            scan.once(&mut calls, ())?;
            scan.items(|scan| call(scan, found))
        }
        b"function_call" => {
            let (tool, command) = function(scan)?;
            scan.once(&mut single, ())?;
            found.calls.make(Call { id: Cow::default(), tool, command });
            Ok(())
        }
        _ => scan.skip().map(drop),
    })?;
    if let Some("tool" | "function") = role.as_deref() {
        let tool = tool_name.or(name).unwrap_or_default();
        found.settle(mark, scan.body(), Answer { id: id.unwrap_or_default(), tool, is_error: false });
    } else {
        found.forget(mark);
    }
    Ok(())
}

fn call<'a>(scan: &mut Scan<'a>, found: &mut Found<'a>) -> Result<(), WireError> {
    let (mut id, mut called) = (None, None);
    scan.members(|scan, key| match key {
        b"id" => scan.word(&mut id),
        b"function" | b"custom" => {
            let function = function(scan)?;
            scan.once(&mut called, function)
        }
        _ => scan.skip().map(drop),
    })?;
    let (tool, command) = called.unwrap_or_default();
    found.calls.make(Call { id: id.unwrap_or_default(), tool, command });
    Ok(())
}

/// A tool's name, and the command in its arguments.
fn function<'a>(scan: &mut Scan<'a>) -> Result<(Cow<'a, str>, Option<Cow<'a, str>>), WireError> {
    let (mut name, mut arguments) = (None, None);
    scan.members(|scan, key| match key {
        b"name" => scan.word(&mut name),
        b"arguments" | b"input" => {
            let command = command(scan)?;
            scan.once(&mut arguments, command)
        }
        _ => scan.skip().map(drop),
    })?;
    Ok((name.unwrap_or_default(), arguments.flatten()))
}
