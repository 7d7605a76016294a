//! Hides tools from Responses requests, and turns `call_tool` calls back into calls of the hidden tools.

use tersely_json::{BytePatch, JsonNode, string};

use super::request;
use crate::bridge::bridging::ToolBridging;
use crate::bridge::call::{BridgedCall, wrap_value};
use crate::bridge::catalogue::{ListedTool, ToolCatalogue, ToolNames, drop_tools, has_only, is_searched};
use crate::bridge::watch::{CallBridge, EventBridge, bridge_response};
use crate::hidden::turn::MAX_HELD_BYTES;
use crate::protocol::framing::EventFrame;
use crate::request::content::TEXT;
use crate::request::history::HistoryPlace;

pub(super) static BRIDGING: ToolBridging = ToolBridging {
    catalogue,
    narrow,
    bridge: |calls, framing, watch| bridge_response(calls, framing, whole, HeldItem::default(), watch),
};

/// The members that a plain function tool may have.
const PLAIN: [&str; 5] = ["type", "name", "description", "parameters", "strict"];

fn catalogue(body: &[u8]) -> Option<ToolCatalogue<'_>> {
    // The start of a stored conversation is not in the request, and its calls are stored as the model wrote them.
    if request::history_of(body) != HistoryPlace::Here {
        return None;
    }
    let [tools, input, choice] = JsonNode::object(body)?.get_all(["tools", "input", "tool_choice"])?;
    let items = tools.filter(|_| !choice.is_some_and(|choice| choice.is_object()))?.items();
    if items.iter().any(|tool| is_searched("tool_search", tool)) {
        return None;
    }
    let mut catalogue =
        ToolCatalogue { tools: items.iter().map(list_tool).collect(), ..ToolCatalogue::default() };
    let input = input?;
    if let Some(text) = input.text() {
        catalogue.add_text(&text);
    }
    for item in input.items() {
        let [kind, role, content] = item.get_all(["type", "role", "content"])?;
        let kind = kind.and_then(|kind| kind.text());
        match (kind.as_deref(), role.and_then(|role| role.text()).as_deref(), content) {
            (None | Some("message"), Some("user"), Some(content)) => {
                catalogue.add_content(&TEXT, &content);
            }
            (None | Some("message"), Some("system" | "developer"), _) | (Some("additional_tools"), ..) => {}
            _ => break,
        }
    }
    Some(catalogue)
}

fn narrow(unlisted: &ToolNames, call: &str, body: &[u8]) -> Option<Vec<u8>> {
    let [tools, input] = JsonNode::object(body)?.get_all(["tools", "input"])?;
    let mut patch = drop_tools(unlisted, |tool| tool.get("name")?.text(), &tools?.items());
    for item in input?.items() {
        let Some((name, arguments)) = call_parts(&item) else { continue };
        let Some(tool) = name.text().filter(|tool| unlisted.contains(&**tool)) else { continue };
        let given = wrap_value(&tool, &arguments);
        patch.put(name.span.clone(), string::quote(call));
        patch.put(arguments.span, string::quote(&String::from_utf8_lossy(&given)));
    }
    Some(patch.apply(body).into_owned())
}

fn list_tool<'a>(tool: &JsonNode<'a>) -> ListedTool<'a> {
    let is_plain = tool.get("type").is_some_and(|kind| kind.is_str("function")) && has_only(&PLAIN, tool);
    let found = ListedTool::of(tool, ["parameters", ""], tool).filter(|_| is_plain);
    found.unwrap_or_else(|| ListedTool::as_fixed(tool))
}

/// Reads the name and the arguments of a call.
fn call_parts<'a>(item: &JsonNode<'a>) -> Option<(JsonNode<'a>, JsonNode<'a>)> {
    let [kind, name, arguments] = item.get_all(["type", "name", "arguments"])?;
    name.zip(arguments).filter(|_| kind.is_some_and(|kind| kind.is_str("function_call")))
}

fn whole(calls: &CallBridge, body: &[u8]) -> Option<BytePatch> {
    let mut patch = BytePatch::default();
    list(calls, &JsonNode::object(body)?, &mut patch);
    Some(patch)
}

/// Rewrites the calls in a response object, and restores the client's array of tools.
fn list(calls: &CallBridge, response: &JsonNode<'_>, patch: &mut BytePatch) {
    if let Some(tools) = response.get("tools").filter(|tools| tools.is_list() && !calls.listed.is_empty()) {
        patch.put(tools.span, &*calls.listed);
    }
    for item in response.get("output").iter().flat_map(JsonNode::items) {
        let Some((name, arguments)) = call_parts(&item).filter(|(name, _)| calls.fits(Some(name))) else {
            continue;
        };
        if let Some(call) = arguments.text().and_then(|given| calls.read(given.as_bytes())) {
            patch.put(name.span, string::quote(&call.name));
            patch.put(arguments.span, arguments_json(&call));
        }
    }
}

/// The arguments of a call, as a JSON string.
fn arguments_json(call: &BridgedCall) -> String {
    string::quote(&String::from_utf8_lossy(&call.arguments))
}

/// The events of a call, held back until the call is complete. Items arrive one at a time.
#[derive(Default)]
struct HeldItem {
    index: Option<u64>,
    events: Vec<Vec<u8>>,
    size: usize,
}

impl EventBridge for HeldItem {
    fn event(&mut self, calls: &CallBridge, frame: EventFrame<'_>, out: &mut Vec<u8>) {
        let data = frame.data().unwrap_or_default();
        let top = JsonNode::object(&data);
        let names = ["type", "output_index", "item", "response"];
        let [kind, index, item, response] = top.and_then(|top| top.get_all(names)).unwrap_or_default();
        let index = index.and_then(|index| index.number());
        let is_held = self.index.is_some() && index == self.index;
        match kind.and_then(|kind| kind.text()).as_deref() {
            Some("response.output_item.added")
                if index.is_some() && item.as_ref().is_some_and(|it| begins(calls, it)) =>
            {
                self.end(calls, out);
                self.index = index;
                self.hold(calls, frame, out);
            }
            Some("response.output_item.done") if is_held => {
                self.events.push(frame.raw.to_vec());
                let called =
                    item.and_then(|item| call_parts(&item)).and_then(|(_, arguments)| arguments.text());
                match called.and_then(|given| calls.read(given.as_bytes())) {
                    Some(call) => self.tell(&call, out),
                    None => self.end(calls, out),
                }
            }
            Some(_) if is_held => self.hold(calls, frame, out),
            _ => {
                let mut patch = BytePatch::default();
                if let Some(response) = response {
                    self.end(calls, out);
                    list(calls, &response, &mut patch);
                }
                frame.write(patch, &data, out);
            }
        }
    }

    fn end(&mut self, _: &CallBridge, out: &mut Vec<u8>) {
        out.extend(std::mem::take(self).events.into_iter().flatten());
    }
}

/// True for a call of the bridging tool.
fn begins(calls: &CallBridge, item: &JsonNode<'_>) -> bool {
    call_parts(item).is_some_and(|(name, _)| calls.fits(Some(&name)))
}

impl HeldItem {
    fn hold(&mut self, calls: &CallBridge, frame: EventFrame<'_>, out: &mut Vec<u8>) {
        self.size += frame.raw.len();
        self.events.push(frame.raw.to_vec());
        if self.size > MAX_HELD_BYTES {
            self.end(calls, out);
        }
    }

    /// Writes the events as events of a call of the intended tool. No event is dropped, because events are numbered.
    fn tell(&mut self, call: &BridgedCall, out: &mut Vec<u8>) {
        let mut is_given = false;
        for raw in std::mem::take(self).events {
            let frame = EventFrame::sse(&raw);
            let data = frame.data().unwrap_or_default();
            let mut patch = BytePatch::default();
            if let Some(top) = JsonNode::object(&data) {
                let [item, delta] = top.get_all(["item", "delta"]).unwrap_or_default();
                if let Some(delta) = delta {
                    patch.put(delta.span, if is_given { "\"\"".to_owned() } else { arguments_json(call) });
                    is_given = true;
                }
                name(call, &item.unwrap_or(top), &mut patch);
            }
            frame.write(patch, &data, out);
        }
    }
}

/// Replaces the name and the arguments in an item, or in an event that contains arguments, by those of the intended
/// tool.
fn name(call: &BridgedCall, object: &JsonNode<'_>, patch: &mut BytePatch) {
    let [name, arguments] = object.get_all(["name", "arguments"]).unwrap_or_default();
    if let Some(name) = name {
        patch.put(name.span, string::quote(&call.name));
    }
    if let Some(arguments) = arguments.filter(|it| !it.inside().is_empty()) {
        patch.put(arguments.span, arguments_json(call));
    }
}
