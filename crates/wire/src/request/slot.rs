//! A text of a tool result, and its position in a body.

use std::borrow::Cow;
use std::ops::Range;
use std::sync::Arc;

use serde::de::IgnoredAny;
use tersely_json::string;

use crate::request::call::SlotCall;

/// A part of a body that contains a text of a tool result.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Slot<'a> {
    /// The range of the whole JSON value, including quotes. A string can replace any value.
    pub span: Range<usize>,
    /// The call that the result answers; all texts of one result share this call.
    pub call: Arc<SlotCall<'a>>,
    /// The bytes of `span`, unchanged.
    pub token: &'a [u8],
    /// True when the client reports that the tool failed.
    pub is_error: bool,
    /// The index of the result's message in the body.
    pub message: usize,
}

impl<'a> Slot<'a> {
    /// The decoded text of a string; for an object or an array, its JSON unchanged.
    ///
    /// The text is decoded only on request, because in a long conversation most results are known from the previous
    /// request by their token. `None` if the text could not be encoded again, as with a lone surrogate: such a slot
    /// stays unchanged.
    #[must_use]
    pub fn text(&self) -> Option<Cow<'a, str>> {
        if self.token.first() == Some(&b'"') {
            return string::decode(self.token);
        }
        // The scan does not check the values that it skips. Invalid JSON must not become a valid string.
        let text = str::from_utf8(self.token).ok()?;
        serde_json::from_str::<IgnoredAny>(text).ok().map(|_| Cow::Borrowed(text))
    }
}

impl Slot<'_> {
    /// True when encoding `text` as a JSON string gives exactly the bytes of the token.
    #[must_use]
    pub fn is_spelled(&self, text: &str) -> bool {
        let mut token = Vec::with_capacity(self.token.len());
        string::encode(&mut token, text);
        token == self.token
    }
}
