//! Assembles the content blocks of a turn from its events, so that the turn can be sent again.

use std::borrow::Cow;

use serde::de::IgnoredAny;
use tersely_json::{BytePatch, JsonNode, string};

use crate::blocks::kind::BlockKind;
use crate::blocks::numbers::MAX_OPEN_BLOCKS;
use crate::blocks::spelling::KindOf;
use crate::blocks::turn::{BLOCK_OVERHEAD_BYTES, TurnBlock, TurnBlocks};
use crate::hidden::names::HiddenNames;
use crate::hidden::turn::HiddenAsk;

/// Returns the kind of a block.
pub(super) fn kind(block: &JsonNode<'_>, hidden: HiddenNames) -> BlockKind {
    let [kind, name] = block.get_all(["type", "name"]).unwrap_or_default();
    match kind.and_then(|kind| kind.text()).as_deref() {
        Some("tool_use") if name.is_some_and(|name| hidden.fit(&name)) => BlockKind::Hidden,
        Some("tool_use") => BlockKind::Call,
        Some("thinking" | "redacted_thinking") => BlockKind::Thought,
        Some("text") => BlockKind::Text,
        _ => BlockKind::Other,
    }
}

/// The part of a block that has arrived so far.
#[derive(Debug)]
pub(super) struct AnthropicBlock {
    index: u64,
    kind: BlockKind,
    /// The block as its first event contains it.
    start: Vec<u8>,
    /// The text that later events append to each member, still JSON-escaped.
    grown: Vec<(&'static str, Vec<u8>)>,
}

/// The kinds of pieces. Each has the name of the kind, the member of the piece that contains the new text, and the
/// member of the block that the text is appended to.
const PIECES: [(&str, &str, &str); 6] = [
    ("text_delta", "text", "text"),
    ("input_json_delta", "partial_json", "input"),
    ("thinking_delta", "thinking", "thinking"),
    ("signature_delta", "signature", "signature"),
    ("citations_delta", "citation", "citations"),
    ("compaction_delta", "content", "content"),
];

impl TurnBlocks<AnthropicBlock> {
    pub(super) fn start(&mut self, index: u64, kind: BlockKind, block: &JsonNode<'_>) {
        if self.has_room(block.bytes().len() + BLOCK_OVERHEAD_BYTES) {
            self.all.push(AnthropicBlock { index, kind, start: block.bytes().to_vec(), grown: Vec::new() });
        }
    }

    pub(super) fn grow(&mut self, index: u64, delta: &JsonNode<'_>) {
        if self.has_room(delta.bytes().len()) {
            let block = self.all.iter_mut().rev().take(MAX_OPEN_BLOCKS).find(|block| block.index == index);
            self.is_lost |= block.and_then(|block| block.grow(delta)).is_none();
        }
    }
}

/// Reads the call of a hidden tool from a block.
pub(super) fn ask(block: &JsonNode<'_>) -> HiddenAsk {
    let [id, name, input] = block.get_all(["id", "name", "input"]).unwrap_or_default();
    let [id, tool] = [id, name].map(|it| it.and_then(|it| it.text()).unwrap_or_default().into_owned());
    let input = input.map_or_else(String::new, |input| String::from_utf8_lossy(input.bytes()).into_owned());
    HiddenAsk { id, tool, input }
}

impl AnthropicBlock {
    fn grow(&mut self, delta: &JsonNode<'_>) -> Option<()> {
        let kind = delta.get("type")?.text()?;
        let (_, from, to) = PIECES.iter().find(|(name, ..)| *name == kind)?;
        let piece = delta.get(from)?;
        if !self.grown.iter().any(|(name, _)| name == to) {
            self.grown.push((to, Vec::new()));
        }
        let (_, grown) = self.grown.iter_mut().find(|(name, _)| name == to)?;
        match *to {
            "citations" if !grown.is_empty() => grown.extend_from_slice(&[b",", piece.bytes()].concat()),
            "citations" => grown.extend_from_slice(piece.bytes()),
            _ => grown.extend_from_slice(piece.inside()),
        }
        Some(())
    }
}

impl TurnBlock for AnthropicBlock {
    const KIND_OF: KindOf = kind;

    /// The block with all its pieces. Strings are joined in their escaped form, so no escape is decoded.
    fn to_json(&self) -> Option<Vec<u8>> {
        let start = JsonNode::object(&self.start)?;
        let mut patch = BytePatch::default();
        let mut added = Vec::new();
        for (name, grown) in &self.grown {
            let old = start.get(name);
            let Some(new) = value(name, old.as_ref(), grown) else { continue };
            match old {
                Some(old) => patch.put(old.span, new),
                None => added.push([format!("\"{name}\":").as_bytes(), &new].concat()),
            }
        }
        patch.add(&start, &added.join(b",".as_slice()));
        Some(patch.apply(&self.start).into_owned())
    }

    fn ask(&self) -> Option<HiddenAsk> {
        let ask = ask(&JsonNode::object(&self.start).filter(|_| self.kind == BlockKind::Hidden)?);
        let grown = self.grown.iter().find(|(name, grown)| *name == "input" && !grown.is_empty());
        let input = grown.map(|(_, grown)| json(grown));
        Some(HiddenAsk { input: input.unwrap_or(ask.input), ..ask })
    }
}

/// The new value of a member with the pieces appended; `None` when the member is unchanged.
fn value(name: &str, old: Option<&JsonNode<'_>>, grown: &[u8]) -> Option<Vec<u8>> {
    let string = |node: &&JsonNode<'_>| node.bytes().starts_with(b"\"");
    match name {
        "input" => Some(json(grown).into_bytes()).filter(|input| is_object(input)),
        "citations" => {
            let old =
                old.filter(|old| old.is_list() && !old.is_empty()).map(|old| [old.inside(), b","].concat());
            Some([b"[", old.unwrap_or_default().as_slice(), grown, b"]"].concat())
        }
        _ => {
            let old = old.filter(string).map(JsonNode::inside).unwrap_or_default();
            Some([b"\"", old, grown, b"\""].concat())
        }
    }
}

/// Decodes JSON that arrived as pieces of a string.
fn json(grown: &[u8]) -> String {
    let token = [b"\"", grown, b"\""].concat();
    string::decode(&token).map_or_else(|| String::from_utf8_lossy(grown).into_owned(), Cow::into_owned)
}

/// True for valid JSON that is an object. Models make mistakes, and the provider accepts only objects.
fn is_object(input: &[u8]) -> bool {
    input.trim_ascii_start().starts_with(b"{") && serde_json::from_slice::<IgnoredAny>(input).is_ok()
}
