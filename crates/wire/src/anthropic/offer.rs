//! Puts a hidden tool and its answers into Anthropic's Messages.

use tersely_json::{JsonError, list, string};

use super::{events, whole};
use crate::blocks::whole::watch_blocks;
use crate::hidden::events::watch_events;
use crate::hidden::hiding::{ToolHiding, keep_offer};
use crate::hidden::names::HiddenNames;
use crate::hidden::turn::{HiddenTool, HiddenTurn};
use crate::hidden::watch::{ResponseFraming, ResponseWatch};
use crate::protocol::event_format::EventDress;
use crate::request::history::HistoryPlace;

pub(crate) static HIDING: ToolHiding = ToolHiding { offer, answer, withdraw: keep_offer, watch };

fn offer(tool: &HiddenTool, body: &[u8]) -> Result<Option<Vec<u8>>, JsonError> {
    let (name, description) = (string::quote(tool.name), string::quote(tool.description));
    let schema = tool.parameters;
    let definition = format!(r#"{{"name":{name},"description":{description},"input_schema":{schema}}}"#);
    list::add("tools", tool.name, &definition, body)
}

fn answer(turn: &HiddenTurn, answers: &[String], body: &[u8]) -> Result<Vec<u8>, JsonError> {
    let results: Vec<_> = turn.asks.iter().zip(answers).map(|(ask, text)| result(&ask.id, text)).collect();
    let user = format!(r#"{},{{"role":"user","content":[{}]}}"#, turn.said, results.join(","));
    list::push("messages", &user, body)
}

fn watch(names: HiddenNames, framing: ResponseFraming, _: HistoryPlace) -> Box<dyn ResponseWatch> {
    let dress = match framing {
        ResponseFraming::Whole => return watch_blocks(&whole::SPELLING, names),
        ResponseFraming::Events => EventDress::Lines,
        // Who resells it may wrap it.
        ResponseFraming::Messages => EventDress::Wrapped,
    };
    watch_events(names, events::AnthropicEvents::new(names, dress))
}

fn result(id: &str, text: &str) -> String {
    let (id, text) = (string::quote(id), string::quote(text));
    format!(r#"{{"type":"tool_result","tool_use_id":{id},"content":{text}}}"#)
}
