//! A text of a user message, and its position in a body.

use std::borrow::Cow;
use std::ops::Range;

use tersely_json::string;

/// A text in a user message.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct UserPrompt<'a> {
    /// The range of the string in the body, including the quotes.
    pub span: Range<usize>,
    /// The string exactly as written in the JSON.
    pub token: &'a [u8],
}

impl<'a> UserPrompt<'a> {
    /// The decoded text of the string; `None` if the text could not be encoded again.
    #[must_use]
    pub fn text(&self) -> Option<Cow<'a, str>> {
        string::decode(self.token)
    }
}
