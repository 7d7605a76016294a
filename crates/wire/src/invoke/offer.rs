//! Puts a hidden tool and its answers into Anthropic's Messages, as Bedrock's `InvokeModel` carries them.

use super::request;
use crate::anthropic::offer::AnthropicOffer;
use crate::error::WireError;
use crate::hidden::hides::HidesTool;
use crate::hidden::names::HiddenNames;
use crate::hidden::turn::{HiddenTool, HiddenTurn};
use crate::hidden::watch::{ResponseFraming, ResponseWatch};
use crate::request::history::HistoryPlace;

pub(super) struct InvokeOffer;

impl HidesTool for InvokeOffer {
    fn offer(&self, tool: &HiddenTool, body: &[u8]) -> Result<Option<Vec<u8>>, WireError> {
        if request::is_anthropic(body)? { AnthropicOffer.offer(tool, body) } else { Ok(None) }
    }

    fn answer(&self, turn: &HiddenTurn, answers: &[String], body: &[u8]) -> Result<Vec<u8>, WireError> {
        AnthropicOffer.answer(turn, answers, body)
    }

    fn watch(
        &self,
        names: HiddenNames,
        framing: ResponseFraming,
        history: HistoryPlace,
    ) -> Box<dyn ResponseWatch> {
        AnthropicOffer.watch(names, framing, history)
    }
}
