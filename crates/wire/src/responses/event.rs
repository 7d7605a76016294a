//! Locates the fields of one streaming event.

use std::borrow::Cow;
use std::ops::Range;

use tersely_json::{JsonScan, string};

use super::object::{ResponseItem, ResponseObject};

/// The positions of the fields in an event.
#[derive(Default)]
pub(super) struct ResponseEvent<'a> {
    pub(super) data: &'a [u8],
    pub(super) kind: Cow<'a, str>,
    pub(super) kind_place: Option<Range<usize>>,
    pub(super) sequence: Option<Range<usize>>,
    pub(super) index: Option<Range<usize>>,
    pub(super) item: Option<ResponseItem<'a>>,
    pub(super) answer: Option<ResponseObject<'a>>,
}

impl<'a> ResponseEvent<'a> {
    /// Reads an event; `None` when the data is not JSON that all parsers read the same way.
    pub(super) fn read(data: &'a [u8]) -> Option<Self> {
        let mut event = Self { data, ..Self::default() };
        let mut scan = JsonScan::new(data);
        scan.members(|scan, key| match key {
            b"type" => scan.place(&mut event.kind_place),
            b"sequence_number" => scan.place(&mut event.sequence),
            b"output_index" => scan.place(&mut event.index),
            b"item" => {
                let item = ResponseItem::read(scan)?;
                scan.once(&mut event.item, item)
            }
            b"response" => {
                let answer = ResponseObject::read(scan)?;
                scan.once(&mut event.answer, answer)
            }
            _ => scan.skip().map(drop),
        })
        .ok()?;
        scan.end().ok()?;
        event.kind = string::decode(&data[event.kind_place.clone()?])?;
        Some(event)
    }

    /// The number of the event's item.
    pub(super) fn index(&self) -> Option<u64> {
        string::raw(self.index.as_ref()?, self.data).parse().ok()
    }

    /// The sequence number of the event.
    pub(super) fn sequence(&self) -> Option<u64> {
        string::raw(self.sequence.as_ref()?, self.data).parse().ok()
    }

    /// True when the event begins a response.
    pub(super) fn is_opening(&self) -> bool {
        matches!(&*self.kind, "response.created" | "response.in_progress" | "response.queued")
    }

    /// True when the event ends a response.
    pub(super) fn is_end(&self) -> bool {
        matches!(&*self.kind, "response.completed" | "response.incomplete" | "response.failed")
    }
}
