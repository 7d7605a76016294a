//! Compresses the messages of a conversation without the rest of its request.

use tersely_core::Loss;
use tersely_engine::{ExpandOffer, Recall, Request};
use tersely_json::JsonNode;
use tersely_wire::{BodyMember, LoneMessages, PROVIDERS, Provider, check_json, count_messages, top_members};

use crate::error::EmbedError;
use crate::options::CallOptions;
use crate::reply::CallReply;
use crate::request::{about, engine, expand, restore_request, shrink};

/// The member that the messages of a Gemini request have.
const PARTS: &str = "\"parts\"";

/// Messages, their model and their tools, as a caller gave them.
pub(crate) struct LoneConversation {
    provider: &'static Provider,
    /// A request body of the provider that contains these members alone.
    body: Vec<u8>,
}

impl LoneConversation {
    /// Reads `{"messages": […], "model": "…", "tools": […]}`.
    pub(crate) fn read(options: &CallOptions, question: &[u8]) -> Result<Self, EmbedError> {
        let refuse = |why: &str| EmbedError::argument("messages", why);
        check_json(question).map_err(|why| refuse(&format!("not JSON: {why}")))?;
        let found = top_members(&["messages", "model", "tools"], question).unwrap_or_default();
        let value = |name: &str| {
            found.iter().find(|member| member.name == name && member.value != b"null").map(|it| it.value)
        };
        let messages = value("messages").ok_or_else(|| refuse("must be a list of objects"))?;
        count_messages(messages).ok_or_else(|| refuse("must be a list of objects"))?;
        let lone = LoneMessages { messages, model: value("model"), tools: value("tools") };
        let provider = options.provider.unwrap_or_else(|| provider(&lone));
        let body = lone.body(provider);
        Ok(Self { provider, body })
    }

    /// The messages in fewer tokens. Detail is omitted only if the caller lets its model fetch it back; then the tools
    /// come back with one more.
    pub(crate) fn compress(
        &self,
        options: &CallOptions,
        memo: Option<Recall<'_>>,
    ) -> Result<CallReply, EmbedError> {
        let retrieves = options.switches.retrieve;
        let (loss, expand) =
            if retrieves { (Loss::Detail, ExpandOffer::Always) } else { (Loss::Form, ExpandOffer::Never) };
        let engine = engine(options, loss, expand);
        // The memo does not know what was omitted from the messages that it knows.
        let memo = memo.filter(|_| !retrieves);
        let request = Request { frozen: options.frozen, memo, ..Request::new(self.provider, "") };
        let small = shrink(&engine, &request, options, &self.body)?;
        let about = about(Some(self.provider), &small.report, &small.kept).to_string();
        let body = if options.switches.observe { &self.body } else { &small.body };
        Ok(CallReply { about, payload: self.parts(body) })
    }

    /// The messages as they were before they were compressed.
    pub(crate) fn restore(&self) -> Result<CallReply, EmbedError> {
        let body = restore_request(self.provider, &self.body)?;
        Ok(CallReply { about: "{}".to_owned(), payload: self.parts(&body) })
    }

    /// The text that was omitted from these messages under an id, or a part of it. What is omitted does not depend on
    /// which tools there are, only on whether there are any, so a caller need not repeat them.
    pub(crate) fn expand(&self, options: &CallOptions) -> Result<CallReply, EmbedError> {
        let engine = engine(options, Loss::Detail, ExpandOffer::Always);
        let request = Request::new(self.provider, "");
        let mut small = shrink(&engine, &request, options, &self.body)?;
        if small.kept.is_empty() {
            small = shrink(&engine, &request, options, &self.with_tool())?;
        }
        Ok(CallReply { about: "{}".to_owned(), payload: expand(options, small.kept)?.into_bytes() })
    }

    /// The body with a tool in place of those that it has.
    fn with_tool(&self) -> Vec<u8> {
        let place = LoneMessages::place(self.provider);
        let found = top_members(&[place, "model"], &self.body).unwrap_or_default();
        let tool: &[u8] = match self.provider.name() {
            "anthropic" => br#"[{"name":"tool","input_schema":{"type":"object"}}]"#,
            "responses" => br#"[{"type":"function","name":"tool"}]"#,
            "gemini" => br#"[{"functionDeclarations":[{"name":"tool"}]}]"#,
            _ => br#"[{"type":"function","function":{"name":"tool"}}]"#,
        };
        let messages = value(&found, place).unwrap_or(b"[]");
        LoneMessages { messages, model: value(&found, "model"), tools: Some(tool) }.body(self.provider)
    }

    /// `{"messages": […], "tools": […]}` from a body. A message that did not change is `null`: the caller has it.
    fn parts(&self, body: &[u8]) -> Vec<u8> {
        let place = LoneMessages::place(self.provider);
        let read = |body| top_members(&[place, "tools"], body).unwrap_or_default();
        let (came, now) = (read(&self.body), read(body));
        let mut out = b"{\"messages\":".to_vec();
        out.extend(changes(value(&came, place).unwrap_or(b"[]"), value(&now, place).unwrap_or(b"[]")));
        if let Some(tools) = value(&now, "tools") {
            out.extend([b",\"tools\":", tools].concat());
        }
        out.push(b'}');
        out
    }
}

fn value<'b>(members: &[BodyMember<'b>], name: &str) -> Option<&'b [u8]> {
    members.iter().find(|member| member.name == name).map(|member| member.value)
}

/// A list of messages with `null` in place of those that are the same in another list.
fn changes(came: &[u8], now: &[u8]) -> Vec<u8> {
    let items = |list| JsonNode::parse(list).map(|list| list.items()).unwrap_or_default();
    let (came, items) = (items(came), items(now));
    if came.len() != items.len() {
        return now.to_vec();
    }
    let pairs = came.iter().zip(&items).map(|(came, now)| (came.bytes(), now.bytes()));
    let items: Vec<_> = pairs.map(|(came, now)| if came == now { &b"null"[..] } else { now }).collect();
    [b"[", items.join(&b',').as_slice(), b"]"].concat()
}

/// The provider whose format the messages have.
fn provider(lone: &LoneMessages<'_>) -> &'static Provider {
    let gemini = || PROVIDERS.into_iter().find(|provider| provider.name() == "gemini");
    let found = lone.provider();
    // A message of another API has no parts, so a slot of Gemini's is proof.
    let has_parts = || String::from_utf8_lossy(lone.messages).contains(PARTS);
    let is_gemini = |gemini: &&'static Provider| {
        let slots =
            |provider: &'static Provider| provider.slots(&lone.body(provider)).unwrap_or_default().len();
        slots(found) == 0 && (slots(gemini) > 0 || lone.tools.is_none() && all_have_parts(lone.messages))
    };
    gemini().filter(|_| has_parts()).filter(is_gemini).unwrap_or(found)
}

/// True when every message is a turn of Gemini's API.
fn all_have_parts(messages: &[u8]) -> bool {
    let list: Vec<serde_json::Map<String, serde_json::Value>> =
        serde_json::from_slice(messages).unwrap_or_default();
    !list.is_empty() && list.iter().all(|message| message.contains_key("parts"))
}
