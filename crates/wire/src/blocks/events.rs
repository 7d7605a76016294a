//! Watches a stream of content blocks. This is the logic that Anthropic and Converse share.

use crate::blocks::round::RoundEnd;
use crate::hidden::events::EventMeaning;
use crate::hidden::turn::HiddenTurn;
use crate::hidden::verdict::EventVerdict;
use crate::hidden::watch::CloseReason;
use crate::protocol::event_format::EventFormat;
use crate::protocol::failure::RoundFailure;
use crate::protocol::framing::EventFrame;

/// Reads one provider's events.
pub(crate) trait BlockEvents: Send {
    /// Writes the provider's error object.
    const ERROR: fn(RoundFailure<'_>) -> String;

    /// The framing of the events.
    fn format(&self) -> EventFormat;

    /// Handles an event with this data, and appends to `out` the bytes that the client gets before the event. `None`
    /// means that the event passes unchanged.
    fn read(&mut self, frame: EventFrame<'_>, data: &[u8], out: &mut Vec<u8>) -> Option<EventVerdict>;

    /// Ends the round.
    fn end_round(&mut self) -> RoundEnd;

    /// Appends the held end of the message, as if the model had not called the hidden tool.
    fn end_turn(&mut self, out: &mut Vec<u8>);
}

impl<E: BlockEvents> EventMeaning for E {
    fn format(&self) -> EventFormat {
        BlockEvents::format(self)
    }

    fn event(&mut self, frame: EventFrame<'_>, out: &mut Vec<u8>) {
        let data = frame.data().unwrap_or_default();
        let verdict = self.read(frame, &data, out);
        verdict.unwrap_or(EventVerdict::Pass).write(frame, &data, out);
    }

    fn end(&mut self, out: &mut Vec<u8>) -> Option<HiddenTurn> {
        match self.end_round() {
            RoundEnd::Seen => None,
            RoundEnd::Turn(turn) => Some(turn),
            RoundEnd::Lost => {
                self.end_turn(out);
                None
            }
        }
    }

    fn close(&mut self, why: CloseReason<'_>, out: &mut Vec<u8>) {
        match why {
            CloseReason::Enough => self.end_turn(out),
            CloseReason::Failed(why) => BlockEvents::format(self).write_error(why, &E::ERROR(why), out),
        }
    }
}
