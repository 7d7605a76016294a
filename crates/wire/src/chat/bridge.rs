//! Hides tools from Chat Completions requests, and turns `call_tool` calls back into calls of the hidden tools.

use tersely_json::{BytePatch, JsonNode, list, member_with_comma, string};

use super::chunk::{CallPiece, ChatChunk};
use super::pending_call::PendingCall;
use crate::bridge::bridging::ToolBridging;
use crate::bridge::call::wrap_value;
use crate::bridge::catalogue::{ListedTool, ToolCatalogue, ToolNames, drop_tools, has_only};
use crate::bridge::watch::{CallBridge, EventBridge, bridge_response};
use crate::protocol::framing::EventFrame;

pub(super) static BRIDGING: ToolBridging = ToolBridging {
    catalogue,
    narrow,
    bridge: |calls, framing, watch| bridge_response(calls, framing, whole, ChunkBridge::default(), watch),
};

/// The members that a plain function tool may have, and the members that its `function` may have.
const PLAIN: [&str; 2] = ["type", "function"];
const FUNCTION: [&str; 4] = ["name", "description", "parameters", "strict"];

fn catalogue(body: &[u8]) -> Option<ToolCatalogue<'_>> {
    let top = JsonNode::object(body)?;
    let [tools, messages, choice] = top.get_all(["tools", "messages", "tool_choice"])?;
    let items = tools.filter(|_| !choice.is_some_and(|choice| choice.is_object()))?.items();
    let tools = items.iter().map(list_tool).collect();
    let mut catalogue = ToolCatalogue { tools, ..ToolCatalogue::default() };
    for message in messages?.items() {
        let [role, content] = message.get_all(["role", "content"])?;
        match (role?.text().as_deref(), content) {
            (Some("user"), Some(content)) => catalogue.add_content(&["text"], &content),
            (Some("system" | "developer"), _) => {}
            _ => break,
        }
    }
    Some(catalogue)
}

fn narrow(unlisted: &ToolNames, call: &str, body: &[u8]) -> Option<Vec<u8>> {
    let [tools, messages] = JsonNode::object(body)?.get_all(["tools", "messages"])?;
    let mut patch = drop_tools(unlisted, |tool| tool.get("function")?.get("name")?.text(), &tools?.items());
    for message in messages?.items() {
        let [role, name, made] = message.get_all(["role", "name", "tool_calls"])?;
        // Some servers check that a result has the same name as its call.
        if let Some(name) =
            name.filter(|name| role.is_some_and(|it| it.is_str("tool")) && is_of(unlisted, name))
        {
            patch.put(name.span, string::quote(call));
        }
        for function in made.iter().flat_map(JsonNode::items).filter_map(|made| made.get("function")) {
            let [name, arguments] = function.get_all(["name", "arguments"])?;
            let Some((name, arguments)) = name.zip(arguments).filter(|(name, _)| is_of(unlisted, name))
            else {
                continue;
            };
            let given = wrap_value(&name.text()?, &arguments);
            patch.put(name.span, string::quote(call));
            patch.put(arguments.span, string::quote(&String::from_utf8_lossy(&given)));
        }
    }
    Some(patch.apply(body).into_owned())
}

fn is_of(names: &ToolNames, name: &JsonNode<'_>) -> bool {
    name.text().is_some_and(|name| names.contains(&*name))
}

fn list_tool<'a>(tool: &JsonNode<'a>) -> ListedTool<'a> {
    let [kind, function] = tool.get_all(["type", "function"]).unwrap_or_default();
    let is_plain = kind.is_some_and(|kind| kind.is_str("function")) && has_only(&PLAIN, tool);
    let function = function.filter(|function| is_plain && has_only(&FUNCTION, function));
    let found = function.and_then(|function| ListedTool::of(&function, ["parameters", ""], tool));
    found.unwrap_or_else(|| ListedTool::as_fixed(tool))
}

fn whole(calls: &CallBridge, body: &[u8]) -> Option<BytePatch> {
    let mut patch = BytePatch::default();
    for choice in JsonNode::object(body)?.get("choices")?.items() {
        let made = choice.get("message").and_then(|message| message.get("tool_calls"));
        for function in made.iter().flat_map(JsonNode::items).filter_map(|made| made.get("function")) {
            rewrite(calls, &function, &mut patch);
        }
    }
    Some(patch)
}

/// Rewrites a `call_tool` call as a call of the intended tool, if the call names one.
fn rewrite(calls: &CallBridge, function: &JsonNode<'_>, patch: &mut BytePatch) -> Option<()> {
    let [name, arguments] = function.get_all(["name", "arguments"])?;
    let (name, arguments) = (name.filter(|name| calls.fits(Some(name)))?, arguments?);
    let call = calls.read(arguments.text()?.as_bytes())?;
    patch.put(name.span, string::quote(&call.name));
    patch.put(arguments.span, string::quote(&String::from_utf8_lossy(&call.arguments)));
    Some(())
}

/// Holds back the pieces of a call until the call is complete. Calls arrive one after another.
#[derive(Default)]
struct ChunkBridge {
    held: Option<PendingCall>,
}

impl EventBridge for ChunkBridge {
    fn event(&mut self, calls: &CallBridge, frame: EventFrame<'_>, out: &mut Vec<u8>) {
        let data = frame.data().unwrap_or_default();
        let Some(chunk) = ChatChunk::read(&data).filter(|chunk| chunk.choices == Some(1)) else {
            if data.trim_ascii() == b"[DONE]" {
                self.end(calls, out);
            }
            return out.extend_from_slice(frame.raw);
        };
        let mut kept = Vec::new();
        for piece in &chunk.pieces {
            let goes_on = self.goes_on(calls, &chunk, piece, out);
            let begins = !goes_on && calls.begins(&piece.name);
            if begins {
                self.held = Some(PendingCall::new(frame, &chunk, piece));
                self.settle(calls, out);
            }
            kept.push(!goes_on && !begins);
        }
        if chunk.reason().is_some() {
            self.end(calls, out);
        }
        if kept.contains(&false) {
            pass_rest(&kept, frame, &chunk, out);
        } else {
            out.extend_from_slice(frame.raw);
        }
    }

    fn end(&mut self, calls: &CallBridge, out: &mut Vec<u8>) {
        if let Some(held) = self.held.take() {
            held.release(calls, out);
        }
    }
}

impl ChunkBridge {
    /// Adds a piece to the held call, if it belongs to that call; otherwise the held call is complete and is
    /// released.
    fn goes_on(
        &mut self,
        calls: &CallBridge,
        chunk: &ChatChunk<'_>,
        piece: &CallPiece<'_>,
        out: &mut Vec<u8>,
    ) -> bool {
        let Some(held) = self.held.as_mut().filter(|held| held.goes_on(calls, chunk, piece)) else {
            self.end(calls, out);
            return false;
        };
        held.grow(chunk, piece);
        self.settle(calls, out);
        true
    }

    /// Releases a held call that is not a call of the bridging tool, or that is too long to hold.
    fn settle(&mut self, calls: &CallBridge, out: &mut Vec<u8>) {
        if self.held.as_ref().is_some_and(|held| held.is_full() || !held.is_open(calls)) {
            self.end(calls, out);
        }
    }
}

/// Forwards a chunk without the pieces for which `kept` is false; writes nothing if nothing remains.
fn pass_rest(kept: &[bool], frame: EventFrame<'_>, chunk: &ChatChunk<'_>, out: &mut Vec<u8>) {
    let pieces = chunk.pieces.iter().zip(kept).filter(|(_, kept)| **kept);
    let pieces: Vec<_> = pieces.map(|(piece, _)| string::raw(&piece.place, chunk.data)).collect();
    let others = chunk.parts.iter().any(|part| part.name != "tool_calls");
    if pieces.is_empty() && !others && chunk.reason().is_none() && chunk.usage().is_none() {
        return;
    }
    let mut patch = BytePatch::default();
    let delta = chunk.delta.clone().map(|place| JsonNode::at(place, chunk.data));
    match (chunk.parts.iter().find(|part| part.name == "tool_calls"), delta) {
        (Some(part), _) if !pieces.is_empty() => {
            patch.put(part.value.clone(), list::of(pieces.iter().map(String::as_str)));
        }
        (Some(_), Some(delta)) => {
            patch.put(member_with_comma(&delta, "tool_calls").unwrap_or_default(), "");
        }
        _ => {}
    }
    frame.write(patch, chunk.data, out);
}
