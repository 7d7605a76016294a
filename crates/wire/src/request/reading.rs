//! One reading of a request body: all that is asked of it, found in one pass.

use std::borrow::Cow;
use std::ops::Range;

use memchr::memchr;
use tersely_account::PromptOrder;
use tersely_json::{JsonError, JsonScan, string};

use crate::request::findings::{FoundMessage, RequestFindings, Speaker, SpokenMessage};
use crate::request::history::HistoryPlace;
use crate::request::model;
use crate::request::prompt::UserPrompt;
use crate::request::slot::Slot;
use crate::request::tools::RequestHead;

/// How an API's requests are read.
pub(crate) struct RequestShape {
    pub(crate) walk: for<'a> fn(&mut JsonScan<'a>, &mut RequestFindings<'a>) -> Result<(), JsonError>,
    pub(crate) head: fn(&Reading<'_>) -> RequestHead,
    pub(crate) history: fn(&Reading<'_>) -> HistoryPlace,
    pub(crate) drops_results: fn(&Reading<'_>) -> bool,
    /// What the provider's cache sees first.
    pub(crate) order: PromptOrder,
}

/// A request body, read once. If the body is not JSON that all parsers read the same way, it has no slots and no
/// prompts, and its members are those before the error.
pub struct Reading<'a> {
    shape: &'static RequestShape,
    body: &'a [u8],
    found: RequestFindings<'a>,
    error: Option<JsonError>,
}

impl<'a> Reading<'a> {
    /// Reads a body of this shape.
    pub(crate) fn of(shape: &'static RequestShape, body: &'a [u8]) -> Self {
        let (mut scan, mut found) = (JsonScan::new(body), RequestFindings::default());
        let error = (shape.walk)(&mut scan, &mut found).and_then(|()| scan.end()).err();
        if error.is_some() {
            found.forget_conversation();
            found.last_assistant_end = body.len();
        }
        Self { shape, body, found, error }
    }

    /// The body, unchanged.
    #[must_use]
    pub fn body(&self) -> &'a [u8] {
        self.body
    }

    /// Why the body cannot be read; it must then be forwarded unchanged.
    #[must_use]
    pub fn error(&self) -> Option<JsonError> {
        self.error
    }

    /// Every text of every tool result, in order.
    #[must_use]
    pub fn slots(&self) -> &[Slot<'a>] {
        &self.found.slots
    }

    /// Every text of every tool result, in order.
    ///
    /// # Errors
    /// Fails if the body is not JSON that all parsers read the same way.
    pub fn into_slots(self) -> Result<Vec<Slot<'a>>, JsonError> {
        self.error.map_or(Ok(self.found.slots), Err)
    }

    /// Every text of every user message, in order.
    #[must_use]
    pub fn prompts(&self) -> &[UserPrompt<'a>] {
        &self.found.prompts
    }

    /// The messages of the conversation, without what the operator says first; at most a few thousand.
    #[must_use]
    pub fn messages(&self) -> Vec<SpokenMessage> {
        let (mut slots, mut prompts) =
            (self.found.slots.iter().peekable(), self.found.prompts.iter().peekable());
        let message = |message: &FoundMessage| {
            let FoundMessage { span, speaker, .. } = message;
            let has_result = slots.next_if(|slot| slot.span.start < span.end).is_some();
            while slots.next_if(|slot| slot.span.start < span.end).is_some() {}
            let has_prompt = prompts.next_if(|prompt| prompt.span.start < span.end).is_some();
            while prompts.next_if(|prompt| prompt.span.start < span.end).is_some() {}
            SpokenMessage {
                span: span.clone(),
                is_model: *speaker == Speaker::Model,
                is_human: *speaker == Speaker::User && has_prompt && !has_result,
            }
        };
        self.found.spoken.iter().filter(|message| !message.is_opening).map(message).collect()
    }

    /// Every string of the conversation that is not in a tool's result, with its position: what was said, the names and
    /// arguments of calls, and the names of members.
    pub fn spoken_strings(&self) -> impl Iterator<Item = (usize, Cow<'a, str>)> {
        let spans = self.found.spoken.iter().filter(|message| !message.is_opening).map(|it| it.span.clone());
        let mut slots = self.found.slots.iter().map(|slot| slot.span.clone()).peekable();
        spans.flat_map(move |span| {
            let mut strings = Vec::new();
            let mut at = span.start;
            while at < span.end {
                if let Some(slot) = slots.next_if(|slot| slot.start <= at) {
                    at = at.max(slot.end);
                    continue;
                }
                let end = slots.peek().map_or(span.end, |slot| slot.start.min(span.end));
                at = strings_between(self.body, at..end, &mut strings);
            }
            strings
        })
    }

    /// The position where the model's last message ends; the model has not seen anything after it. For a body that
    /// cannot be read, this is the length of the body.
    #[must_use]
    pub fn last_assistant_end(&self) -> usize {
        self.found.last_assistant_end
    }

    /// The size of the tools and the system prompt, which the model reads before the conversation. They are the same
    /// in all requests of a conversation; if they change, the provider's prompt cache starts over anyway.
    #[must_use]
    pub fn head(&self) -> RequestHead {
        if self.error.is_some() { RequestHead::default() } else { (self.shape.head)(self) }
    }

    /// What the provider's cache sees first.
    pub(crate) fn order(&self) -> PromptOrder {
        self.shape.order
    }

    /// Where the rest of the conversation is stored.
    #[must_use]
    pub fn history(&self) -> HistoryPlace {
        (self.shape.history)(self)
    }

    /// True when the body allows the provider to omit results from the model's input.
    #[must_use]
    pub fn drops_results(&self) -> bool {
        (self.shape.drops_results)(self)
    }

    /// The name of the model that a request to `target`, a path with its query, asks for.
    #[must_use]
    pub fn model<'t>(&self, target: &'t str) -> Option<Cow<'t, str>>
    where
        'a: 't,
    {
        model::of(target, self.value("model"))
    }

    /// The value of the request's member with this name, unchanged. Only a few members are remembered; if a name
    /// occurs twice, the first one counts.
    #[must_use]
    pub fn value(&self, name: &str) -> Option<&'a [u8]> {
        self.place(name).map(|place| &self.body[place])
    }

    /// The range of the value of the request's member with this name.
    pub(crate) fn place(&self, name: &str) -> Option<Range<usize>> {
        self.found.members.iter().find(|(known, _)| *known == name).map(|(_, place)| place.clone())
    }

    /// The range of the array in the request's member with this name.
    ///
    /// # Errors
    /// Fails if the body cannot be read, or if the name occurs twice.
    pub(crate) fn list(&self, name: &str) -> Result<Option<Range<usize>>, JsonError> {
        if let Some(error) = self.error {
            return Err(error);
        }
        let mut places = self.found.members.iter().filter(|(known, _)| *known == name);
        let first = places.next().map(|(_, place)| place.clone());
        match places.next() {
            Some((_, second)) => Err(JsonError { at: second.start, expected: "each key only once" }),
            None => Ok(first.filter(|place| self.body[place.start] == b'[')),
        }
    }

    /// What was found.
    pub(crate) fn findings(&self) -> &RequestFindings<'a> {
        &self.found
    }
}

/// Adds the strings that begin in a range of JSON, and returns where the last of them ends, or the range.
fn strings_between<'a>(
    body: &'a [u8],
    range: Range<usize>,
    strings: &mut Vec<(usize, Cow<'a, str>)>,
) -> usize {
    let mut at = range.start;
    while at < range.end {
        let Some(quote) = memchr(b'"', &body[at..range.end]) else { break };
        let start = at + quote;
        let Some(end) = string::end(body, start) else { break };
        strings.extend(string::decode(&body[start..end]).map(|text| (start, text)));
        at = end;
    }
    at.max(range.end)
}

#[cfg(test)]
mod tests {
    use crate::providers::PROVIDERS;

    /// Checks that `new` is the part of the body after the model's last message.
    fn check(path: &str, body: &str, new: &str) {
        let provider = PROVIDERS.iter().find(|provider| provider.claims(path)).expect("a provider");
        assert_eq!(&body[provider.read(body.as_bytes()).last_assistant_end()..], new, "{path}");
    }

    #[test]
    fn what_stands_behind_the_last_words_of_the_model_is_new() {
        check(
            "/v1/messages",
            r#"{"messages":[{"role":"user"},{"content":[],"role":"assistant"},2]}"#,
            ",2]}",
        );
        check("/v1/messages", r#"{"messages":[{"role":"user"}]}"#, r#"{"messages":[{"role":"user"}]}"#);
        let body = r#"{"messages":[{"role":"user"},{"content":[],"role":"assistant"},2]}"#;
        check("/model/x/converse", body, ",2]}");
        let body =
            r#"{"anthropic_version":"1","messages":[{"role":"user"},{"content":[],"role":"assistant"},2]}"#;
        check("/model/x/invoke", body, ",2]}");
        check(
            "/v1/chat/completions",
            r#"{"messages":[{"role":"assistant"},{"role":"tool"}]}"#,
            r#",{"role":"tool"}]}"#,
        );
        check("/api/chat", r#"{"messages":[{"role":"assistant"},{"role":"tool"}]}"#, r#",{"role":"tool"}]}"#);
        for said in
            ["function_call\"", "local_shell_call\"", "reasoning\"", "message\",\"role\":\"assistant\""]
        {
            let body = format!(r#"{{"input":[{{"type":"{said}}},{{"type":"function_call_output"}}]}}"#);
            check("/v1/responses", &body, r#",{"type":"function_call_output"}]}"#);
        }
        let wrapped = r#"{"request":{"contents":[{"role":"model"},{"role":"user"}]}}"#;
        check("/v1beta/models/m:generateContent", wrapped, r#",{"role":"user"}]}}"#);
    }

    #[test]
    fn nothing_is_new_in_what_cannot_be_read() {
        check("/v1/messages", r#"{"messages":[{"role":"user"}"#, "");
    }
}
