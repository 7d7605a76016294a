//! Assembles the parts of a turn from its events, so that the turn can be sent again.

use serde::de::IgnoredAny;
use tersely_json::JsonNode;

use super::chunk::PartKind;
use crate::hidden::turn::{HiddenAsk, HiddenTurn, MAX_HELD_BYTES};

/// The parts of one turn.
#[derive(Debug, Default)]
pub(super) struct TurnParts {
    all: Vec<Vec<u8>>,
    /// The text that the next part may extend, still JSON-escaped.
    text: Vec<u8>,
    asks: Vec<HiddenAsk>,
    size: usize,
}

/// The memory that a part uses in addition to its bytes.
const PART_OVERHEAD_BYTES: usize = 64;

impl TurnParts {
    /// Adds a part. Plain texts are joined; a part with a signature or another member stays unchanged.
    pub(super) fn take(&mut self, kind: PartKind, part: &JsonNode<'_>) {
        self.size += part.bytes().len() + PART_OVERHEAD_BYTES;
        if self.size > MAX_HELD_BYTES {
            *self = Self { size: self.size, ..Self::default() };
            return;
        }
        if kind == PartKind::Hidden {
            self.asks.push(ask(part));
        }
        if let Some(text) = part.get("text").filter(|_| part.members().len() == 1) {
            self.text.extend_from_slice(text.inside());
        } else {
            self.end_text();
            self.all.push(part.bytes().to_vec());
        }
    }

    /// The turn, if the turn is complete and calls a hidden tool.
    pub(super) fn turn(mut self) -> Option<HiddenTurn> {
        self.end_text();
        let parts = self.all.join(b",".as_slice());
        let messages = format!(r#"{{"role":"model","parts":[{}]}}"#, String::from_utf8_lossy(&parts));
        let is_whole = self.size <= MAX_HELD_BYTES && !self.asks.is_empty();
        let is_json = || serde_json::from_str::<IgnoredAny>(&messages).is_ok();
        (is_whole && is_json()).then_some(HiddenTurn { asks: self.asks, messages })
    }

    fn end_text(&mut self) {
        let text = std::mem::take(&mut self.text);
        if !text.is_empty() {
            self.all.push([b"{\"text\":\"", text.as_slice(), b"\"}"].concat());
        }
    }
}

fn ask(part: &JsonNode<'_>) -> HiddenAsk {
    let call = part.get("functionCall");
    let [id, name, args] = call.and_then(|call| call.get_all(["id", "name", "args"])).unwrap_or_default();
    let [id, tool] = [id, name].map(|it| it.and_then(|it| it.text()).unwrap_or_default().into_owned());
    let input = args.map_or_else(|| "{}".into(), |args| String::from_utf8_lossy(args.bytes()).into_owned());
    HiddenAsk { id, tool, input }
}
