//! Reads a transcript and reconstructs the requests that led to it.

use std::path::{Path, PathBuf};

use serde_json::Value;
use tersely_terminal::fault::CommandFault;
use tersely_terminal::input;
use tersely_wire::{PROVIDERS, Provider, top_members};

use super::blocks::{SentBlocks, items};
use super::fill::{OwnHead, filled};
use super::heads::{client, head};
use super::model_price::ModelPrice;
use crate::files::{files, name};
use tersely_audit::weigh;

/// A transcript format.
struct Shape {
    /// The suffix of the file names.
    end: &'static str,
    /// The name of the provider.
    name: &'static str,
    /// The request path of the bodies.
    path: &'static str,
    /// The field that contains the conversation.
    history: &'static str,
    /// The JSON of a tool: the part before its name, and the part after its description.
    tool: [&'static str; 2],
}

const SHAPES: [Shape; 4] = [
    Shape {
        end: ".anthropic.json",
        name: "anthropic",
        path: "/v1/messages",
        history: "messages",
        tool: ["{", r#","input_schema":{"type":"object"}}"#],
    },
    Shape {
        end: ".openai.json",
        name: "chat",
        path: "/v1/chat/completions",
        history: "messages",
        tool: [r#"{"type":"function","function":{"#, "}}"],
    },
    Shape {
        end: ".responses.json",
        name: "responses",
        path: "/v1/responses",
        history: "input",
        tool: [r#"{"type":"function","#, "}"],
    },
    Shape {
        end: ".gemini.json",
        name: "gemini",
        path: "/v1beta/models/gemini:streamGenerateContent?alt=sse",
        history: "contents",
        tool: [r#"{"functionDeclarations":[{"#, "}]}"],
    },
];

/// Fields outside the conversation that a model reads, in any API.
const BESIDE: [&str; 5] = ["tools", "system", "instructions", "systemInstruction", "system_instruction"];

/// The transcripts of a corpus, and the names of other files.
pub(crate) struct TranscriptSet {
    pub transcripts: Vec<Transcript>,
    pub skipped: Vec<String>,
}

/// A request body that contains a whole conversation.
pub(crate) struct Transcript {
    pub name: String,
    pub provider: &'static Provider,
    pub path: &'static str,
    /// The client that the transcript is from.
    pub client: &'static str,
    pub price: ModelPrice,
    /// The field that contains the conversation.
    history: &'static str,
    /// The body up to its first message.
    head: Vec<u8>,
    messages: Vec<Message>,
}

struct Message {
    text: Vec<u8>,
    is_answer: bool,
}

/// Reads every transcript in `dir`, sorted by name.
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
    let &Shape { path, history, .. } = shape;
    let (_, body) = input::bytes(Some(file))?;
    let (client, model) = (client(&name), model(&body));
    let body = filled(shape.tool, own(history, &body).unwrap_or_default(), head(client, &model), &body);
    let price = ModelPrice::of(shape.name, &model);
    let taken = apart(history, &body).map(|(head, messages)| Transcript {
        name,
        provider,
        path,
        client,
        price,
        history,
        head,
        messages,
    });
    Ok(taken.filter(|transcript| transcript.turns().next().is_some()))
}

fn model(body: &[u8]) -> String {
    let found = top_members(&["model"], body).unwrap_or_default();
    let model = found.first().and_then(|member| serde_json::from_slice(member.value).ok());
    model.unwrap_or_default()
}

/// The number of tokens in front of the conversation: those of the tools and of the system instructions.
fn own(history: &'static str, body: &[u8]) -> Option<OwnHead> {
    let found = top_members(&[&BESIDE[..], &[history]].concat(), body).ok()?;
    let mut own = OwnHead::default();
    for member in &found {
        match member.name {
            "tools" => own.tools += weigh(member.value),
            name if name == history => {
                let first = items(member.value)?.into_iter().take_while(|item| is_operators(item));
                own.system += first.map(weigh).sum::<usize>();
            }
            _ => own.system += weigh(member.value),
        }
    }
    Some(own)
}

fn is_operators(message: &[u8]) -> bool {
    let message: Value = serde_json::from_slice(message).unwrap_or_default();
    message["role"].as_str().is_some_and(|role| ["system", "developer"].contains(&role))
}

/// Splits a body into its messages and everything else. The other fields are moved in front of the messages.
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

/// True for model output: a message with the model's role, or an item without a role that is not tool output.
fn is_answer(message: &[u8]) -> bool {
    let Ok(message) = serde_json::from_slice::<Value>(message) else { return false };
    match (message["role"].as_str(), message["type"].as_str()) {
        (Some(role), _) => ["assistant", "model"].contains(&role),
        (None, Some(kind)) => !kind.ends_with("_output"),
        (None, None) => false,
    }
}

/// The parts of a body that a model reads.
fn blocks<'b>(history: &'static str, body: &'b [u8]) -> Option<SentBlocks<'b>> {
    let found = top_members(&[&BESIDE[..], &[history]].concat(), body).ok()?;
    let value = |name: &str| found.iter().find(|member| member.name == name).map(|member| member.value);
    let beside = BESIDE.into_iter().filter_map(value);
    Some(SentBlocks::of(beside.collect(), &items(value(history)?)?))
}

impl Transcript {
    /// The number of messages in front of each answer of the model. An answer may consist of several messages.
    pub(crate) fn turns(&self) -> impl Iterator<Item = usize> {
        let pairs = self.messages.windows(2).enumerate();
        let starts =
            pairs.filter(|(_, pair)| matches!(pair, [before, it] if it.is_answer && !before.is_answer));
        starts.map(|(at, _)| at + 1)
    }

    /// The parts of a request that the model reads, in order: tools, system, and each block of each message.
    pub(crate) fn blocks<'b>(&self, request: &'b [u8]) -> Option<SentBlocks<'b>> {
        blocks(self.history, request)
    }

    /// The number of tokens in the model's answer to the first `count` messages.
    pub(crate) fn answer(&self, count: usize) -> usize {
        self.said(count).map(weigh).sum()
    }

    /// All messages, in order.
    pub(crate) fn messages(&self) -> impl Iterator<Item = &[u8]> {
        self.messages.iter().map(|message| message.text.as_slice())
    }

    /// The model's answer to the first `count` messages.
    pub(crate) fn said(&self, count: usize) -> impl Iterator<Item = &[u8]> {
        let said = self.messages[count..].iter().take_while(|message| message.is_answer);
        said.map(|message| message.text.as_slice())
    }

    /// The request that contains the first `count` messages.
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

    /// The request that contains the whole conversation.
    pub(crate) fn whole(&self) -> Vec<u8> {
        self.request(self.messages.len())
    }

    /// An estimate of how long a replay takes, relative to others.
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
        let read = blocks("messages", body).unwrap();
        let texts: Vec<String> = read.blocks.iter().map(|block| text(block.bytes)).collect();
        assert_eq!(texts, ["[{}]", "\"s\"", r#"{"a":1}"#, r#"{"b":2}"#]);
        assert_eq!(read.head, 2);
    }

    #[test]
    fn what_the_operator_says_first_is_no_part_of_the_conversation() {
        let body = r#"{"messages":[{"role":"system","content":"one two"},{"role":"user","content":"x"}],"tools":[1]}"#;
        let own = own("messages", body.as_bytes());
        assert_eq!(own, Some(OwnHead { system: 2, tools: weigh(b"[1]") }));
        assert_eq!(model(br#"{"model":"m"}"#), "m");
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
