//! Walks through the strings of a text that is known to be JSON, and yields the strings that are content.

use std::borrow::Cow;
use std::ops::Range;

use tersely_json::string;

use crate::mask::member_names::{MESSAGES, NAMES, SCHEMAS, TOOLS};
use crate::mask::signature::{SignedObject, signed_objects};
use crate::mask::token::{is_key, step_string};

/// A step of the walk.
pub(super) enum WalkStep {
    /// The name of a member with content, including the quotes.
    Key(Range<usize>),
    /// A string with content, including the quotes.
    Value(Range<usize>),
    /// The end of a tool's arguments or output, with the range of the whole value.
    Tool(Range<usize>),
}

/// How the strings inside a member are treated.
#[derive(Clone, Copy, PartialEq, Eq)]
enum StringRole {
    /// Content, except for names, ids and similar members.
    Content,
    /// A tool's arguments or output: all strings are content, whatever their names.
    Tool,
    /// Not content.
    Silent,
}

/// An open array or object. A body may open one with every byte, so this type is small.
struct OpenValue {
    role: StringRole,
    /// The signed members, if this is an object.
    signed: SignedObject,
    /// True for reasoning in Bedrock's format.
    is_reasoning: bool,
}

/// A walk that uses its own stack, so that deep nesting cannot overflow the thread's stack.
pub(super) struct Walk<'b> {
    pub(super) body: &'b [u8],
    at: usize,
    /// The name of the current member; the items of an array have the name of the array.
    name: Option<Cow<'b, str>>,
    /// The role of strings outside any array or object.
    top: StringRole,
    open: Vec<OpenValue>,
    /// The position where the current tool's value begins.
    tool: usize,
    /// The objects with signed members, in descending order of position.
    signed: Vec<(usize, SignedObject)>,
}

impl<'b> Walk<'b> {
    pub(super) fn new(body: &'b [u8], at: usize) -> Self {
        Self { signed: signed_objects(body, at), ..Self::plain(body, at, StringRole::Content) }
    }

    /// A walk over a tool's value.
    pub(super) fn of_tool(body: &'b [u8], at: usize) -> Self {
        Self::plain(body, at, StringRole::Tool)
    }

    fn plain(body: &'b [u8], at: usize, top: StringRole) -> Self {
        Self { body, at, name: None, top, open: Vec::new(), tool: at, signed: Vec::new() }
    }

    /// The name of the member that contains the latest value.
    pub(super) fn name(&self) -> Option<&str> {
        self.name.as_deref()
    }

    fn role(&self) -> StringRole {
        self.open.last().map_or(self.top, |open| open.role)
    }

    /// Reads the string at the current position, and yields it if it is content.
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
        // The items of an array keep the name of the array.
        if byte == b'{' {
            self.name = None;
        }
    }

    /// Closes the innermost array or object, and yields its range if it was a tool's value.
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

    /// True for a member of the current object that must be sent back to the provider unchanged.
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
