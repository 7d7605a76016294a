//! A call held back until all its pieces have arrived.

use tersely_json::{BytePatch, JsonNode, string};

use super::chunk::{CallPiece, ChatChunk};
use crate::bridge::watch::CallBridge;
use crate::hidden::turn::MAX_HELD_BYTES;
use crate::protocol::framing::EventFrame;

/// The part of a call that has arrived so far.
pub(super) struct PendingCall {
    /// The event that started the call.
    event: Vec<u8>,
    /// The position of the first piece in the data of that event.
    place: std::ops::Range<usize>,
    index: Option<u64>,
    id: String,
    /// The part of the name received so far.
    name: String,
    /// The arguments received so far, still JSON-escaped.
    given: Vec<u8>,
}

impl PendingCall {
    /// Starts a call with its first piece.
    pub(super) fn new(frame: EventFrame<'_>, chunk: &ChatChunk<'_>, piece: &CallPiece<'_>) -> Self {
        let (event, place) = (frame.raw.to_vec(), piece.place.clone());
        let (index, id) = (piece.index(chunk.data), piece.id.clone().into_owned());
        let mut call = Self { event, place, index, id, name: String::new(), given: Vec::new() };
        call.grow(chunk, piece);
        call
    }

    /// True when a piece belongs to this call. Some servers repeat the name of a call in every piece, and some send
    /// the name in parts.
    pub(super) fn goes_on(&self, calls: &CallBridge, chunk: &ChatChunk<'_>, piece: &CallPiece<'_>) -> bool {
        let (is_named, index) = (!piece.name.is_empty(), piece.index(chunk.data));
        let is_same = !piece.id.is_empty() && piece.id == self.id;
        // Without an id, the number identifies the call.
        let is_again = is_same || piece.id.is_empty() && index.is_some();
        index.is_none_or(|index| Some(index) == self.index)
            && (piece.id.is_empty() || is_same)
            && (!is_named || (is_again && (piece.name == self.name || self.name != calls.call)))
    }

    /// True while this may be a call of the bridging tool.
    pub(super) fn is_open(&self, calls: &CallBridge) -> bool {
        self.name == calls.call || (calls.begins(&self.name) && self.given.is_empty())
    }

    pub(super) fn grow(&mut self, chunk: &ChatChunk<'_>, piece: &CallPiece<'_>) {
        // Servers send a name all at once, in pieces, or again with every piece.
        if piece.name.starts_with(&self.name) {
            self.name = piece.name.clone().into_owned();
        } else {
            self.name.push_str(&piece.name);
        }
        let function = JsonNode::at(piece.place.clone(), chunk.data).get("function");
        let arguments = function.and_then(|function| function.get("arguments"));
        if let Some(arguments) = arguments.filter(|it| it.bytes().starts_with(b"\"")) {
            self.given.extend_from_slice(arguments.inside());
        }
    }

    /// True when the call is too long to hold.
    pub(super) fn is_full(&self) -> bool {
        self.given.len() > MAX_HELD_BYTES
    }

    /// Appends one event with the whole call: rewritten as a call of the intended tool, or unchanged.
    pub(super) fn release(&self, calls: &CallBridge, out: &mut Vec<u8>) {
        let frame = EventFrame::sse(&self.event);
        let data = frame.data().unwrap_or_default();
        let quoted = [b"\"", self.given.as_slice(), b"\""].concat();
        let given = string::decode(&quoted).filter(|_| self.name == calls.call);
        let call = given.and_then(|given| calls.read(given.as_bytes()));
        let (name, arguments) = match call {
            Some(call) => (call.name, string::quote(&String::from_utf8_lossy(&call.arguments)).into_bytes()),
            None => (self.name.clone(), quoted),
        };
        let piece = self.piece(&data, &name, &arguments);
        let delta = [b"{\"tool_calls\":[", piece.as_slice(), b"]}"].concat();
        if let Some(chunk) = ChatChunk::read(&data) {
            let mut patch = BytePatch::default();
            let ends = [chunk.finish.clone(), chunk.usage().map(|usage| usage.span)];
            ends.into_iter().flatten().for_each(|place| patch.put(place, *b"null"));
            chunk.delta.clone().into_iter().for_each(|place| patch.put(place, delta.clone()));
            frame.write(patch, &data, out);
        }
    }

    /// The first piece, with the complete arguments.
    fn piece(&self, data: &[u8], name: &str, arguments: &[u8]) -> Vec<u8> {
        let piece = &data[self.place.clone()];
        let (mut patch, top) = (BytePatch::default(), JsonNode::object(piece));
        let Some(function) = top.and_then(|top| top.get("function")) else { return piece.to_vec() };
        let [old, given] = function.get_all(["name", "arguments"]).unwrap_or_default();
        if let Some(old) = old {
            patch.put(old.span, string::quote(name));
        }
        match given {
            Some(given) => patch.put(given.span, arguments),
            None => patch.add(&function, &[b"\"arguments\":", arguments].concat()),
        }
        patch.apply(piece).into_owned()
    }
}
