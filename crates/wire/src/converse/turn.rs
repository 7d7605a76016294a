//! Assembles the content blocks of a turn from its events, so that the turn can be sent again.

use std::borrow::Cow;

use serde::de::IgnoredAny;
use tersely_json::{BytePatch, JsonNode, string};

use crate::blocks::kind::BlockKind;
use crate::blocks::spelling::KindOf;
use crate::blocks::turn::{BLOCK_OVERHEAD_BYTES, TurnBlock, TurnBlocks};
use crate::hidden::names::HiddenNames;
use crate::hidden::turn::HiddenAsk;

/// Returns the kind of a block, of its start event or of a piece. All three use the same member names.
pub(super) fn kind(block: &JsonNode<'_>, hidden: HiddenNames) -> BlockKind {
    let [call, text, thought] = block.get_all(["toolUse", "text", "reasoningContent"]).unwrap_or_default();
    match call.and_then(|call| call.get_all(["name", "type"])) {
        Some([Some(name), _]) if hidden.fit(&name) => BlockKind::Hidden,
        // Calls of the provider's own tools have a type; the client does not answer these calls.
        Some([_, None]) => BlockKind::Call,
        None if text.is_some() => BlockKind::Text,
        None if thought.is_some() => BlockKind::Thought,
        _ => BlockKind::Other,
    }
}

/// The part of a block that has arrived so far.
#[derive(Debug)]
pub(super) struct ConverseBlock {
    index: u64,
    kind: BlockKind,
    /// The call in the block's first event.
    call: Vec<u8>,
    /// The content received so far, still JSON-escaped.
    grown: Vec<(Piece, Vec<u8>)>,
}

/// The kinds of pieces.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Piece {
    Text,
    Input,
    Thought,
    Signature,
    Sealed,
}

impl TurnBlocks<ConverseBlock> {
    /// Starts a block.
    pub(super) fn start(&mut self, index: u64, kind: BlockKind, start: &JsonNode<'_>) {
        let call = start.get("toolUse").map(|call| call.bytes().to_vec()).unwrap_or_default();
        if self.has_room(call.len() + BLOCK_OVERHEAD_BYTES) {
            self.all.push(ConverseBlock { index, kind, call, grown: Vec::new() });
        }
    }

    /// Adds a piece to a block. If there was no start event, the first piece starts the block.
    pub(super) fn grow(&mut self, index: u64, delta: &JsonNode<'_>) {
        if !self.has_room(delta.bytes().len()) {
            return;
        }
        if self.all.last().is_none_or(|block| block.index != index) {
            self.start(index, kind(delta, HiddenNames::NONE), delta);
        }
        let grown = self.all.last_mut().and_then(|block| block.grow(delta));
        self.is_lost |= grown.is_none();
    }
}

/// Reads the call of a hidden tool from a block.
pub(super) fn ask(block: &JsonNode<'_>) -> HiddenAsk {
    let call = block.get("toolUse").and_then(|call| call.get_all(["toolUseId", "name", "input"]));
    let [id, name, input] = call.unwrap_or_default();
    let [id, tool] = [id, name].map(|it| it.and_then(|it| it.text()).unwrap_or_default().into_owned());
    let input = input.map_or_else(String::new, |input| String::from_utf8_lossy(input.bytes()).into_owned());
    HiddenAsk { id, tool, input }
}

impl ConverseBlock {
    fn grow(&mut self, delta: &JsonNode<'_>) -> Option<()> {
        for (piece, value) in pieces(delta)? {
            match self.grown.iter_mut().find(|(it, _)| *it == piece) {
                // The encoding of redacted content does not allow its pieces to be joined.
                Some(_) if piece == Piece::Sealed => return None,
                Some((_, grown)) => grown.extend_from_slice(value),
                None => self.grown.push((piece, value.to_vec())),
            }
        }
        Some(())
    }

    fn thought_json(&self) -> Vec<u8> {
        let inner = if let Some(sealed) = self.grown(Piece::Sealed) {
            [b"\"redactedContent\":\"", sealed, b"\""].concat()
        } else {
            let text = self.grown(Piece::Thought).unwrap_or_default();
            let signature = self.grown(Piece::Signature).map(|it| [b",\"signature\":\"", it, b"\""].concat());
            [b"\"reasoningText\":{\"text\":\"", text, b"\"", &signature.unwrap_or_default(), b"}"].concat()
        };
        [b"{\"reasoningContent\":{", inner.as_slice(), b"}}"].concat()
    }

    fn grown(&self, piece: Piece) -> Option<&[u8]> {
        self.grown.iter().find(|(it, _)| *it == piece).map(|(_, grown)| grown.as_slice())
    }

    /// The arguments of a call. Models make mistakes, and the provider accepts only objects.
    fn input(&self) -> String {
        let input = json(self.grown(Piece::Input).unwrap_or_default());
        let is_object = JsonNode::object(input.as_bytes()).is_some()
            && serde_json::from_str::<IgnoredAny>(&input).is_ok();
        if is_object { input } else { "{}".to_owned() }
    }
}

impl TurnBlock for ConverseBlock {
    const KIND_OF: KindOf = kind;

    /// The block with all its pieces. Strings are joined in their escaped form, so no escape is decoded.
    fn to_json(&self) -> Option<Vec<u8>> {
        match self.kind {
            BlockKind::Text => Some([b"{\"text\":\"", self.grown(Piece::Text)?, b"\"}"].concat()),
            BlockKind::Thought => Some(self.thought_json()),
            BlockKind::Hidden => {
                let call = JsonNode::object(&self.call)?;
                let mut patch = BytePatch::default();
                patch.add(&call, &[b"\"input\":", self.input().as_bytes()].concat());
                Some([b"{\"toolUse\":", &*patch.apply(&self.call), b"}"].concat())
            }
            BlockKind::Call | BlockKind::Other => None,
        }
    }

    fn ask(&self) -> Option<HiddenAsk> {
        let call = JsonNode::object(&self.call).filter(|_| self.kind == BlockKind::Hidden)?;
        let [id, name] = call.get_all(["toolUseId", "name"])?;
        let [id, tool] = [id?.text()?.into_owned(), name?.text()?.into_owned()];
        Some(HiddenAsk { id, tool, input: json(self.grown(Piece::Input).unwrap_or_default()) })
    }
}

/// The pieces in a delta, still JSON-escaped and without quotes; `None` when their kind is unknown.
fn pieces<'a>(delta: &JsonNode<'a>) -> Option<Vec<(Piece, &'a [u8])>> {
    let [text, call, thought] = delta.get_all(["text", "toolUse", "reasoningContent"])?;
    let [input] = call.map_or(Some([None]), |call| call.get_all(["input"]))?;
    let names = ["text", "signature", "redactedContent"];
    let [thought, signature, sealed] = thought.map_or(Some([None, None, None]), |it| it.get_all(names))?;
    let found = [
        (Piece::Text, text),
        (Piece::Input, input),
        (Piece::Thought, thought),
        (Piece::Signature, signature),
        (Piece::Sealed, sealed),
    ];
    let is_string = |value: &JsonNode<'_>| value.bytes().starts_with(b"\"");
    let found: Vec<_> = found
        .into_iter()
        .filter_map(|(piece, value)| Some((piece, value.filter(is_string)?.inside())))
        .collect();
    (!found.is_empty()).then_some(found)
}

/// Decodes JSON that arrived as pieces of a string.
fn json(grown: &[u8]) -> String {
    let token = [b"\"", grown, b"\""].concat();
    string::decode(&token).map_or_else(|| String::from_utf8_lossy(grown).into_owned(), Cow::into_owned)
}
