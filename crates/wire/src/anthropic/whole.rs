//! Watches a message that Anthropic sends at once.

use serde::de::IgnoredAny;

use super::turn::{self, BlockKind};
use super::words;
use crate::hidden::names::HiddenNames;
use crate::hidden::tally::UsageTally;
use crate::hidden::turn::HiddenTurn;
use crate::hidden::watch::{CloseReason, TokenUsage};
use crate::hidden::whole::BodyMeaning;
use crate::hidden::words::SILENCE;
use crate::json::node::JsonNode;
use crate::json::patch::BytePatch;
use crate::json::text;

pub(super) struct AnthropicWhole {
    names: HiddenNames,
    tally: UsageTally,
    /// How many rounds there were.
    rounds: usize,
    /// The id of the first message, as it is written.
    id: Option<Vec<u8>>,
    /// The blocks that the client will see.
    shown: Vec<Vec<u8>>,
    /// Among them is something to read or to do.
    has_words: bool,
    /// The latest message.
    latest: Vec<u8>,
}

/// A message and what it holds.
struct Message<'a> {
    top: JsonNode<'a>,
    blocks: Vec<(BlockKind, JsonNode<'a>)>,
}

impl<'a> Message<'a> {
    fn read(body: &'a [u8], names: HiddenNames) -> Option<Self> {
        serde_json::from_slice::<IgnoredAny>(body).ok()?;
        let top = JsonNode::whole(body)?;
        let content = top.get("content").filter(JsonNode::is_list)?;
        let blocks = content.items().into_iter().map(|block| (BlockKind::of(&block, names), block)).collect();
        Some(Self { top, blocks })
    }

    fn has(&self, kind: BlockKind) -> bool {
        self.blocks.iter().any(|(it, _)| *it == kind)
    }

    /// The turn, if the model waits for nothing but the hidden tool.
    fn turn(&self) -> Option<HiddenTurn> {
        let waits = self.top.get("stop_reason").is_some_and(|reason| reason.says("tool_use"));
        let calls = self.blocks.iter().filter(|(kind, _)| *kind == BlockKind::Hidden);
        let asks: Vec<_> = calls.map(|(_, block)| turn::ask(block)).collect();
        let is_turn = waits && !asks.is_empty() && !self.has(BlockKind::Call);
        let said = turn::said(self.blocks.iter().map(|(_, block)| block.bytes())).filter(|_| is_turn)?;
        Some(HiddenTurn { asks, said })
    }
}

impl BodyMeaning for AnthropicWhole {
    fn body(&mut self, body: Vec<u8>, out: &mut Vec<u8>) -> Option<HiddenTurn> {
        let Some(message) = Message::read(&body, self.names) else {
            out.extend_from_slice(&body);
            return None;
        };
        self.count(&message);
        if self.rounds == 1 && !message.has(BlockKind::Hidden) {
            out.extend_from_slice(&body);
            return None;
        }
        self.show(&message);
        let turn = message.turn();
        self.latest = body;
        if turn.is_none() {
            self.write(None, out);
        }
        turn
    }

    fn close(&mut self, why: CloseReason<'_>, out: &mut Vec<u8>) {
        match why {
            CloseReason::Enough => self.write(Some("\"end_turn\""), out),
            CloseReason::Failed(why) => out.extend_from_slice(words::error(why).as_bytes()),
        }
    }

    fn spent(&self) -> TokenUsage {
        words::usage(&self.tally)
    }
}

impl AnthropicWhole {
    pub(super) fn new(names: HiddenNames) -> Self {
        let (shown, latest) = (Vec::new(), Vec::new());
        Self { names, tally: words::no_tokens(), rounds: 0, id: None, shown, has_words: false, latest }
    }

    fn count(&mut self, message: &Message<'_>) {
        if let Some(counted) = message.top.get("usage") {
            self.tally.hear(&counted);
        }
        self.tally.end_round();
        self.rounds += 1;
        let id = message.top.get("id").map(|id| id.bytes().to_vec());
        self.id = self.id.take().or(id);
    }

    fn show(&mut self, message: &Message<'_>) {
        for (kind, block) in message.blocks.iter().filter(|(kind, _)| *kind != BlockKind::Hidden) {
            let is_text = block.get("text").is_some_and(|text| !text.inside().is_empty());
            self.has_words |= is_text || matches!(kind, BlockKind::Call | BlockKind::Other);
            self.shown.push(block.bytes().to_vec());
        }
    }

    /// The latest message with all that the client may see, and with this reason for its end.
    fn write(&mut self, reason: Option<&str>, out: &mut Vec<u8>) {
        if !self.has_words {
            self.shown.push(format!(r#"{{"type":"text","text":{}}}"#, text::quoted(SILENCE)).into_bytes());
        }
        let Some(top) = JsonNode::whole(&self.latest) else { return };
        let mut patch = BytePatch::default();
        let blocks = self.shown.join(b",".as_slice());
        let [id, content, stop] = top.gets(["id", "content", "stop_reason"]).unwrap_or_default();
        let content = content.map(|old| (old, [b"[", blocks.as_slice(), b"]"].concat()));
        let id = id.zip(self.id.clone());
        let stop = stop.zip(reason.map(|reason| reason.as_bytes().to_vec()));
        for (old, new) in [id, content, stop].into_iter().flatten() {
            patch.put(old.span, new);
        }
        if self.rounds > 1 {
            self.tally.write("usage", &top, &mut patch);
        }
        out.extend_from_slice(&patch.apply(&self.latest));
    }
}
