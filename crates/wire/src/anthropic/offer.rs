//! Puts a hidden tool and its answers into Anthropic's Messages.

use super::{events, whole};
use crate::error::WireError;
use crate::hidden::events::watch_events;
use crate::hidden::hides::Hides;
use crate::hidden::turn::{Tool, Turn};
use crate::hidden::watch::{Framing, Watch};
use crate::hidden::whole::watch_whole;
use crate::history::History;
use crate::json::list;
use crate::json::text::quoted;

pub(super) struct AnthropicOffer;

impl Hides for AnthropicOffer {
    fn offer(&self, tool: &Tool, body: &[u8]) -> Result<Option<Vec<u8>>, WireError> {
        let (name, description) = (quoted(tool.name), quoted(tool.description));
        let schema = tool.parameters;
        let definition = format!(r#"{{"name":{name},"description":{description},"input_schema":{schema}}}"#);
        list::add("tools", tool.name, &definition, body)
    }

    fn answer(&self, turn: &Turn, answers: &[String], body: &[u8]) -> Result<Vec<u8>, WireError> {
        let results: Vec<_> =
            turn.asks.iter().zip(answers).map(|(ask, text)| result(&ask.id, text)).collect();
        let user = format!(r#"{},{{"role":"user","content":[{}]}}"#, turn.said, results.join(","));
        list::push("messages", &user, body)
    }

    fn watch(&self, name: &'static str, framing: Framing, _history: History) -> Box<dyn Watch> {
        match framing {
            Framing::Whole => watch_whole(name, whole::Reply::new(name)),
            Framing::Events => watch_events(name, events::Reply::new(name)),
        }
    }
}

fn result(id: &str, text: &str) -> String {
    let (id, text) = (quoted(id), quoted(text));
    format!(r#"{{"type":"tool_result","tool_use_id":{id},"content":{text}}}"#)
}
