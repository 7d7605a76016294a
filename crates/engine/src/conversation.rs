//! The results of a request in order, each of which may refer to earlier ones.

use tersely_core::{Mode, Outcome, Plan, Reader, Room, Session};
use tersely_wire::Slot;

use crate::scope::Scope;
use crate::slot_call::call;

/// The results of a request so far.
pub(crate) struct Conversation {
    history: Session,
    /// Whether a result may refer to earlier ones.
    refers: bool,
    /// The number of messages that stay unchanged, because they were sent before.
    frozen_messages: usize,
    /// The size of the results in bytes, as received and as sent.
    received: usize,
    sent: usize,
}

impl Conversation {
    /// A conversation without results.
    pub(crate) fn new(scope: &Scope<'_>) -> Self {
        Self {
            history: Session::default(),
            refers: scope.refers,
            frozen_messages: scope.frozen_messages,
            received: 0,
            sent: 0,
        }
    }

    /// The outcome to send for the next result, `text`, which was compressed to `outcome`.
    pub(crate) fn refer<'t>(
        &mut self,
        plan: Plan,
        slot: &Slot<'_>,
        text: &str,
        outcome: Outcome<'t>,
    ) -> Outcome<'t> {
        self.received += text.len();
        let outcome = self.with_references(plan, slot, outcome);
        self.sent += outcome.text.len();
        outcome
    }

    fn with_references<'t>(&mut self, plan: Plan, slot: &Slot<'_>, outcome: Outcome<'t>) -> Outcome<'t> {
        // An error is always shown in full. Small models do not follow references.
        let is_plain = slot.is_error || plan.mode < Mode::Standard || plan.reader == Reader::Small;
        if !self.refers || is_plain {
            return self.history.show(call(slot), outcome);
        }
        let min_bytes = Room::least(self.received).saturating_sub(self.sent);
        self.history.refer(call(slot), min_bytes, outcome)
    }

    /// Remembers a result that is sent unchanged.
    pub(crate) fn remember(&mut self, slot: &Slot<'_>, text: &str) {
        if slot.message < self.frozen_messages {
            (self.received, self.sent) = (self.received + text.len(), self.sent + text.len());
        }
        if self.refers {
            self.history.remember(call(slot), text);
        }
    }

    /// The approximate memory use, in bytes.
    pub(crate) fn bytes(&self) -> usize {
        self.history.bytes()
    }

    /// Remembers a result whose text cannot be read.
    pub(crate) fn skip(&mut self, slot: &Slot<'_>) {
        self.history.skip(call(slot));
    }
}
