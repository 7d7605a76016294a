//! Hides a tool in Anthropic's Messages.

mod blocks;
mod events;
mod whole;

use super::counts::Counts;
use super::patch::quoted;
use super::{Failure, Framing, Hides, Tool, Turn, Usage, Watch, add, push};
use crate::{History, WireError};

pub(crate) struct Hide;

impl Hides for Hide {
    fn offer(&self, tool: &Tool, body: &[u8]) -> Result<Option<Vec<u8>>, WireError> {
        let (name, description) = (quoted(tool.name), quoted(tool.description));
        let schema = tool.parameters;
        let definition = format!(r#"{{"name":{name},"description":{description},"input_schema":{schema}}}"#);
        add("tools", tool.name, &definition, body)
    }

    fn answer(&self, turn: &Turn, answers: &[String], body: &[u8]) -> Result<Vec<u8>, WireError> {
        let results: Vec<_> =
            turn.asks.iter().zip(answers).map(|(ask, text)| result(&ask.id, text)).collect();
        let user = format!(r#"{},{{"role":"user","content":[{}]}}"#, turn.said, results.join(","));
        push("messages", &user, body)
    }

    fn watch(&self, name: &'static str, framing: Framing, _history: History) -> Box<dyn Watch> {
        match framing {
            Framing::Whole => super::whole::watch(name, whole::Reply::new(name)),
            Framing::Events => super::events::watch(name, events::Reply::new(name)),
        }
    }
}

fn result(id: &str, text: &str) -> String {
    let (id, text) = (quoted(id), quoted(text));
    format!(r#"{{"type":"tool_result","tool_use_id":{id},"content":{text}}}"#)
}

/// What the provider calls its counts.
type Tokens = Counts<4>;

fn no_tokens() -> Tokens {
    Counts::new(["input_tokens", "cache_read_input_tokens", "cache_creation_input_tokens", "output_tokens"])
}

fn usage(tokens: &Tokens) -> Usage {
    let [input, cached, written, output] = tokens.of;
    Usage { input, cached, written, output }
}

/// The provider's error for these words.
fn error(failure: Failure<'_>) -> String {
    let (kind, message) = (quoted(failure.kind.unwrap_or("api_error")), quoted(failure.message));
    format!(r#"{{"type":"error","error":{{"type":{kind},"message":{message}}}}}"#)
}
