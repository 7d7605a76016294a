//! Walks over the strings of a text that is known to be JSON, and tells which of them are said to someone.

use std::borrow::Cow;
use std::ops::Range;

use tersely_json::string;

use crate::mask::member_names::{MESSAGES, NAMES, SCHEMAS, TOOLS};
use crate::mask::signature::{SignedObject, signed_objects};
use crate::mask::token::{is_key, step_string};

/// What a walk meets.
pub(super) enum WalkStep {
    /// The name of a member that is said, where it stands with its quotes.
    Key(Range<usize>),
    /// Another string that is said, where it stands with its quotes.
    Value(Range<usize>),
    /// The end of what a tool was given, or gave, and where all of that stands.
    Tool(Range<usize>),
}

/// How the strings below a member are role.
#[derive(Clone, Copy, PartialEq, Eq)]
enum StringRole {
    /// All but names, ids and the like are said to someone.
    Content,
    /// All of them, whatever they are called: they are a tool's.
    Tool,
    /// None of them is.
    Silent,
}

/// A list or an object that has begun. There may be one for each byte of a body, so it is small.
struct OpenValue {
    role: StringRole,
    /// What came back signed in it, if it is an object.
    signed: SignedObject,
    /// True of a model's thoughts as Bedrock writes them.
    is_reasoning: bool,
}

/// A walk that keeps its own stack, so that no depth exhausts ours.
pub(super) struct Walk<'b> {
    pub(super) body: &'b [u8],
    at: usize,
    /// The name of the member that is walked; the items of a list go by the name of the list.
    name: Option<Cow<'b, str>>,
    /// How strings are role that stand in nothing else.
    top: StringRole,
    open: Vec<OpenValue>,
    /// Where the tool's value that is walked begins.
    tool: usize,
    /// The objects with something signed, the first one last.
    signed: Vec<(usize, SignedObject)>,
}

impl<'b> Walk<'b> {
    pub(super) fn new(body: &'b [u8], at: usize) -> Self {
        Self { signed: signed_objects(body, at), ..Self::plain(body, at, StringRole::Content) }
    }

    /// A walk over what is a tool's as a whole.
    pub(super) fn of_tool(body: &'b [u8], at: usize) -> Self {
        Self::plain(body, at, StringRole::Tool)
    }

    fn plain(body: &'b [u8], at: usize, top: StringRole) -> Self {
        Self { body, at, name: None, top, open: Vec::new(), tool: at, signed: Vec::new() }
    }

    /// What the value that was met last goes by.
    pub(super) fn name(&self) -> Option<&str> {
        self.name.as_deref()
    }

    fn role(&self) -> StringRole {
        self.open.last().map_or(self.top, |open| open.role)
    }

    /// The string here, if it is said.
    fn string(&mut self) -> Option<WalkStep> {
        let token = step_string(self.body, &mut self.at);
        if is_key(self.body, self.at) {
            self.name = string::decode(&self.body[token.clone()]);
            return (self.role() != StringRole::Silent).then_some(WalkStep::Key(token));
        }
        self.is_said().then_some(WalkStep::Value(token))
    }

    fn open(&mut self, byte: u8) {
        let role = self.below(byte);
        if role == StringRole::Tool && self.role() != StringRole::Tool {
            self.tool = self.at;
        }
        let signed = self.signed.pop_if(|(start, _)| *start == self.at).map(|(_, signed)| signed);
        let is_reasoning = self.name() == Some("reasoningText");
        self.open.push(OpenValue { role, signed: signed.unwrap_or_default(), is_reasoning });
        self.at += 1;
        // The items of a list go by the name of the list.
        if byte == b'{' {
            self.name = None;
        }
    }

    /// Steps out of what is open, and tells whether that was a tool's.
    fn close(&mut self) -> Option<WalkStep> {
        self.at += 1;
        self.name = None;
        let closed = self.open.pop()?;
        let is_tool = closed.role == StringRole::Tool && self.role() != StringRole::Tool;
        is_tool.then_some(WalkStep::Tool(self.tool..self.at))
    }

    fn below(&self, byte: u8) -> StringRole {
        let is = |names: &[&str]| self.name().is_some_and(|name| names.contains(&name));
        match self.role() {
            StringRole::Content if is(&SCHEMAS) => StringRole::Silent,
            StringRole::Content if is(&TOOLS) && (byte == b'{' || !is(&MESSAGES)) => StringRole::Tool,
            role => role,
        }
    }

    fn is_said(&self) -> bool {
        match self.role() {
            StringRole::Silent => false,
            StringRole::Tool => true,
            StringRole::Content => {
                self.name().is_none_or(|name| !NAMES.contains(&name) && !self.is_signed(name))
            }
        }
    }

    /// True when a member of the object here must come back to its provider as it was.
    fn is_signed(&self, name: &str) -> bool {
        self.open.last().is_some_and(|open| match name {
            "data" => open.signed.is_redacted,
            "thinking" => open.signed.is_signed,
            "text" => open.signed.is_signed && open.is_reasoning,
            _ => false,
        })
    }
}

impl Iterator for Walk<'_> {
    type Item = WalkStep;

    fn next(&mut self) -> Option<WalkStep> {
        while let Some(&byte) = self.body.get(self.at) {
            let met = match byte {
                b'"' => self.string(),
                b'}' | b']' => self.close(),
                b'{' | b'[' => {
                    self.open(byte);
                    None
                }
                _ => {
                    self.at += 1;
                    None
                }
            };
            if met.is_some() {
                return met;
            }
        }
        None
    }
}
