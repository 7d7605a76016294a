//! What becomes of an event that belongs to a numbered block, where blocks before it may be hidden.

use tersely_json::{BytePatch, JsonNode};

use crate::protocol::framing::EventFrame;

/// What becomes of an event.
pub(crate) enum EventVerdict {
    /// It goes on as it came.
    Pass,
    /// The client does not see it.
    Drop,
    /// It goes on with changes.
    Change(BytePatch),
}

impl EventVerdict {
    /// The event of a block, whose number stands at `place` and is `to` for the client, who may not see it.
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
