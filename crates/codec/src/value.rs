//! A JSON value that borrows from its source, and loses only the spelling of escapes.

use std::borrow::Cow;

use crate::Text;

/// The maximum nesting depth of a value, in every form.
pub const MAX_DEPTH: usize = 128;

/// A JSON value. Members keep their order, duplicate keys are kept, and numbers are stored as text.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Value<'a> {
    /// `null`
    Null,
    /// `true` or `false`
    Bool(bool),
    /// A number, in its original spelling.
    Number(Cow<'a, str>),
    /// A string.
    String(Text<'a>),
    /// An array.
    Array(Vec<Value<'a>>),
    /// An object, with its members in order.
    Object(Vec<(Text<'a>, Value<'a>)>),
}

impl Value<'_> {
    /// The JSON-escaped text of a string, or the text of a number.
    pub(crate) fn text(&self) -> Option<&str> {
        match self {
            Self::String(text) => Some(text.as_str()),
            Self::Number(text) => Some(text),
            _ => None,
        }
    }

    /// True for a value that does not contain other values.
    #[must_use]
    pub fn is_scalar(&self) -> bool {
        !matches!(self, Self::Array(_) | Self::Object(_))
    }

    /// True when the value does not nest deeper than the forms allow.
    #[must_use]
    pub fn fits(&self) -> bool {
        self.within(MAX_DEPTH)
    }

    pub(crate) fn within(&self, levels: usize) -> bool {
        match self {
            Self::Array(items) => levels > 0 && items.iter().all(|item| item.within(levels - 1)),
            Self::Object(members) => levels > 0 && members.iter().all(|(_, value)| value.within(levels - 1)),
            _ => true,
        }
    }
}
