//! Walks over the strings of a text that is known to be JSON, and tells which of them are said to someone.

use std::borrow::Cow;
use std::ops::Range;

use crate::json::node::JsonNode;
use crate::json::text;
use crate::mask::said::{MESSAGES, NAMES, SCHEMAS, TOOLS};

/// A string that is said, and what it goes by.
pub(super) struct SaidString<'b> {
    /// The name of its member; the items of a list go by the name of the list.
    pub(super) name: Option<Cow<'b, str>>,
    /// Where it stands, with its quotes.
    pub(super) token: Range<usize>,
    /// True when it is itself the name of a member.
    pub(super) is_key: bool,
}

/// How the strings below a member are taken.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Taken {
    /// All but names, ids and the like are said to someone.
    Said,
    /// All of them, whatever they are called: they are a tool's.
    HiddenTool,
    /// None of them is.
    Silent,
}

/// A list or an object that has begun.
struct OpenValue {
    start: usize,
    taken: Taken,
    /// True of a model's thoughts as Bedrock writes them.
    is_reasoning: bool,
    /// Whether the provider signed or sealed its text, once that was asked.
    is_signed: Option<bool>,
}

/// A walk that keeps its own stack, so that no depth exhausts ours.
pub(super) struct Walk<'b> {
    pub(super) body: &'b [u8],
    at: usize,
    /// How strings are taken that stand in nothing else.
    top: Taken,
    open: Vec<OpenValue>,
    /// The places of what tools were given and gave, once all was walked.
    pub(super) tools: Vec<Range<usize>>,
}

impl<'b> Walk<'b> {
    pub(super) fn new(body: &'b [u8], at: usize) -> Self {
        Self { body, at, top: Taken::Said, open: Vec::new(), tools: Vec::new() }
    }

    /// A walk over what is a tool's as a whole.
    pub(super) fn of_tool(body: &'b [u8]) -> Self {
        Self { top: Taken::HiddenTool, ..Self::new(body, 0) }
    }

    /// Every string that is said, in order.
    pub(super) fn said(&mut self) -> Vec<SaidString<'b>> {
        let mut said = Vec::new();
        let mut name: Option<Cow<'b, str>> = None;
        while let Some(&byte) = self.body.get(self.at) {
            match byte {
                b'"' => {
                    let token = self.string();
                    if self.is_key() {
                        name = text::decode(&self.body[token.clone()]);
                        if self.taken() != Taken::Silent {
                            said.push(SaidString { name: None, token, is_key: true });
                        }
                    } else if self.is_said(name.as_deref()) {
                        said.push(SaidString { name: name.clone(), token, is_key: false });
                    }
                }
                b'{' | b'[' => {
                    self.open(name.as_deref(), byte);
                    // The items of a list go by the name of the list.
                    if byte == b'{' {
                        name = None;
                    }
                }
                b'}' | b']' => {
                    self.close();
                    name = None;
                }
                _ => self.at += 1,
            }
        }
        said
    }

    fn taken(&self) -> Taken {
        self.open.last().map_or(self.top, |open| open.taken)
    }

    fn open(&mut self, name: Option<&str>, byte: u8) {
        let taken = self.below(name, byte);
        let is_reasoning = name == Some("reasoningText");
        self.open.push(OpenValue { start: self.at, taken, is_reasoning, is_signed: None });
        self.at += 1;
    }

    fn close(&mut self) {
        self.at += 1;
        let closed = self.open.pop();
        if let Some(OpenValue { start, taken: Taken::HiddenTool, .. }) = closed
            && self.taken() != Taken::HiddenTool
        {
            self.tools.push(start..self.at);
        }
    }

    fn below(&self, name: Option<&str>, byte: u8) -> Taken {
        let is = |names: &[&str]| name.is_some_and(|name| names.contains(&name));
        match self.taken() {
            Taken::Said if is(&SCHEMAS) => Taken::Silent,
            Taken::Said if is(&TOOLS) && (byte == b'{' || !is(&MESSAGES)) => Taken::HiddenTool,
            taken => taken,
        }
    }

    fn is_said(&mut self, name: Option<&str>) -> bool {
        match self.taken() {
            Taken::Silent => false,
            Taken::HiddenTool => true,
            Taken::Said => name.is_none_or(|name| !NAMES.contains(&name) && !self.is_signed(name)),
        }
    }

    /// True when a member of the object here must come back to its provider as it was.
    fn is_signed(&mut self, name: &str) -> bool {
        let body = self.body;
        let Some(open) = self.open.last_mut().filter(|open| body[open.start] == b'{') else { return false };
        let may_be = matches!(name, "thinking" | "data") || name == "text" && open.is_reasoning;
        if !may_be {
            return false;
        }
        *open.is_signed.get_or_insert_with(|| {
            let object = JsonNode::at(open.start..body.len(), body);
            let [kind, signature] = object.gets(["type", "signature"]).unwrap_or_default();
            match name {
                "data" => kind.is_some_and(|kind| kind.bytes() == b"\"redacted_thinking\""),
                _ => signature.is_some_and(|signature| signature.bytes().len() > 2),
            }
        })
    }

    /// Steps over the string here.
    fn string(&mut self) -> Range<usize> {
        let start = self.at;
        self.at += 1;
        while let Some(&byte) = self.body.get(self.at) {
            match byte {
                b'"' => break,
                b'\\' => self.at += 2,
                _ => self.at += 1,
            }
        }
        self.at = self.body.len().min(self.at + 1);
        start..self.at
    }

    /// True when the string before is a name: in JSON only that is followed by a colon.
    fn is_key(&self) -> bool {
        let rest = &self.body[self.at..];
        rest.iter().find(|byte| !byte.is_ascii_whitespace()) == Some(&b':')
    }
}
