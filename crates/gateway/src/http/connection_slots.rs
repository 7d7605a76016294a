//! Connection slots that clients cannot exhaust: when all are taken, the oldest connection is closed for the newest.

use std::collections::VecDeque;
use std::time::{Duration, Instant};

use tokio::sync::oneshot::{Receiver, Sender, channel};

/// The minimum time for which a connection keeps its slot, unless there are far too many connections: in a burst, each
/// client should get a response.
const GRACE_PERIOD: Duration = Duration::from_secs(1);

/// In a burst, up to this many times the usual number of connections may be open.
const BURST_FACTOR: usize = 8;

/// The slots in use, oldest first.
pub(crate) struct ConnectionSlots {
    most: usize,
    taken: VecDeque<(Instant, Sender<()>)>,
}

/// The slot of a connection; dropping it returns the slot.
pub(crate) struct ConnectionSlot(Receiver<()>);

impl ConnectionSlots {
    /// Creates this many slots.
    pub(crate) fn new(most: usize) -> Self {
        Self { most, taken: VecDeque::new() }
    }

    /// Takes a slot at the time `now`.
    pub(crate) fn take(&mut self, now: Instant) -> ConnectionSlot {
        if self.taken.len() >= self.most {
            self.taken.retain(|(_, slot)| !slot.is_closed());
        }
        while self.is_full(now) {
            self.taken.pop_front();
        }
        let (taken, slot) = channel();
        self.taken.push_back((now, taken));
        ConnectionSlot(slot)
    }

    fn is_full(&self, now: Instant) -> bool {
        let is_old = self.taken.front().is_some_and(|(since, _)| now.duration_since(*since) >= GRACE_PERIOD);
        self.taken.len() >= if is_old { self.most } else { self.most * BURST_FACTOR }
    }
}

impl ConnectionSlot {
    /// Waits until the slot is needed for another connection.
    pub(crate) async fn wait_revoked(self) {
        // Nothing is ever sent: the slot is revoked by dropping the sender.
        let _ = self.0.await;
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The number of connections that still have their slots.
    fn here(slots: &ConnectionSlots) -> usize {
        slots.taken.iter().filter(|(_, slot)| !slot.is_closed()).count()
    }

    /// Behaviour 15.6.
    #[tokio::test]
    async fn the_oldest_goes_when_there_is_no_place_left() {
        let (mut slots, now) = (ConnectionSlots::new(2), Instant::now());
        let (first, second) = (slots.take(now), slots.take(now));
        drop(second);
        let third = slots.take(now + GRACE_PERIOD);
        assert_eq!(here(&slots), 2, "one had left");
        let fourth = slots.take(now + GRACE_PERIOD);
        first.wait_revoked().await;
        assert_eq!(here(&slots), 2);
        drop((third, fourth));
    }

    /// Behaviour 15.6.
    #[test]
    fn who_has_just_come_stays_unless_far_too_many_come() {
        let (mut slots, now) = (ConnectionSlots::new(2), Instant::now());
        let rush: Vec<_> = std::iter::repeat_with(|| slots.take(now)).take(2 * BURST_FACTOR).collect();
        assert_eq!(here(&slots), 2 * BURST_FACTOR);
        let last = slots.take(now);
        assert_eq!(here(&slots), 2 * BURST_FACTOR, "the first of them is gone");
        let next = slots.take(now + GRACE_PERIOD);
        assert_eq!(here(&slots), 2, "no more than there are places for");
        drop((rush, last, next));
    }
}
