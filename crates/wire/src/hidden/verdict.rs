//! Decides what the client sees of an event, where earlier blocks may be hidden.

use tersely_json::{BytePatch, JsonNode};

use crate::protocol::framing::EventFrame;

/// What the client sees of an event.
pub(crate) enum EventVerdict {
    /// All of it, unchanged.
    Pass,
    /// Nothing.
    Drop,
    /// The event with changes.
    Change(BytePatch),
}

impl EventVerdict {
    /// The verdict about an event whose block has its number at `place`; `to` is the client's number, or `None` for a
    /// hidden block.
    pub(crate) fn renumber(place: &JsonNode<'_>, to: Option<u64>) -> Self {
        let Some(to) = to else { return Self::Drop };
        if place.number() == Some(to) {
            return Self::Pass;
        }
        let mut patch = BytePatch::default();
        patch.put(place.span.clone(), to.to_string());
        Self::Change(patch)
    }

    /// Appends what the client sees of an event with this data.
    pub(crate) fn write(self, frame: EventFrame<'_>, data: &[u8], out: &mut Vec<u8>) {
        match self {
            Self::Pass => out.extend_from_slice(frame.raw),
            Self::Drop => {}
            Self::Change(patch) => frame.write(patch, data, out),
        }
    }
}
