//! How an XML document is laid out, so that it can be written again byte for byte.

use std::fmt;
use std::str::FromStr;

use tersely_codec::{Text, Value};

use crate::room::Room;

/// The white space of a document, and what stands above its root.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct XmlLayout {
    space: Space,
    /// Lines above the root.
    head: usize,
    /// What an element without content ends with.
    close: &'static str,
    /// What follows the last line above the root, and the root itself.
    ends: [&'static str; 2],
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Space {
    Compact,
    Indent(usize),
    Tabs,
}

/// Further in than anyone indents.
const MAX_INDENT: usize = 16;

impl XmlLayout {
    pub(super) fn of(text: &str, head: &str) -> Option<Self> {
        let root = &text[head.len()..];
        let close = if root.contains(" />") { " />" } else { "/>" };
        let joined = !head.is_empty() && !head.ends_with('\n');
        let ends = [if joined { "" } else { "\n" }, if root.ends_with('\n') { "\n" } else { "" }];
        let lines = head.split_inclusive('\n').count();
        Some(Self { space: Space::of(root)?, head: lines, close, ends })
    }

    /// What stands above the root, and the tree of the root.
    pub(super) fn split<'t>(&self, text: &'t str) -> Option<(&'t str, &'t str)> {
        let length: usize = text.split_inclusive('\n').take(self.head).map(str::len).sum();
        let (head, tree) = text.split_at_checked(length)?;
        let whole = head.split_inclusive('\n').count() == self.head;
        let head = if self.ends[0].is_empty() { head.strip_suffix('\n')? } else { head };
        whole.then_some((head, tree))
    }

    /// The root element; `None` when the value is no element, or there is no room for it.
    pub(super) fn write(&self, room: Room, element: &Value<'_>) -> Option<String> {
        let Value::Object(members) = element else { return None };
        let [(name, value)] = members.as_slice() else { return None };
        let mut out = Out { text: String::new(), room };
        self.element(&mut out, &name.value()?, value, 0)?;
        out.text.push_str(self.ends[1]);
        Some(out.text)
    }

    fn element(&self, out: &mut Out, name: &str, value: &Value<'_>, depth: usize) -> Option<()> {
        if name == "#comment" {
            return out.push(&["<!--", &text(value)?, "-->"]);
        }
        out.push(&["<", name])?;
        let Value::Object(members) = value else {
            let closed = *value == Value::Null;
            return if closed {
                out.push(&[self.close])
            } else {
                out.push(&[">", &text(value)?, "</", name, ">"])
            };
        };
        let attributes = members.iter().take_while(|member| member.0.as_str().starts_with('@')).count();
        for (key, value) in &members[..attributes] {
            out.push(&[" ", &key.value()?[1..], "=\"", &text(value)?, "\""])?;
        }
        self.content(out, name, &members[attributes..], depth)
    }

    fn content(
        &self,
        out: &mut Out,
        name: &str,
        members: &[(Text<'_>, Value<'_>)],
        depth: usize,
    ) -> Option<()> {
        match members {
            [] => out.push(&[self.close]),
            [(key, value)] if key.as_str() == "#text" => out.push(&[">", &text(value)?, "</", name, ">"]),
            _ => {
                out.push(&[">"])?;
                for (key, value) in members {
                    let rows =
                        if let Value::Array(rows) = value { rows } else { std::slice::from_ref(value) };
                    for row in rows {
                        self.space.push(&mut out.text, depth + 1);
                        self.element(out, &key.value()?, row, depth + 1)?;
                    }
                }
                self.space.push(&mut out.text, depth);
                out.push(&["</", name, ">"])
            }
        }
    }
}

/// What was written so far, and the room for it.
struct Out {
    text: String,
    room: Room,
}

impl Out {
    fn push(&mut self, parts: &[&str]) -> Option<()> {
        self.text.extend(parts.iter().copied());
        self.room.fits(self.text.len())
    }
}

/// A scalar as it stood.
fn text<'v>(value: &'v Value<'_>) -> Option<std::borrow::Cow<'v, str>> {
    match value {
        Value::String(text) => text.value(),
        Value::Number(text) => Some(text.as_ref().into()),
        Value::Bool(true) => Some("true".into()),
        Value::Bool(false) => Some("false".into()),
        Value::Null | Value::Array(_) | Value::Object(_) => None,
    }
}

impl Space {
    /// The space before the first element within the root.
    fn of(root: &str) -> Option<Self> {
        let rest = &root[root.find('>')? + 1..];
        let gap = &rest[..rest.find('<')?];
        match gap.strip_prefix('\n') {
            None if gap.is_empty() => Some(Self::Compact),
            Some("\t") => Some(Self::Tabs),
            Some(spaces) if spaces.len() <= MAX_INDENT && spaces.bytes().all(|byte| byte == b' ') => {
                Some(Self::Indent(spaces.len()))
            }
            _ => None,
        }
    }

    fn push(self, out: &mut String, depth: usize) {
        let (step, times) = match self {
            Self::Compact => return,
            Self::Indent(width) => (" ", width * depth),
            Self::Tabs => ("\t", depth),
        };
        out.push('\n');
        out.extend(std::iter::repeat_n(step, times));
    }
}

/// Writes `indent 2; head 1 joined; spaced close; newline`.
impl fmt::Display for XmlLayout {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.space {
            Space::Compact => write!(out, "compact")?,
            Space::Indent(width) => write!(out, "indent {width}")?,
            Space::Tabs => write!(out, "tabs")?,
        }
        if self.head > 0 {
            write!(out, "; head {}", self.head)?;
        }
        let said = [
            (self.ends[0].is_empty(), JOINED),
            (self.close == " />", SPACED),
            (self.ends[1] == "\n", NEWLINE),
        ];
        said.iter().filter(|(is, _)| *is).try_for_each(|(_, words)| write!(out, "; {words}"))
    }
}

const JOINED: &str = "root beside it";
const SPACED: &str = "spaced />";
const NEWLINE: &str = "newline";

impl FromStr for XmlLayout {
    type Err = ();

    fn from_str(note: &str) -> Result<Self, ()> {
        let mut parts = note.split("; ");
        let space = match parts.next() {
            Some("compact") => Space::Compact,
            Some("tabs") => Space::Tabs,
            other => {
                let width = other.and_then(|part| part.strip_prefix("indent ")?.parse().ok());
                Space::Indent(width.filter(|&width| width <= MAX_INDENT).ok_or(())?)
            }
        };
        let mut layout = Self { space, head: 0, close: "/>", ends: ["\n", ""] };
        for part in parts {
            match part {
                JOINED => layout.ends[0] = "",
                SPACED => layout.close = " />",
                NEWLINE => layout.ends[1] = "\n",
                _ => {
                    layout.head = part.strip_prefix("head ").and_then(|count| count.parse().ok()).ok_or(())?;
                }
            }
        }
        Ok(layout)
    }
}
