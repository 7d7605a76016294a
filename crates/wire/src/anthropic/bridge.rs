//! Hides tools from Messages requests, and turns `call_tool` calls back into calls of the hidden tools.

use tersely_json::{BytePatch, JsonNode, string};

use super::events::AnthropicEvent;
use crate::bridge::bridging::ToolBridging;
use crate::bridge::call::wrap_call;
use crate::bridge::catalogue::{ListedTool, ToolCatalogue, ToolNames, drop_tools, has_only, is_searched};
use crate::bridge::watch::{CallBridge, EventBridge, bridge_response};
use crate::hidden::turn::MAX_HELD_BYTES;
use crate::protocol::framing::EventFrame;

pub(super) static BRIDGING: ToolBridging = ToolBridging {
    catalogue,
    narrow,
    bridge: |calls, framing, watch| bridge_response(calls, framing, whole, HeldBlock::default(), watch),
};

/// The members that a plain function tool may have. A tool with any other member, such as a cache mark, is never
/// hidden.
const PLAIN: [&str; 6] = ["type", "name", "description", "input_schema", "strict", "input_examples"];

fn catalogue(body: &[u8]) -> Option<ToolCatalogue<'_>> {
    let top = JsonNode::object(body)?;
    let [tools, messages, choice] = top.get_all(["tools", "messages", "tool_choice"])?;
    let is_free = |choice: &JsonNode<'_>| choice.get("name").is_none();
    let items = tools.filter(|_| choice.as_ref().is_none_or(is_free))?.items();
    if items.iter().any(|tool| is_searched("tool_search_tool", tool)) {
        return None;
    }
    let mut catalogue =
        ToolCatalogue { tools: items.iter().map(list_tool).collect(), ..ToolCatalogue::default() };
    for message in messages?.items() {
        let [role, content] = message.get_all(["role", "content"])?;
        match role?.text().as_deref() {
            Some("user") => catalogue.add_content(&["text"], &content?),
            Some("system") => {}
            _ => break,
        }
    }
    Some(catalogue)
}

fn narrow(unlisted: &ToolNames, call: &str, body: &[u8]) -> Option<Vec<u8>> {
    let [tools, messages] = JsonNode::object(body)?.get_all(["tools", "messages"])?;
    let mut patch = drop_tools(unlisted, |tool| tool.get("name")?.text(), &tools?.items());
    for message in messages?.items() {
        for block in message.get("content").iter().flat_map(JsonNode::items) {
            let [kind, name, input] = block.get_all(["type", "name", "input"])?;
            let Some(((kind, name), input)) = kind.zip(name).zip(input) else { continue };
            let Some(tool) = name.text().filter(|it| kind.is_str("tool_use") && unlisted.contains(&**it))
            else {
                continue;
            };
            patch.put(name.span.clone(), string::quote(call));
            patch.put(input.span.clone(), wrap_call(&tool, input.bytes()));
        }
    }
    Some(patch.apply(body).into_owned())
}

fn list_tool<'a>(tool: &JsonNode<'a>) -> ListedTool<'a> {
    let is_plain = tool.get("type").is_none_or(|kind| kind.is_str("custom")) && has_only(&PLAIN, tool);
    let found = ListedTool::of(tool, ["input_schema", ""], tool).filter(|_| is_plain);
    found.unwrap_or_else(|| ListedTool::as_fixed(tool))
}

fn whole(calls: &CallBridge, body: &[u8]) -> Option<BytePatch> {
    let mut patch = BytePatch::default();
    for block in JsonNode::object(body)?.get("content")?.items() {
        let [kind, name, input] = block.get_all(["type", "name", "input"])?;
        if !kind.is_some_and(|kind| kind.is_str("tool_use")) || !calls.fits(name.as_ref()) {
            continue;
        }
        let Some((name, input)) = name.zip(input) else { continue };
        if let Some(call) = calls.read(input.bytes()) {
            patch.put(name.span, string::quote(&call.name));
            patch.put(input.span, call.arguments);
        }
    }
    Some(patch)
}

/// A block held back until its call is complete. Blocks arrive one at a time.
#[derive(Default)]
struct HeldBlock {
    index: Option<u64>,
    /// The event that starts the block; `pieces` are the events that extend it.
    start: Vec<u8>,
    pieces: Vec<Vec<u8>>,
    /// The arguments received so far, still JSON-escaped.
    grown: Vec<u8>,
    size: usize,
}

impl EventBridge for HeldBlock {
    fn event(&mut self, calls: &CallBridge, frame: EventFrame<'_>, out: &mut Vec<u8>) {
        let data = frame.data().unwrap_or_default();
        let event = AnthropicEvent::read(&data);
        let index = event.as_ref().and_then(|event| event.top.get("index")).and_then(|index| index.number());
        match event.as_ref().map(|event| &*event.kind) {
            Some("content_block_start") => {
                self.end(calls, out);
                let block = event.and_then(|event| event.top.get("content_block"));
                let [kind, name] =
                    block.and_then(|block| block.get_all(["type", "name"])).unwrap_or_default();
                let is_call = kind.is_some_and(|kind| kind.is_str("tool_use")) && calls.fits(name.as_ref());
                if is_call && index.is_some() {
                    (self.index, self.start) = (index, frame.raw.to_vec());
                    return;
                }
            }
            Some("content_block_delta") if self.index.is_some() && index == self.index => {
                let piece = event.and_then(|event| event.top.get("delta")?.get("partial_json"));
                self.grown.extend_from_slice(piece.map(|piece| piece.inside()).unwrap_or_default());
                self.size += frame.raw.len();
                self.pieces.push(frame.raw.to_vec());
                if self.size > MAX_HELD_BYTES {
                    self.end(calls, out);
                }
                return;
            }
            Some("content_block_stop") if self.index.is_some() && index == self.index => {
                self.release(calls, out);
            }
            Some("ping") | None => {}
            Some(_) => self.end(calls, out),
        }
        out.extend_from_slice(frame.raw);
    }

    fn end(&mut self, _: &CallBridge, out: &mut Vec<u8>) {
        let held = std::mem::take(self);
        out.extend_from_slice(&held.start);
        out.extend(held.pieces.into_iter().flatten());
    }
}

impl HeldBlock {
    /// Writes the complete block: rewritten as a call of the intended tool, or unchanged.
    fn release(&mut self, calls: &CallBridge, out: &mut Vec<u8>) {
        if self.write_call(calls, out).is_some() {
            *self = Self::default();
        } else {
            self.end(calls, out);
        }
    }

    fn write_call(&self, calls: &CallBridge, out: &mut Vec<u8>) -> Option<()> {
        let frame = EventFrame::sse(&self.start);
        let data = frame.data()?;
        let block = JsonNode::object(&data)?.get("content_block")?;
        let [name, input] = block.get_all(["name", "input"])?;
        let (name, input) = (name?, input?);
        let grown = string::decode(&[b"\"", self.grown.as_slice(), b"\""].concat())?.into_owned();
        let given = if grown.is_empty() { input.bytes() } else { grown.as_bytes() };
        let call = calls.read(given)?;
        let mut patch = BytePatch::default();
        patch.put(name.span, string::quote(&call.name));
        let Some(piece) = self.pieces.iter().find(|_| !grown.is_empty()) else {
            patch.put(input.span, call.arguments);
            frame.write(patch, &data, out);
            return Some(());
        };
        let (piece, mut delta) = (EventFrame::sse(piece), BytePatch::default());
        let json = piece.data()?;
        let place = JsonNode::object(&json)?.get("delta")?.get("partial_json")?.span;
        delta.put(place, string::quote(&String::from_utf8_lossy(&call.arguments)));
        frame.write(patch, &data, out);
        piece.write(delta, &json, out);
        Some(())
    }
}
