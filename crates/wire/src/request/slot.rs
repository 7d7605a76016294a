//! The places in a body that hold tool results.

use std::borrow::Cow;
use std::ops::Range;
use std::sync::Arc;

use serde::de::IgnoredAny;
use tersely_json::{JsonError, JsonScan, scan_all, string};

use crate::request::call::{SeenCalls, SlotCall};

/// A place in a body that holds a tool result's text, or one of its texts.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Slot<'a> {
    /// The bytes of the whole JSON value, quotes included, so that any value can give way to a string.
    pub span: Range<usize>,
    /// The call that the result answers; the texts of one result share it.
    pub call: Arc<SlotCall<'a>>,
    /// The same bytes, as they stand in the body.
    pub token: &'a [u8],
    /// True when the client says that the tool failed.
    pub is_error: bool,
    /// Which message of the body it stands in, from 0 on.
    pub message: usize,
}

impl<'a> Slot<'a> {
    /// The characters of a string; of an object or an array, its JSON as it stands.
    ///
    /// Made when asked for: of a long conversation most results are known from the request before, by their token.
    /// `None` when there are none that could be written again, as with a lone surrogate: such a slot stays as it is.
    #[must_use]
    pub fn text(&self) -> Option<Cow<'a, str>> {
        if self.token.first() == Some(&b'"') {
            return string::decode(self.token);
        }
        // The scan does not look into what it steps over. What is not JSON must not become a string that is.
        let text = str::from_utf8(self.token).ok()?;
        serde_json::from_str::<IgnoredAny>(text).ok().map(|_| Cow::Borrowed(text))
    }
}

impl Slot<'_> {
    /// True when `text`, written as a string, is byte for byte what stands here.
    #[must_use]
    pub fn is_spelled(&self, text: &str) -> bool {
        let mut token = Vec::with_capacity(self.token.len());
        string::encode(&mut token, text);
        token == self.token
    }
}

/// What a walk through a body has found so far.
///
/// Names come in any order: a content may stand before the role that makes it a result. So places are held back
/// until their object ends, and then become slots or are forgotten.
#[derive(Default)]
pub(crate) struct FoundSlots<'a> {
    pub(crate) calls: SeenCalls<'a>,
    places: Vec<Range<usize>>,
    slots: Vec<Slot<'a>>,
    /// The messages that have begun.
    messages: usize,
}

/// What an object says of the result that it holds.
#[derive(Default)]
pub(crate) struct ResultLabel<'a> {
    pub(crate) id: Cow<'a, str>,
    pub(crate) tool: Cow<'a, str>,
    pub(crate) is_error: bool,
}

/// The slots that `walk` finds in a whole body.
pub(crate) fn find<'a>(
    body: &'a [u8],
    walk: impl FnOnce(&mut JsonScan<'a>, &mut FoundSlots<'a>) -> Result<(), JsonError>,
) -> Result<Vec<Slot<'a>>, JsonError> {
    scan_all(body, walk).map(|found: FoundSlots<'_>| found.slots)
}

impl<'a> FoundSlots<'a> {
    /// A message begins.
    pub(crate) fn begin(&mut self) {
        self.calls.begin();
        self.step();
    }

    /// The same, where calls of one turn stand in messages of their own.
    pub(crate) fn step(&mut self) {
        self.messages += 1;
    }

    /// Where the places of an object will begin.
    pub(crate) fn mark(&self) -> usize {
        self.places.len()
    }

    /// Holds a place back if a string stands there.
    pub(crate) fn hold_string(&mut self, body: &[u8], place: Range<usize>) {
        if body.get(place.start) == Some(&b'"') {
            self.places.push(place);
        }
    }

    /// Holds a place back if a list or an object stands there.
    pub(crate) fn hold_nested(&mut self, body: &[u8], place: Range<usize>) {
        if let Some(b'[' | b'{') = body.get(place.start) {
            self.places.push(place);
        }
    }

    /// Forgets the places since `mark`.
    pub(crate) fn forget(&mut self, mark: usize) {
        self.places.truncate(mark);
    }

    /// Makes slots of the places since `mark`.
    pub(crate) fn settle(&mut self, mark: usize, body: &'a [u8], answer: ResultLabel<'a>) {
        let call = self.calls.match_result(answer.id, answer.tool);
        let message = self.messages.saturating_sub(1);
        for span in self.places.drain(mark..) {
            let (call, token) = (Arc::clone(&call), &body[span.clone()]);
            // What is empty cannot get shorter.
            if token.len() > 2 {
                self.slots.push(Slot { span, call, token, is_error: answer.is_error, message });
            }
        }
    }
}
