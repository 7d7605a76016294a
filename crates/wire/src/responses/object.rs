//! Locates the fields of a response object.

use std::borrow::Cow;
use std::collections::HashSet;
use std::ops::Range;

use serde_json::Value;
use tersely_json::{BytePatch, JsonError, JsonNode, JsonScan, list, string};

use crate::hidden::names::HiddenNames;

/// The positions of the fields in a response object.
#[derive(Default)]
pub(super) struct ResponseObject<'a> {
    pub(super) place: Range<usize>,
    pub(super) id: Option<Range<usize>>,
    pub(super) status: Option<Range<usize>>,
    pub(super) error: Option<Range<usize>>,
    usage: Option<Range<usize>>,
    pub(super) output: Option<Range<usize>>,
    pub(super) items: Vec<ResponseItem<'a>>,
    tools: Option<Range<usize>>,
}

/// An item of the output.
#[derive(Default)]
pub(super) struct ResponseItem<'a> {
    pub(super) place: Range<usize>,
    pub(super) kind: Cow<'a, str>,
    pub(super) name: Cow<'a, str>,
    pub(super) call: Cow<'a, str>,
}

impl<'a> ResponseObject<'a> {
    /// Reads the response object of a whole body. `None` when the body is something else, or is not JSON that all
    /// parsers read the same way.
    pub(super) fn whole(body: &'a [u8]) -> Option<Self> {
        let mut scan = JsonScan::new(body);
        let answer = Self::read(&mut scan).ok()?;
        scan.end().ok()?;
        answer.output.is_some().then_some(answer)
    }

    /// Reads the response object at the current position.
    pub(super) fn read(scan: &mut JsonScan<'a>) -> Result<Self, JsonError> {
        let mut answer = Self::default();
        scan.peek();
        let start = scan.at();
        scan.members(|scan, key| match key {
            b"id" => scan.place(&mut answer.id),
            b"status" => scan.place(&mut answer.status),
            b"error" => scan.place(&mut answer.error),
            b"usage" => scan.place(&mut answer.usage),
            b"tools" => scan.place(&mut answer.tools),
            b"output" if scan.peek() == Some(b'[') => {
                let start = scan.at();
                scan.items(|scan| {
                    answer.items.push(ResponseItem::read(scan)?);
                    Ok(())
                })?;
                scan.once(&mut answer.output, start..scan.at())
            }
            _ => scan.skip().map(drop),
        })?;
        answer.place = start..scan.at();
        Ok(answer)
    }

    /// The usage, which may be `null`.
    pub(super) fn usage<'d>(&self, data: &'d [u8]) -> Option<JsonNode<'d>> {
        self.usage.clone().map(|place| JsonNode::at(place, data))
    }

    /// True when the response is complete.
    pub(super) fn is_complete(&self, data: &[u8]) -> bool {
        self.status(data).is_none_or(|status| status == b"\"completed\"")
    }

    /// True when the model's output was cut off.
    pub(super) fn is_cut(&self, data: &[u8]) -> bool {
        self.status(data) == Some(b"\"incomplete\"")
    }

    fn status<'d>(&self, data: &'d [u8]) -> Option<&'d [u8]> {
        self.status.clone().map(|place| &data[place])
    }

    /// Removes the hidden tools from the array of tools, which servers copy from the request.
    pub(super) fn untool(&self, names: HiddenNames, data: &[u8], patch: &mut BytePatch) {
        let Some(place) = &self.tools else { return };
        let data = &data[place.clone()];
        let tools = ResponseItem::list(data);
        let own = tools.iter().filter(|tool| !tool.is_tool(names));
        let own: Vec<_> = own.map(|tool| string::raw(&tool.place, data)).collect();
        if own.len() < tools.len() {
            patch.put(place.clone(), list::of(own.iter().map(String::as_str)));
        }
    }

    /// Sets the member `name` to `value`; `place` is the range of its current value, if it has one.
    pub(super) fn set(&self, name: &str, place: Option<&Range<usize>>, value: &Value, patch: &mut BytePatch) {
        let start = self.place.start + 1;
        match place {
            Some(place) => patch.put(place.clone(), value.to_string()),
            None => patch.put(start..start, format!("\"{name}\":{value},")),
        }
    }
}

impl<'a> ResponseItem<'a> {
    /// The items of an array; empty when the data is not JSON that all parsers read the same way.
    pub(super) fn list(data: &'a [u8]) -> Vec<Self> {
        let (mut scan, mut items) = (JsonScan::new(data), Vec::new());
        let read = scan.items(|scan| {
            items.push(Self::read(scan)?);
            Ok(())
        });
        if read.is_ok() { items } else { Vec::new() }
    }

    /// Reads the item at the current position.
    pub(super) fn read(scan: &mut JsonScan<'a>) -> Result<Self, JsonError> {
        let (mut kind, mut name, mut call) = (None, None, None);
        scan.peek();
        let start = scan.at();
        scan.members(|scan, key| match key {
            b"type" => scan.word(&mut kind),
            b"name" => scan.word(&mut name),
            b"call_id" => scan.word(&mut call),
            _ => scan.skip().map(drop),
        })?;
        let place = start..scan.at();
        let [kind, name, call] = [kind, name, call].map(Option::unwrap_or_default);
        Ok(Self { place, kind, name, call })
    }

    /// True when the item is the definition of one of these tools.
    pub(super) fn is_tool(&self, names: HiddenNames) -> bool {
        self.kind == "function" && names.has(&self.name)
    }

    /// True when the item is a call of one of these tools.
    pub(super) fn calls(&self, names: HiddenNames) -> bool {
        self.kind == "function_call" && names.has(&self.name)
    }

    /// True when the item is a call that the provider does not answer itself.
    fn is_for_client(&self) -> bool {
        let is_call = self.kind.ends_with("_call") && !SERVED.contains(&&*self.kind);
        is_call || self.kind == "mcp_approval_request"
    }
}

/// True when the client must act before the model can continue; calls of the tools `hidden` are ignored.
pub(super) fn waits_for_client(hidden: HiddenNames, items: &[ResponseItem<'_>]) -> bool {
    let answers = items.iter().filter(|item| item.kind.ends_with("_output"));
    let answered: HashSet<_> = answers.map(|item| &*item.call).collect();
    let mut own = items.iter().filter(|item| !item.calls(hidden) && item.is_for_client());
    own.any(|item| !answered.contains(&*item.call))
}

/// The types of calls that the provider both makes and answers.
const SERVED: [&str; 5] =
    ["web_search_call", "file_search_call", "code_interpreter_call", "image_generation_call", "mcp_call"];
