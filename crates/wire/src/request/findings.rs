//! Collects what one walk through a request body finds.

use std::borrow::Cow;
use std::ops::Range;
use std::sync::Arc;

use tersely_json::{JsonError, JsonScan};

use crate::request::call::SeenCalls;
use crate::request::prompt::UserPrompt;
use crate::request::slot::Slot;
use crate::request::tools::FoundTools;

/// The members of a request that someone asks for later. Only these are remembered, so that a body full of members
/// does not cost memory.
const MEMBERS: [&str; 38] = [
    "_forge",
    "_tersely",
    "additionalModelRequestFields",
    "anthropic_version",
    "background",
    "cache_edits",
    "context_management",
    "conversation",
    "functions",
    "generationConfig",
    "generation_config",
    "input",
    "instructions",
    "messages",
    "model",
    "n",
    "output_config",
    "output_format",
    "plugins",
    "previous_response_id",
    "prompt_cache_key",
    "reasoning",
    "reasoning_effort",
    "response_format",
    "store",
    "stream",
    "system",
    "systemInstruction",
    "system_instruction",
    "text",
    "thinking",
    "toolConfig",
    "tool_choice",
    "tool_config",
    "tools",
    "transforms",
    "truncate",
    "truncation",
];

/// The maximum number of messages whose places are remembered.
const MAX_MESSAGES: usize = 4_096;

/// A message, where it is and who says it.
pub(crate) struct FoundMessage {
    pub(crate) span: Range<usize>,
    pub(crate) speaker: Speaker,
    /// True for what the operator says before anyone else.
    pub(crate) is_opening: bool,
}

/// A message of a conversation, as others see it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct SpokenMessage {
    /// Its range in the body.
    pub span: Range<usize>,
    /// True for what the model says: text, reasoning and calls.
    pub is_model: bool,
    /// True for what a person says, and not a tool.
    pub is_human: bool,
}

/// What a walk through a body has found so far.
///
/// Members come in any order: the content of a message may precede the role that makes it a result or a prompt. So
/// places are held until their object ends, and are then turned into slots or dropped.
#[derive(Default)]
pub(crate) struct RequestFindings<'a> {
    pub(crate) calls: SeenCalls<'a>,
    pub(crate) tools: FoundTools,
    places: Vec<Range<usize>>,
    pub(crate) slots: Vec<Slot<'a>>,
    pub(crate) prompts: Vec<UserPrompt<'a>>,
    /// The first occurrence of each member, and the second if there is one.
    pub(crate) members: Vec<(&'static str, Range<usize>)>,
    /// The messages, as far as there is room for them.
    pub(crate) spoken: Vec<FoundMessage>,
    /// Set once the conversation was found.
    conversation: Option<()>,
    /// The number of messages that have started.
    messages: usize,
    /// The position where the model's last message ends.
    pub(crate) last_assistant_end: usize,
    /// The size of the operator's messages at the start of the conversation.
    pub(crate) opening_bytes: usize,
    /// True when a block deletes earlier results from the provider's cache.
    pub(crate) edits_cache: bool,
    /// True after the first message that is not the operator's.
    is_opened: bool,
}

/// Reads one message of a conversation.
pub(crate) type ReadMessage<'a> = fn(&mut JsonScan<'a>, &mut RequestFindings<'a>) -> Result<(), JsonError>;

/// Reads a request whose conversation is in the member `messages`; `read` reads one message of it.
pub(crate) fn walk<'a>(
    scan: &mut JsonScan<'a>,
    found: &mut RequestFindings<'a>,
    messages: &str,
    read: ReadMessage<'a>,
) -> Result<(), JsonError> {
    scan.members(|scan, key| found.member(scan, key, (messages, read)))
}

/// The members that describe a result.
#[derive(Default)]
pub(crate) struct ResultLabel<'a> {
    pub(crate) id: Cow<'a, str>,
    pub(crate) tool: Cow<'a, str>,
    pub(crate) is_error: bool,
}

/// The party that a message comes from.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(crate) enum Speaker {
    User,
    Model,
    Operator,
    Other,
}

impl Speaker {
    /// The speaker of an item with this type and this role.
    pub(crate) fn of(kind: Option<&str>, role: Option<&str>) -> Self {
        match (kind, role) {
            (_, Some("assistant" | "model")) => Self::Model,
            (_, Some("system" | "developer")) => Self::Operator,
            (None | Some("message"), Some("user")) => Self::User,
            _ => Self::Other,
        }
    }
}

impl<'a> RequestFindings<'a> {
    /// Reads a member of the request: the messages, if it has the name `messages`, each with `read`; the tools; or
    /// something else, which is skipped.
    pub(crate) fn member(
        &mut self,
        scan: &mut JsonScan<'a>,
        key: &[u8],
        (messages, read): (&str, ReadMessage<'a>),
    ) -> Result<(), JsonError> {
        scan.peek();
        let start = scan.at();
        match key {
            _ if key == messages.as_bytes() => {
                scan.once(&mut self.conversation, ())?;
                scan.items(|scan| read(scan, self))?;
            }
            b"tools" => self.tools.read(scan)?,
            b"toolConfig" => scan.members(|scan, key| match key {
                b"tools" => self.tools.read(scan),
                _ => scan.skip().map(drop),
            })?,
            _ => scan.skip().map(drop)?,
        }
        self.remember(key, start..scan.at());
        Ok(())
    }

    /// Remembers where a member of the request is.
    fn remember(&mut self, key: &[u8], place: Range<usize>) {
        let Some(name) = MEMBERS.iter().find(|name| name.as_bytes() == key) else { return };
        if self.members.iter().filter(|(known, _)| known == name).count() < 2 {
            self.members.push((name, place));
        }
    }

    /// Starts a message.
    pub(crate) fn begin(&mut self) {
        self.calls.begin();
        self.step();
    }

    /// Starts a message that may belong to the same turn as the previous message.
    pub(crate) fn step(&mut self) {
        self.messages += 1;
    }

    /// Ends a message of this speaker, which has begun at `start`. Only a user's prompts since `mark` are kept.
    pub(crate) fn end(&mut self, scan: &JsonScan<'a>, start: usize, speaker: Speaker, mark: usize) {
        if speaker != Speaker::User {
            self.prompts.truncate(mark);
        }
        if speaker == Speaker::Model {
            self.last_assistant_end = scan.at();
        }
        self.is_opened |= speaker != Speaker::Operator;
        if !self.is_opened {
            self.opening_bytes += scan.at() - start;
        }
        if self.spoken.len() < MAX_MESSAGES {
            let is_opening = !self.is_opened;
            self.spoken.push(FoundMessage { span: start..scan.at(), speaker, is_opening });
        }
    }

    /// A mark: the places held after this point belong to the object that begins now.
    pub(crate) fn mark(&self) -> usize {
        self.places.len()
    }

    /// Holds `place` if the value there is a string.
    pub(crate) fn hold_string(&mut self, body: &[u8], place: Range<usize>) {
        if body.get(place.start) == Some(&b'"') {
            self.places.push(place);
        }
    }

    /// Holds `place` if the value there is an array or an object.
    pub(crate) fn hold_nested(&mut self, body: &[u8], place: Range<usize>) {
        if let Some(b'[' | b'{') = body.get(place.start) {
            self.places.push(place);
        }
    }

    /// Drops the places since `mark`.
    pub(crate) fn forget(&mut self, mark: usize) {
        self.places.truncate(mark);
    }

    /// Turns the places since `mark` into slots.
    pub(crate) fn settle(&mut self, mark: usize, body: &'a [u8], answer: ResultLabel<'a>) {
        let call = self.calls.match_result(answer.id, answer.tool);
        let message = self.messages.saturating_sub(1);
        for span in self.places.drain(mark..) {
            let (call, token) = (Arc::clone(&call), &body[span.clone()]);
            // An empty value cannot get shorter.
            if token.len() > 2 {
                self.slots.push(Slot { span, call, token, is_error: answer.is_error, message });
            }
        }
    }

    /// Adds the user's text at `span`, if it is a string that is not empty.
    pub(crate) fn prompt(&mut self, body: &'a [u8], span: Range<usize>) {
        let token = &body[span.clone()];
        if token.first() == Some(&b'"') && token.len() > 2 {
            self.prompts.push(UserPrompt { span, token });
        }
    }

    /// Forgets the conversation, because the body is not what it seemed to be.
    pub(crate) fn forget_conversation(&mut self) {
        self.slots.clear();
        self.prompts.clear();
        self.spoken.clear();
    }
}
