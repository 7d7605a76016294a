//! Hides a tool in Gemini's contents.

mod chunk;
mod events;
mod parts;
mod request;
mod whole;

use super::counts::Counts;
use super::node::Node;
use super::patch::quoted;
use super::{Failure, Framing, Hides, Tool, Turn, Usage, Watch};
use crate::{History, WireError};

pub(crate) struct Hide;

impl Hides for Hide {
    fn offer(&self, tool: &Tool, body: &[u8]) -> Result<Option<Vec<u8>>, WireError> {
        let (name, description) = (quoted(tool.name), quoted(tool.description));
        let schema = tool.parameters;
        let declaration = format!(r#"{{"name":{name},"description":{description},"parameters":{schema}}}"#);
        request::declare(tool.name, &declaration, body)
    }

    fn answer(&self, turn: &Turn, answers: &[String], body: &[u8]) -> Result<Vec<u8>, WireError> {
        let calls = Node::whole(turn.said.as_bytes()).and_then(|said| said.get("parts"));
        let calls = calls.iter().flat_map(Node::items).filter_map(|part| part.get("functionCall"));
        let parts: Vec<_> = calls.zip(answers).map(|(call, text)| response(&call, text)).collect();
        let user = format!(r#"{},{{"role":"user","parts":[{}]}}"#, turn.said, parts.join(","));
        request::go_on(&user, body)
    }

    fn watch(&self, name: &'static str, framing: Framing, _history: History) -> Box<dyn Watch> {
        match framing {
            Framing::Whole => super::whole::watch(name, whole::Reply::new(name)),
            Framing::Events => super::events::watch(name, events::Reply::new(name)),
        }
    }
}

fn response(call: &Node<'_>, text: &str) -> String {
    let member = |name| {
        let value = call.get(name).map(|value| String::from_utf8_lossy(value.bytes()).into_owned());
        value.map_or_else(String::new, |value| format!(r#""{name}":{value},"#))
    };
    let (id, name, output) = (member("id"), member("name"), quoted(text));
    format!(r#"{{"functionResponse":{{{id}{name}"response":{{"output":{output}}}}}}}"#)
}

/// What the provider calls its counts.
type Tokens = Counts<6>;

fn no_tokens() -> Tokens {
    Counts::new([
        "promptTokenCount",
        "cachedContentTokenCount",
        "candidatesTokenCount",
        "thoughtsTokenCount",
        "toolUsePromptTokenCount",
        "totalTokenCount",
    ])
}

/// What was cached counts as part of the prompt.
fn usage(tokens: &Tokens) -> Usage {
    let [prompt, cached, said, thought, results, _] = tokens.of;
    let input = prompt.saturating_sub(cached).saturating_add(results);
    Usage { input, cached, written: 0, output: said.saturating_add(thought) }
}

/// The provider's error for these words.
fn error(failure: Failure<'_>) -> String {
    let (message, status) = (quoted(failure.message), quoted(failure.kind.unwrap_or("UNAVAILABLE")));
    format!(r#"{{"error":{{"code":{},"message":{message},"status":{status}}}}}"#, failure.status)
}
