//! Locates the fields of one streaming chunk.

use std::borrow::Cow;
use std::ops::Range;

use tersely_json::{JsonError, JsonNode, JsonScan, list, string};

/// The positions of the fields in a chunk. Only one answer is requested, so a chunk has no more than one choice.
#[derive(Default)]
pub(super) struct ChatChunk<'a> {
    pub(super) data: &'a [u8],
    pub(super) id: Option<Range<usize>>,
    pub(super) created: Option<Range<usize>>,
    usage: Option<Range<usize>>,
    /// The number of choices; `None` when the data is not a chunk.
    pub(super) choices: Option<usize>,
    number: Option<Range<usize>>,
    pub(super) finish: Option<Range<usize>>,
    pub(super) delta: Option<Range<usize>>,
    /// The members of the delta.
    pub(super) parts: Vec<DeltaPart>,
    /// The pieces of tool calls in the delta.
    pub(super) pieces: Vec<CallPiece<'a>>,
}

/// A member of a delta.
pub(super) struct DeltaPart {
    pub(super) name: String,
    /// The position of the member, including its name.
    pub(super) member: Range<usize>,
    pub(super) value: Range<usize>,
}

/// A piece of a tool call.
#[derive(Default)]
pub(super) struct CallPiece<'a> {
    pub(super) place: Range<usize>,
    index: Option<Range<usize>>,
    pub(super) id: Cow<'a, str>,
    pub(super) name: Cow<'a, str>,
    pub(super) has_arguments: bool,
}

impl<'a> ChatChunk<'a> {
    /// Reads a chunk. `None` when the data is not JSON that all parsers read the same way, or belongs to one of
    /// several answers.
    pub(super) fn read(data: &'a [u8]) -> Option<Self> {
        let mut chunk = Self { data, ..Self::default() };
        let mut scan = JsonScan::new(data);
        scan.members(|scan, key| match key {
            b"id" => scan.place(&mut chunk.id),
            b"created" => scan.place(&mut chunk.created),
            b"usage" => scan.place(&mut chunk.usage),
            b"choices" if scan.peek() == Some(b'[') => {
                scan.once(&mut chunk.choices, 0)?;
                scan.items(|scan| chunk.choice(scan))
            }
            _ => scan.skip().map(drop),
        })
        .ok()?;
        scan.end().ok()?;
        let is_only = chunk.number.as_ref().is_none_or(|place| &data[place.clone()] == b"0");
        (chunk.choices <= Some(1) && is_only).then_some(chunk)
    }

    fn choice(&mut self, scan: &mut JsonScan<'a>) -> Result<(), JsonError> {
        self.choices = self.choices.map(|count| count + 1);
        scan.members(|scan, key| match key {
            b"index" => scan.place(&mut self.number),
            b"finish_reason" => scan.place(&mut self.finish),
            b"delta" => {
                scan.peek();
                let start = scan.at();
                self.delta(scan)?;
                scan.once(&mut self.delta, start..scan.at())
            }
            _ => scan.skip().map(drop),
        })
    }

    fn delta(&mut self, scan: &mut JsonScan<'a>) -> Result<(), JsonError> {
        scan.members(|scan, key| {
            let (name, start) = (String::from_utf8_lossy(key).into_owned(), scan.name_start());
            scan.peek();
            let from = scan.at();
            if name == "tool_calls" {
                scan.items(|scan| self.piece(scan))?;
            } else {
                scan.skip()?;
            }
            self.parts.push(DeltaPart { name, member: start..scan.at(), value: from..scan.at() });
            Ok(())
        })
    }

    fn piece(&mut self, scan: &mut JsonScan<'a>) -> Result<(), JsonError> {
        let (mut piece, mut id, mut name) = (CallPiece::default(), None, None);
        scan.peek();
        let start = scan.at();
        scan.members(|scan, key| match key {
            b"index" => scan.place(&mut piece.index),
            b"id" => scan.word(&mut id),
            b"function" => scan.members(|scan, key| match key {
                b"name" => scan.word(&mut name),
                b"arguments" => {
                    let place = scan.skip()?;
                    piece.has_arguments = !is_nothing(&self.data[place]);
                    Ok(())
                }
                _ => scan.skip().map(drop),
            }),
            _ => scan.skip().map(drop),
        })?;
        piece.place = start..scan.at();
        (piece.id, piece.name) = (id.unwrap_or_default(), name.unwrap_or_default());
        self.pieces.push(piece);
        Ok(())
    }

    /// The stop reason, if this chunk has one.
    pub(super) fn reason(&self) -> Option<String> {
        self.finish.as_ref().and_then(|place| serde_json::from_slice(&self.data[place.clone()]).ok())
    }

    /// The usage object, if this chunk has one.
    pub(super) fn usage(&self) -> Option<JsonNode<'a>> {
        self.usage.clone().map(|place| JsonNode::at(place, self.data)).filter(JsonNode::is_object)
    }

    /// Writes the array of calls with only these pieces, under these call numbers; `None` when nothing changes.
    pub(super) fn calls(&self, shown: &[(usize, u64)]) -> Option<String> {
        let is_same = |&(at, index): &(usize, u64)| {
            let piece = &self.pieces[at];
            piece.index(self.data).is_none_or(|now| now == index)
        };
        if shown.len() == self.pieces.len() && shown.iter().all(is_same) {
            return None;
        }
        let pieces: Vec<_> =
            shown.iter().map(|&(at, index)| self.pieces[at].under(index, self.data)).collect();
        Some(list::of(pieces.iter().map(String::as_str)))
    }
}

impl CallPiece<'_> {
    /// The number of the call that this piece belongs to.
    pub(super) fn index(&self, data: &[u8]) -> Option<u64> {
        string::raw(self.index.as_ref()?, data).parse().ok()
    }

    fn under(&self, index: u64, data: &[u8]) -> String {
        match &self.index {
            Some(place) if self.index(data) != Some(index) => {
                let before = string::raw(&(self.place.start..place.start), data);
                let after = string::raw(&(place.end..self.place.end), data);
                format!("{before}{index}{after}")
            }
            _ => string::raw(&self.place, data),
        }
    }
}

/// True for a value that has no content.
pub(super) fn is_nothing(value: &[u8]) -> bool {
    matches!(value, b"null" | b"\"\"" | b"[]" | b"{}")
}
