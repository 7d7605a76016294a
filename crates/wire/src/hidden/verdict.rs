//! Decides which part of an event the client sees, when earlier blocks may be hidden.

use tersely_json::{BytePatch, JsonNode};

use crate::protocol::framing::EventFrame;

/// The part of an event that the client sees.
pub(crate) enum EventVerdict {
    /// The whole event, unchanged.
    Pass,
    /// Nothing.
    Drop,
    /// The event with changes.
    Change(BytePatch),
}

impl EventVerdict {
    /// The verdict for an event whose block number is the JSON value `place`. `to` is the number that the client
    /// sees, or `None` for a hidden block.
    pub(crate) fn renumber(place: &JsonNode<'_>, to: Option<u64>) -> Self {
        let Some(to) = to else { return Self::Drop };
        if place.number() == Some(to) {
            return Self::Pass;
        }
        let mut patch = BytePatch::default();
        patch.put(place.span.clone(), to.to_string());
        Self::Change(patch)
    }

    /// Appends the part of an event that the client sees; `data` is the data of the event.
    pub(crate) fn write(self, frame: EventFrame<'_>, data: &[u8], out: &mut Vec<u8>) {
        match self {
            Self::Pass => out.extend_from_slice(frame.raw),
            Self::Drop => {}
            Self::Change(patch) => frame.write(patch, data, out),
        }
    }
}
