//! Finds the positions of tool results in a body.

use std::borrow::Cow;
use std::ops::Range;
use std::sync::Arc;

use serde::de::IgnoredAny;
use tersely_json::{JsonError, JsonScan, scan_all, string};

use crate::request::call::{SeenCalls, SlotCall};

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

/// The slots that a walk through a body has found so far.
///
/// Members come in any order: the content of a message may precede the role that makes it a result. So places are
/// held until their object ends, and are then turned into slots or dropped.
#[derive(Default)]
pub(crate) struct FoundSlots<'a> {
    pub(crate) calls: SeenCalls<'a>,
    places: Vec<Range<usize>>,
    slots: Vec<Slot<'a>>,
    /// The number of messages that have started.
    messages: usize,
}

/// The members that describe a result.
#[derive(Default)]
pub(crate) struct ResultLabel<'a> {
    pub(crate) id: Cow<'a, str>,
    pub(crate) tool: Cow<'a, str>,
    pub(crate) is_error: bool,
}

/// Finds the slots of a whole body with `walk`.
pub(crate) fn find<'a>(
    body: &'a [u8],
    walk: impl FnOnce(&mut JsonScan<'a>, &mut FoundSlots<'a>) -> Result<(), JsonError>,
) -> Result<Vec<Slot<'a>>, JsonError> {
    scan_all(body, walk).map(|found: FoundSlots<'_>| found.slots)
}

impl<'a> FoundSlots<'a> {
    /// Starts a message.
    pub(crate) fn begin(&mut self) {
        self.calls.begin();
        self.step();
    }

    /// Starts a message that may belong to the same turn as the previous message.
    pub(crate) fn step(&mut self) {
        self.messages += 1;
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
}
