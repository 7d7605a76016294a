//! Watches a message of content blocks that arrives as one body.

use serde::de::IgnoredAny;
use tersely_json::{BytePatch, JsonNode, string};

use crate::blocks::kind::BlockKind;
use crate::blocks::spelling::BlockSpelling;
use crate::blocks::turn;
use crate::hidden::merged_body::MergedBody;
use crate::hidden::names::HiddenNames;
use crate::hidden::turn::HiddenTurn;
use crate::hidden::watch::{CloseReason, ResponseWatch};
use crate::hidden::whole::{BodyMeaning, watch_whole};
use crate::hidden::words::SILENCE;

/// Creates a watch over a message in this format, for calls of the tools with these names.
pub(crate) fn watch_blocks(spelling: &'static BlockSpelling, names: HiddenNames) -> Box<dyn ResponseWatch> {
    watch_whole(names, BlockWhole::new(spelling, names))
}

struct BlockWhole {
    spelling: &'static BlockSpelling,
    names: HiddenNames,
    merged: MergedBody,
}

/// A message and its blocks.
struct BlockMessage<'a> {
    spelling: &'static BlockSpelling,
    top: JsonNode<'a>,
    content: JsonNode<'a>,
    blocks: Vec<(BlockKind, JsonNode<'a>)>,
}

impl<'a> BlockMessage<'a> {
    fn read(spelling: &'static BlockSpelling, names: HiddenNames, body: &'a [u8]) -> Option<Self> {
        serde_json::from_slice::<IgnoredAny>(body).ok()?;
        let top = JsonNode::object(body)?;
        let content = (spelling.content)(&top).filter(JsonNode::is_list)?;
        let blocks =
            content.items().into_iter().map(|block| ((spelling.kind)(&block, names), block)).collect();
        Some(Self { spelling, top, content, blocks })
    }

    fn has(&self, kind: BlockKind) -> bool {
        self.blocks.iter().any(|(it, _)| *it == kind)
    }

    /// The turn, if the model waits only for the hidden tool.
    fn turn(&self) -> Option<HiddenTurn> {
        let waits = self.top.get(self.spelling.stop).is_some_and(|reason| reason.is_str("tool_use"));
        let calls = self.blocks.iter().filter(|(kind, _)| *kind == BlockKind::Hidden);
        let asks: Vec<_> = calls.map(|(_, block)| (self.spelling.ask)(block)).collect();
        let is_turn = waits && !asks.is_empty() && !self.has(BlockKind::Call);
        let blocks = self.blocks.iter().map(|(_, block)| block.bytes());
        let messages = turn::message(self.spelling.kind, blocks).filter(|_| is_turn)?;
        Some(HiddenTurn { asks, messages })
    }
}

impl BodyMeaning for BlockWhole {
    fn body(&mut self, body: Vec<u8>, out: &mut Vec<u8>) -> Option<HiddenTurn> {
        let Some(message) = BlockMessage::read(self.spelling, self.names, &body) else {
            out.extend_from_slice(&body);
            return None;
        };
        self.merged.count(message.top.get("usage").as_ref(), message.top.get("id").as_ref());
        if self.merged.rounds == 1 && !message.has(BlockKind::Hidden) {
            out.extend_from_slice(&body);
            return None;
        }
        self.show(&message);
        let turn = message.turn();
        self.merged.latest = body;
        if turn.is_none() {
            self.write(None, out);
        }
        turn
    }

    fn close(&mut self, why: CloseReason<'_>, out: &mut Vec<u8>) {
        match why {
            CloseReason::Enough => self.write(Some("\"end_turn\""), out),
            CloseReason::Failed(why) => out.extend_from_slice((self.spelling.error)(why).as_bytes()),
        }
    }
}

impl BlockWhole {
    fn new(spelling: &'static BlockSpelling, names: HiddenNames) -> Self {
        Self { spelling, names, merged: MergedBody::new((spelling.no_tokens)()) }
    }

    fn show(&mut self, message: &BlockMessage<'_>) {
        for (kind, block) in message.blocks.iter().filter(|(kind, _)| *kind != BlockKind::Hidden) {
            let is_text = block.get("text").is_some_and(|text| !text.inside().is_empty());
            self.merged.has_words |= is_text || matches!(kind, BlockKind::Call | BlockKind::Other);
            self.merged.shown.push(block.bytes().to_vec());
        }
    }

    /// Writes the latest message with everything that the client may see, and with this stop reason.
    fn write(&mut self, reason: Option<&str>, out: &mut Vec<u8>) {
        if !self.merged.has_words {
            self.merged.shown.push((self.spelling.text)(&string::quote(SILENCE)).into_bytes());
        }
        let message = BlockMessage::read(self.spelling, self.names, &self.merged.latest);
        let Some(BlockMessage { top, content, .. }) = message else { return };
        let mut patch = BytePatch::default();
        let blocks = self.merged.shown.join(b",".as_slice());
        patch.put(content.span, [b"[", blocks.as_slice(), b"]"].concat());
        let [id, stop] = top.get_all(["id", self.spelling.stop]).unwrap_or_default();
        let id = id.zip(self.merged.id.clone());
        let stop = stop.zip(reason.map(|reason| reason.as_bytes().to_vec()));
        for (old, new) in [id, stop].into_iter().flatten() {
            patch.put(old.span, new);
        }
        if self.merged.rounds > 1 {
            self.merged.tally.write("usage", &top, &mut patch);
        }
        out.extend_from_slice(&patch.apply(&self.merged.latest));
    }
}
