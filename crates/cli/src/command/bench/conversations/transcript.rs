//! Reads a transcript and gives the requests that an agent made on the way to it.

use std::path::{Path, PathBuf};

use serde::de::IgnoredAny;
use serde_json::{Deserializer, Value};
use tersely_wire::{PROVIDERS, Provider, top_members};

use super::bill::Cache;
use crate::command::bench::sample::list;
use crate::fault::Fault;
use crate::input;

/// The end of a file's name, the shape of its body, where such a body is sent, and how that provider caches.
const SHAPES: [(&str, &str, &str, Cache); 2] = [
    (".anthropic.json", "anthropic", "/v1/messages", Cache::Anthropic),
    (".openai.json", "chat", "/v1/chat/completions", Cache::OpenAi),
];

/// The transcripts of a corpus, and the names of files that are none.
pub(crate) struct Set {
    pub transcripts: Vec<Transcript>,
    pub skipped: Vec<String>,
}

/// A request body that holds a whole conversation.
pub(crate) struct Transcript {
    pub name: String,
    pub provider: &'static dyn Provider,
    pub path: &'static str,
    pub cache: Cache,
    /// The body up to its first message.
    head: Vec<u8>,
    messages: Vec<Message>,
}

struct Message {
    text: Vec<u8>,
    is_answer: bool,
}

/// Reads every transcript in `dir`, in the order of their names.
pub(crate) fn read(dir: &Path) -> Result<Set, Fault> {
    let mut set = Set { transcripts: Vec::new(), skipped: Vec::new() };
    for file in list(dir) {
        match transcript(&file)? {
            Some(transcript) => set.transcripts.push(transcript),
            None => set.skipped.push(name(&file)),
        }
    }
    Ok(set)
}

fn transcript(file: &PathBuf) -> Result<Option<Transcript>, Fault> {
    let file_name = name(file);
    let shape = SHAPES.iter().find_map(|&(end, name, path, cache)| {
        let provider = PROVIDERS.into_iter().find(|provider| provider.name() == name)?;
        Some((file_name.strip_suffix(end)?.to_owned(), provider, path, cache))
    });
    let Some((name, provider, path, cache)) = shape else { return Ok(None) };
    let (_, body) = input::bytes(Some(file))?;
    let taken =
        apart(&body).map(|(head, messages)| Transcript { name, provider, path, cache, head, messages });
    Ok(taken.filter(|transcript| transcript.turns().next().is_some()))
}

fn name(file: &Path) -> String {
    file.file_name().unwrap_or_default().to_string_lossy().into_owned()
}

/// A body up to its first message, as if messages came last in it, and its messages.
fn apart(body: &[u8]) -> Option<(Vec<u8>, Vec<Message>)> {
    let found = top_members(&["messages"], body).ok()?;
    let [member] = found.as_slice() else { return None };
    let rest = [&body[..member.span.start], &body[member.span.end..]].concat();
    let mut head = rest.trim_ascii_end().strip_suffix(b"}")?.trim_ascii_end().to_vec();
    head.extend_from_slice(if head.ends_with(b"{") { b"\"messages\":[" } else { b",\"messages\":[" });
    let messages = items(member.value)?
        .into_iter()
        .map(|text| Message { is_answer: is_answer(text), text: text.to_vec() });
    Some((head, messages.collect()))
}

fn is_answer(message: &[u8]) -> bool {
    serde_json::from_slice::<Value>(message).is_ok_and(|message| message["role"] == "assistant")
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
pub(crate) fn parts(body: &[u8]) -> Option<Vec<&[u8]>> {
    let found = top_members(&["tools", "system", "messages"], body).ok()?;
    let value = |name| found.iter().find(|member| member.name == name).map(|member| member.value);
    let beside = ["tools", "system"].into_iter().filter_map(value);
    Some(beside.chain(items(value("messages")?)?).collect())
}

impl Transcript {
    /// How many messages stood before each answer of the model.
    pub(crate) fn turns(&self) -> impl Iterator<Item = usize> {
        self.messages
            .iter()
            .enumerate()
            .filter(|&(at, message)| at > 0 && message.is_answer)
            .map(|(at, _)| at)
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
        let (head, messages) = apart(BODY.as_bytes()).unwrap();
        assert_eq!(text(&head), r#" {"tools":[1, 2],"messages":["#);
        let texts: Vec<String> = messages.iter().map(|message| text(&message.text)).collect();
        assert_eq!(texts[0], r#"{"role":"user","content":"a, ]"}"#);
        assert_eq!(texts[3], r#"{"role":"assistant","content":"\ud800"}"#);
        assert!(apart(b"[]").is_none() && apart(b"{}").is_none() && apart(b"").is_none());
        assert_eq!(text(&apart(br#"{"messages":[]}"#).unwrap().0), r#"{"messages":["#);
    }

    #[test]
    fn tools_are_read_before_messages() {
        let body = br#"{"messages":[{"a":1},{"b":2}],"system":"s","tools":[{}]}"#;
        let parts: Vec<String> = parts(body).unwrap().into_iter().map(text).collect();
        assert_eq!(parts, ["[{}]", "\"s\"", r#"{"a":1}"#, r#"{"b":2}"#]);
    }
}
