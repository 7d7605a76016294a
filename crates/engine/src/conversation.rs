//! The results of a request in their order: each may name what the ones before it show.

use tersely_core::{Call, Mode, Outcome, Plan, Reader, Room, Session};
use tersely_wire::Slot;

use crate::scope::Scope;

/// What the request has shown so far.
pub(crate) struct Conversation {
    history: Session,
    /// Whether a result may name what stands earlier.
    refers: bool,
    /// How many messages were sent before, as they are.
    frozen: usize,
    /// Bytes of the results as they came, and as they are sent.
    came: usize,
    sent: usize,
}

impl Conversation {
    /// A conversation of which nothing was shown yet.
    pub(crate) fn new(scope: &Scope<'_>) -> Self {
        Self { history: Session::default(), refers: scope.refers, frozen: scope.frozen, came: 0, sent: 0 }
    }

    /// What is sent for the next result, `text`, which became `outcome`.
    pub(crate) fn refer<'t>(
        &mut self,
        plan: Plan,
        slot: &Slot<'_>,
        text: &str,
        outcome: Outcome<'t>,
    ) -> Outcome<'t> {
        self.came += text.len();
        let outcome = self.referred(plan, slot, outcome);
        self.sent += outcome.text.len();
        outcome
    }

    fn referred<'t>(&mut self, plan: Plan, slot: &Slot<'_>, outcome: Outcome<'t>) -> Outcome<'t> {
        // An error is said in full, however often it was said before. A small model does not follow references.
        let is_plain = slot.is_error || plan.mode < Mode::Standard || plan.reader == Reader::Small;
        if !self.refers || is_plain {
            return self.history.show(call(slot), outcome);
        }
        let least = Room::least(self.came).saturating_sub(self.sent);
        self.history.refer(call(slot), least, outcome)
    }

    /// Takes note of a result that is sent as it came.
    pub(crate) fn remember(&mut self, slot: &Slot<'_>, text: &str) {
        if slot.message < self.frozen {
            (self.came, self.sent) = (self.came + text.len(), self.sent + text.len());
        }
        if self.refers {
            self.history.remember(call(slot), text);
        }
    }

    /// About how many bytes it takes.
    pub(crate) fn bytes(&self) -> usize {
        self.history.bytes()
    }

    /// Takes note of a result that cannot be read.
    pub(crate) fn skip(&mut self, slot: &Slot<'_>) {
        self.history.skip(call(slot));
    }
}

/// The call that a result answers.
pub(crate) fn call<'s>(slot: &'s Slot<'_>) -> Call<'s> {
    let tersely_wire::SlotCall { id, tool, command, is_part } = &*slot.call;
    Call { id, tool, command: command.as_deref(), is_part: *is_part }
}
