//! Leaves a store alone for a moment after it failed several times in a row, so that a dead one costs nothing.
//!
//! In a cluster a name's slot says which node has it, so names whose slots are neighbours share a breaker: while one node
//! is dead, the names of the others are not given up.

use std::sync::{Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use tokio::time::Instant;

/// So many failures in a row are no accident.
const FAILURES: u32 = 5;

/// How long the store is left alone.
const REST: Duration = Duration::from_secs(1);

/// Slots of a cluster.
const SLOTS: usize = 1 << 14;

/// Breakers for a cluster: enough to tell nodes apart, few enough that trying them all once a second costs little.
const GROUPS: usize = 16;

/// A breaker for every name.
pub(crate) struct Breakers(Vec<Breaker>);

/// Decides whether a call is worth trying.
pub struct Breaker {
    rest: Duration,
    state: Mutex<State>,
}

#[derive(Default)]
struct State {
    failures: u32,
    rests: Option<Instant>,
}

impl Breakers {
    /// Breakers for a store of so many addresses; several are a cluster.
    pub(crate) fn new(addresses: usize) -> Self {
        let groups = if addresses > 1 { GROUPS } else { 1 };
        Self((0..groups).map(|_| Breaker::new(REST)).collect())
    }

    /// The one for `name`.
    pub(crate) fn of(&self, name: &str) -> &Breaker {
        &self.0[slot(name) * self.0.len() / SLOTS]
    }

    /// True while any part of the store is left alone.
    pub(crate) fn any_rests(&self) -> bool {
        self.0.iter().any(Breaker::rests)
    }
}

impl Breaker {
    /// A breaker that rests for so long.
    #[must_use]
    pub fn new(rest: Duration) -> Self {
        Self { rest, state: Mutex::default() }
    }

    /// True when a call may be tried. After a rest it is true for one call, and for the others once that one succeeded;
    /// should it never end, another one may try after one more rest.
    pub fn admits(&self) -> bool {
        let mut state = self.state();
        let now = Instant::now();
        match state.rests {
            Some(until) if now < until => false,
            Some(_) => {
                state.rests = Some(now + self.rest);
                true
            }
            None => true,
        }
    }

    /// True from the failure that began a rest to the next call that comes to something.
    fn rests(&self) -> bool {
        self.state().rests.is_some()
    }

    /// Hears that a call came to something.
    pub fn succeeded(&self) {
        *self.state() = State::default();
    }

    /// Hears that a call failed; true when this failure begins a rest.
    pub fn failed(&self) -> bool {
        let mut state = self.state();
        state.failures = state.failures.saturating_add(1);
        let rests = state.failures >= FAILURES;
        if rests {
            state.rests = Some(Instant::now() + self.rest);
        }
        rests
    }

    fn state(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// The slot of a name without braces: its CRC-16 (XMODEM), as all clusters have it.
fn slot(name: &str) -> usize {
    let crc = name.bytes().fold(0_u16, |crc, byte| {
        (0..8).fold(crc ^ u16::from(byte) << 8, |crc, _| crc << 1 ^ if crc >> 15 == 1 { 0x1021 } else { 0 })
    });
    usize::from(crc) % SLOTS
}

#[cfg(test)]
mod tests {
    use super::*;

    #[tokio::test(start_paused = true)]
    async fn it_rests_after_failures_in_a_row_and_then_tries_one_call() {
        let breaker = Breaker::new(REST);
        for _ in 1..FAILURES {
            assert!(!breaker.failed() && breaker.admits());
        }
        breaker.succeeded();
        for _ in 1..FAILURES {
            assert!(!breaker.failed() && breaker.admits());
        }
        assert!(!breaker.rests() && breaker.failed() && !breaker.admits() && breaker.rests());
        tokio::time::advance(REST).await;
        assert!(breaker.admits(), "one call");
        assert!(!breaker.admits(), "and no other");
        assert!(breaker.failed() && !breaker.admits());
        tokio::time::advance(REST).await;
        assert!(breaker.admits() && !breaker.admits());
        tokio::time::advance(REST).await;
        assert!(breaker.admits(), "a call that never ended does not close it for ever");
        assert!(breaker.rests());
        breaker.succeeded();
        assert!(breaker.admits() && breaker.admits() && !breaker.rests());
    }

    #[test]
    fn neighbours_share_a_breaker_in_a_cluster() {
        // What a real server says to `CLUSTER KEYSLOT`.
        for (name, expected) in [("123456789", 12739), ("foo", 12182), ("tersely", 2160)] {
            assert_eq!(slot(name), expected, "{name}");
        }
        let (single, cluster) = (Breakers::new(1), Breakers::new(2));
        let same = |breakers: &Breakers, other| std::ptr::eq(breakers.of("foo"), breakers.of(other));
        assert!(same(&single, "tersely") && same(&cluster, "name 2") && !same(&cluster, "tersely"));
    }
}
