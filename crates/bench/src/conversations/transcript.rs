//! Reads a transcript and gives the requests that an agent made on the way to it.

use std::path::{Path, PathBuf};

use serde::de::IgnoredAny;
use serde_json::{Deserializer, Value};
use tersely_terminal::fault::CommandFault;
use tersely_terminal::input;
use tersely_wire::{PROVIDERS, Provider, top_members};

use super::bill::PromptCache;
use crate::files::{files, name};

/// A kind of transcript.
struct Shape {
    /// How the names of its files end.
    end: &'static str,
    /// Its provider.
    name: &'static str,
    /// Where such a body is sent.
    path: &'static str,
    /// The member that holds the conversation.
    history: &'static str,
    cache: PromptCache,
}

/// Gemini caches by itself, as `OpenAI` does: what was there before is cheaper, and writing costs nothing more.
const SHAPES: [Shape; 4] = [
    Shape {
        end: ".anthropic.json",
        name: "anthropic",
        path: "/v1/messages",
        history: "messages",
        cache: PromptCache::Anthropic,
    },
    Shape {
        end: ".openai.json",
        name: "chat",
        path: "/v1/chat/completions",
        history: "messages",
        cache: PromptCache::OpenAi,
    },
    Shape {
        end: ".responses.json",
        name: "responses",
        path: "/v1/responses",
        history: "input",
        cache: PromptCache::OpenAi,
    },
    Shape {
        end: ".gemini.json",
        name: "gemini",
        path: "/v1beta/models/gemini:streamGenerateContent?alt=sse",
        history: "contents",
        cache: PromptCache::OpenAi,
    },
];

/// Where a model reads on beside the conversation, in any API.
const BESIDE: [&str; 5] = ["tools", "system", "instructions", "systemInstruction", "system_instruction"];

/// The transcripts of a corpus, and the names of files that are none.
pub(crate) struct TranscriptSet {
    pub transcripts: Vec<Transcript>,
    pub skipped: Vec<String>,
}

/// A request body that holds a whole conversation.
pub(crate) struct Transcript {
    pub name: String,
    pub provider: &'static dyn Provider,
    pub path: &'static str,
    pub cache: PromptCache,
    /// The member that holds the conversation.
    history: &'static str,
    /// The body up to its first message.
    head: Vec<u8>,
    messages: Vec<Message>,
}

struct Message {
    text: Vec<u8>,
    is_answer: bool,
}

/// Reads every transcript in `dir`, in the order of their names.
pub(crate) fn read(dir: &Path) -> Result<TranscriptSet, CommandFault> {
    let mut set = TranscriptSet { transcripts: Vec::new(), skipped: Vec::new() };
    for file in files(dir) {
        match transcript(&file)? {
            Some(transcript) => set.transcripts.push(transcript),
            None => set.skipped.push(name(&file)),
        }
    }
    Ok(set)
}

fn transcript(file: &PathBuf) -> Result<Option<Transcript>, CommandFault> {
    let file_name = name(file);
    let shape = SHAPES.iter().find_map(|shape| {
        let provider = PROVIDERS.into_iter().find(|provider| provider.name() == shape.name)?;
        Some((file_name.strip_suffix(shape.end)?.to_owned(), provider, shape))
    });
    let Some((name, provider, shape)) = shape else { return Ok(None) };
    let &Shape { path, history, cache, .. } = shape;
    let (_, body) = input::bytes(Some(file))?;
    let taken = apart(history, &body).map(|(head, messages)| Transcript {
        name,
        provider,
        path,
        cache,
        history,
        head,
        messages,
    });
    Ok(taken.filter(|transcript| transcript.turns().next().is_some()))
}

/// A body up to its first message, as if messages came last in it, and its messages.
fn apart(history: &'static str, body: &[u8]) -> Option<(Vec<u8>, Vec<Message>)> {
    let found = top_members(&[history], body).ok()?;
    let [member] = found.as_slice() else { return None };
    let rest = [&body[..member.span.start], &body[member.span.end..]].concat();
    let mut head = rest.trim_ascii_end().strip_suffix(b"}")?.trim_ascii_end().to_vec();
    let comma = if head.ends_with(b"{") { "" } else { "," };
    head.extend_from_slice(format!("{comma}\"{history}\":[").as_bytes());
    let messages = items(member.value)?
        .into_iter()
        .map(|text| Message { is_answer: is_answer(text), text: text.to_vec() });
    Some((head, messages.collect()))
}

/// True for what a model said: a message of its role, or an item without a role that is no tool's output.
fn is_answer(message: &[u8]) -> bool {
    let Ok(message) = serde_json::from_slice::<Value>(message) else { return false };
    match (message["role"].as_str(), message["type"].as_str()) {
        (Some(role), _) => ["assistant", "model"].contains(&role),
        (None, Some(kind)) => !kind.ends_with("_output"),
        (None, None) => false,
    }
}

/// The items of an array, as they stand there.
fn items(array: &[u8]) -> Option<Vec<&[u8]>> {
    let mut rest = array.trim_ascii().strip_prefix(b"[")?.strip_suffix(b"]")?.trim_ascii();
    let mut items = Vec::new();
    while !rest.is_empty() {
        let mut values = Deserializer::from_slice(rest).into_iter::<IgnoredAny>();
        values.next()?.ok()?;
        let (item, more) = rest.split_at(values.byte_offset());
        items.push(item);
        rest = more.trim_ascii_start();
        rest = rest.strip_prefix(b",").unwrap_or(rest).trim_ascii_start();
    }
    Some(items)
}

/// What a model is given to read of a body, in the order in which it reads: tools, system, each message.
fn parts<'b>(history: &'static str, body: &'b [u8]) -> Option<Vec<&'b [u8]>> {
    let found = top_members(&[&BESIDE[..], &[history]].concat(), body).ok()?;
    let value = |name: &str| found.iter().find(|member| member.name == name).map(|member| member.value);
    let beside = BESIDE.into_iter().filter_map(value);
    Some(beside.chain(items(value(history)?)?).collect())
}

impl Transcript {
    /// How many messages stood before each answer of the model, which may be several messages long.
    pub(crate) fn turns(&self) -> impl Iterator<Item = usize> {
        let pairs = self.messages.windows(2).enumerate();
        let starts =
            pairs.filter(|(_, pair)| matches!(pair, [before, it] if it.is_answer && !before.is_answer));
        starts.map(|(at, _)| at + 1)
    }

    /// What a model is given to read of one of its requests.
    pub(crate) fn parts<'b>(&self, request: &'b [u8]) -> Option<Vec<&'b [u8]>> {
        parts(self.history, request)
    }

    /// The request with its first `count` messages.
    pub(crate) fn request(&self, count: usize) -> Vec<u8> {
        let mut body = self.head.clone();
        for (at, message) in self.messages.iter().take(count).enumerate() {
            if at > 0 {
                body.push(b',');
            }
            body.extend_from_slice(&message.text);
        }
        body.extend_from_slice(b"]}");
        body
    }

    /// The whole conversation.
    pub(crate) fn whole(&self) -> Vec<u8> {
        self.request(self.messages.len())
    }

    /// How long a replay takes, next to others.
    pub(crate) fn work(&self) -> usize {
        let bytes: usize = self.messages.iter().map(|message| message.text.len()).sum();
        bytes * self.turns().count()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const BODY: &str = r#" {"messages" : [ {"role":"user","content":"a, ]"} ,{"role":"assistant"}, {"role":"user"},
        {"role":"assistant","content":"\ud800"}], "tools":[1, 2]} "#;

    fn text(bytes: &[u8]) -> String {
        String::from_utf8(bytes.to_vec()).unwrap()
    }

    #[test]
    fn a_body_comes_apart_between_its_messages() {
        let (head, messages) = apart("messages", BODY.as_bytes()).unwrap();
        assert_eq!(text(&head), r#" {"tools":[1, 2],"messages":["#);
        let texts: Vec<String> = messages.iter().map(|message| text(&message.text)).collect();
        assert_eq!(texts[0], r#"{"role":"user","content":"a, ]"}"#);
        assert_eq!(texts[3], r#"{"role":"assistant","content":"\ud800"}"#);
        assert!(["[]", "{}", ""].iter().all(|body| apart("messages", body.as_bytes()).is_none()));
        assert_eq!(text(&apart("input", br#"{"input":[]}"#).unwrap().0), r#"{"input":["#);
    }

    #[test]
    fn tools_are_read_before_messages() {
        let body = br#"{"messages":[{"a":1},{"b":2}],"system":"s","tools":[{}]}"#;
        let parts: Vec<String> = parts("messages", body).unwrap().into_iter().map(text).collect();
        assert_eq!(parts, ["[{}]", "\"s\"", r#"{"a":1}"#, r#"{"b":2}"#]);
    }

    #[test]
    fn an_answer_is_what_a_model_said() {
        for (message, expected) in [
            (r#"{"role":"assistant"}"#, true),
            (r#"{"role":"model","parts":[]}"#, true),
            (r#"{"type":"message","role":"assistant"}"#, true),
            (r#"{"type":"reasoning"}"#, true),
            (r#"{"type":"custom_tool_call"}"#, true),
            (r#"{"type":"function_call_output"}"#, false),
            (r#"{"type":"message","role":"developer"}"#, false),
            (r#"{"role":"user"}"#, false),
            ("1", false),
        ] {
            assert_eq!(is_answer(message.as_bytes()), expected, "{message}");
        }
    }
}
