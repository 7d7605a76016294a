//! Watches a message that Converse sends at once.

use serde::de::IgnoredAny;

use super::turn::{self, ConverseKind};
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

pub(super) struct ConverseWhole {
    names: HiddenNames,
    tally: UsageTally,
    /// How many rounds there were.
    rounds: usize,
    /// The blocks that the client will see.
    shown: Vec<Vec<u8>>,
    /// Among them is something to read or to do.
    has_words: bool,
    /// The latest response.
    latest: Vec<u8>,
}

/// A response and what it holds.
struct Answer<'a> {
    top: JsonNode<'a>,
    content: JsonNode<'a>,
    blocks: Vec<(ConverseKind, JsonNode<'a>)>,
}

impl<'a> Answer<'a> {
    fn read(body: &'a [u8], names: HiddenNames) -> Option<Self> {
        serde_json::from_slice::<IgnoredAny>(body).ok()?;
        let top = JsonNode::whole(body)?;
        let content = top.get("output")?.get("message")?.get("content").filter(JsonNode::is_list)?;
        let blocks =
            content.items().into_iter().map(|block| (ConverseKind::of(&block, names), block)).collect();
        Some(Self { top, content, blocks })
    }

    fn has(&self, kind: ConverseKind) -> bool {
        self.blocks.iter().any(|(it, _)| *it == kind)
    }

    /// The turn, if the model waits for nothing but the hidden tool.
    fn turn(&self) -> Option<HiddenTurn> {
        let waits = self.top.get("stopReason").is_some_and(|reason| reason.says("tool_use"));
        let calls = self.blocks.iter().filter(|(kind, _)| *kind == ConverseKind::Hidden);
        let asks: Vec<_> = calls.map(|(_, block)| turn::ask(block)).collect();
        let is_turn = waits && !asks.is_empty() && !self.has(ConverseKind::Call);
        let said = turn::said(self.blocks.iter().map(|(_, block)| block.bytes())).filter(|_| is_turn)?;
        Some(HiddenTurn { asks, said })
    }
}

impl BodyMeaning for ConverseWhole {
    fn body(&mut self, body: Vec<u8>, out: &mut Vec<u8>) -> Option<HiddenTurn> {
        let Some(answer) = Answer::read(&body, self.names) else {
            out.extend_from_slice(&body);
            return None;
        };
        self.count(&answer);
        if self.rounds == 1 && !answer.has(ConverseKind::Hidden) {
            out.extend_from_slice(&body);
            return None;
        }
        self.show(&answer);
        let turn = answer.turn();
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

impl ConverseWhole {
    pub(super) fn new(names: HiddenNames) -> Self {
        let (shown, latest) = (Vec::new(), Vec::new());
        Self { names, tally: words::no_tokens(), rounds: 0, shown, has_words: false, latest }
    }

    fn count(&mut self, answer: &Answer<'_>) {
        if let Some(counted) = answer.top.get("usage") {
            self.tally.hear(&counted);
        }
        self.tally.end_round();
        self.rounds += 1;
    }

    fn show(&mut self, answer: &Answer<'_>) {
        for (kind, block) in answer.blocks.iter().filter(|(kind, _)| *kind != ConverseKind::Hidden) {
            let is_text = block.get("text").is_some_and(|text| !text.inside().is_empty());
            self.has_words |= is_text || matches!(kind, ConverseKind::Call | ConverseKind::Other);
            self.shown.push(block.bytes().to_vec());
        }
    }

    /// The latest response with all that the client may see, and with this reason for its end.
    fn write(&mut self, reason: Option<&str>, out: &mut Vec<u8>) {
        if !self.has_words {
            self.shown.push(format!(r#"{{"text":{}}}"#, text::quoted(SILENCE)).into_bytes());
        }
        let Some(answer) = Answer::read(&self.latest, self.names) else { return };
        let mut patch = BytePatch::default();
        let blocks = self.shown.join(b",".as_slice());
        patch.put(answer.content.span.clone(), [b"[", blocks.as_slice(), b"]"].concat());
        if let Some((stop, reason)) = answer.top.get("stopReason").zip(reason) {
            patch.put(stop.span, reason);
        }
        if self.rounds > 1 {
            self.tally.write("usage", &answer.top, &mut patch);
        }
        out.extend_from_slice(&patch.apply(&self.latest));
    }
}
