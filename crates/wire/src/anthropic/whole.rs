//! Watches a message that Anthropic sends at once.

use serde::de::IgnoredAny;

use super::blocks::{Kind, ask, said};
use super::words::{error, no_tokens, usage};
use crate::hidden::tally::Tally;
use crate::hidden::turn::Turn;
use crate::hidden::watch::{Close, Usage};
use crate::hidden::whole::Bodies;
use crate::hidden::words::SILENCE;
use crate::json::node::Node;
use crate::json::patch::Patch;
use crate::json::text::quoted;

pub(super) struct Reply {
    name: &'static str,
    tally: Tally,
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
    top: Node<'a>,
    blocks: Vec<(Kind, Node<'a>)>,
}

impl<'a> Message<'a> {
    fn read(body: &'a [u8], name: &str) -> Option<Self> {
        serde_json::from_slice::<IgnoredAny>(body).ok()?;
        let top = Node::whole(body)?;
        let content = top.get("content").filter(Node::is_list)?;
        let blocks = content.items().into_iter().map(|block| (Kind::of(&block, name), block)).collect();
        Some(Self { top, blocks })
    }

    fn has(&self, kind: Kind) -> bool {
        self.blocks.iter().any(|(it, _)| *it == kind)
    }

    /// The turn, if the model waits for nothing but the hidden tool.
    fn turn(&self) -> Option<Turn> {
        let waits = self.top.get("stop_reason").is_some_and(|reason| reason.says("tool_use"));
        let calls = self.blocks.iter().filter(|(kind, _)| *kind == Kind::Hidden);
        let asks: Vec<_> = calls.map(|(_, block)| ask(block)).collect();
        let is_turn = waits && !asks.is_empty() && !self.has(Kind::Call);
        let said = said(self.blocks.iter().map(|(_, block)| block.bytes())).filter(|_| is_turn)?;
        Some(Turn { asks, said })
    }
}

impl Bodies for Reply {
    fn body(&mut self, body: Vec<u8>, out: &mut Vec<u8>) -> Option<Turn> {
        let Some(message) = Message::read(&body, self.name) else {
            out.extend_from_slice(&body);
            return None;
        };
        self.count(&message);
        if self.rounds == 1 && !message.has(Kind::Hidden) {
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

    fn close(&mut self, why: Close<'_>, out: &mut Vec<u8>) {
        match why {
            Close::Enough => self.write(Some("\"end_turn\""), out),
            Close::Failed(why) => out.extend_from_slice(error(why).as_bytes()),
        }
    }

    fn spent(&self) -> Usage {
        usage(&self.tally)
    }
}

impl Reply {
    pub(super) fn new(name: &'static str) -> Self {
        let (shown, latest) = (Vec::new(), Vec::new());
        Self { name, tally: no_tokens(), rounds: 0, id: None, shown, has_words: false, latest }
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
        for (kind, block) in message.blocks.iter().filter(|(kind, _)| *kind != Kind::Hidden) {
            let is_text = block.get("text").is_some_and(|text| !text.inside().is_empty());
            self.has_words |= is_text || matches!(kind, Kind::Call | Kind::Other);
            self.shown.push(block.bytes().to_vec());
        }
    }

    /// The latest message with all that the client may see, and with this reason for its end.
    fn write(&mut self, reason: Option<&str>, out: &mut Vec<u8>) {
        if !self.has_words {
            self.shown.push(format!(r#"{{"type":"text","text":{}}}"#, quoted(SILENCE)).into_bytes());
        }
        let Some(top) = Node::whole(&self.latest) else { return };
        let mut patch = Patch::default();
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
