//! Circuit breakers: after several failures in a row, no calls are made for a moment, so that an unreachable store
//! costs no time.
//!
//! In a cluster, the slot of a key determines its node, so keys in neighbouring slots share a breaker. While one node
//! is down, calls to the other nodes continue.

use std::sync::{Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use tokio::time::Instant;

/// The number of failures in a row that opens a breaker.
const MAX_FAILURES: u32 = 5;

/// How long a breaker stays open.
const OPEN_TIME: Duration = Duration::from_secs(1);

/// The number of slots of a cluster.
const SLOTS: usize = 1 << 14;

/// The number of breakers for a cluster: enough to distinguish nodes, and few enough that one trial call for each per
/// second costs little.
const CLUSTER_BREAKERS: usize = 16;

/// The breakers of a store, each for a range of keys.
pub(crate) struct Breakers(Vec<Breaker>);

/// A circuit breaker.
pub struct Breaker {
    open_time: Duration,
    state: Mutex<State>,
}

#[derive(Default)]
struct State {
    failures: u32,
    open_until: Option<Instant>,
}

impl Breakers {
    /// Creates the breakers for a store with this many addresses. Several addresses mean a cluster.
    pub(crate) fn new(addresses: usize) -> Self {
        let groups = if addresses > 1 { CLUSTER_BREAKERS } else { 1 };
        Self((0..groups).map(|_| Breaker::new(OPEN_TIME)).collect())
    }

    /// The breaker for a key.
    pub(crate) fn of(&self, name: &str) -> &Breaker {
        &self.0[slot(name) * self.0.len() / SLOTS]
    }

    /// True while any breaker is open.
    pub(crate) fn any_open(&self) -> bool {
        self.0.iter().any(Breaker::is_open)
    }
}

impl Breaker {
    /// Creates a breaker that stays open for `open_time`.
    #[must_use]
    pub fn new(open_time: Duration) -> Self {
        Self { open_time, state: Mutex::default() }
    }

    /// True when a call may be made. After the open time, one trial call is admitted; other calls are admitted once
    /// it has succeeded. If the trial call never returns, another one is admitted after the open time has passed
    /// again.
    pub fn admits(&self) -> bool {
        let mut state = self.state();
        let now = Instant::now();
        match state.open_until {
            Some(until) if now < until => false,
            Some(_) => {
                state.open_until = Some(now + self.open_time);
                true
            }
            None => true,
        }
    }

    /// True from the failure that opened the breaker until the next success.
    fn is_open(&self) -> bool {
        self.state().open_until.is_some()
    }

    /// Records that a call succeeded.
    pub fn record_success(&self) {
        *self.state() = State::default();
    }

    /// Records that a call failed. Returns true if the breaker is open after this failure.
    pub fn record_failure(&self) -> bool {
        let mut state = self.state();
        state.failures = state.failures.saturating_add(1);
        let opens = state.failures >= MAX_FAILURES;
        if opens {
            state.open_until = Some(Instant::now() + self.open_time);
        }
        opens
    }

    fn state(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// The cluster slot of a key that contains no braces: its CRC-16 (XMODEM).
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
        let breaker = Breaker::new(OPEN_TIME);
        for _ in 1..MAX_FAILURES {
            assert!(!breaker.record_failure() && breaker.admits());
        }
        breaker.record_success();
        for _ in 1..MAX_FAILURES {
            assert!(!breaker.record_failure() && breaker.admits());
        }
        assert!(!breaker.is_open() && breaker.record_failure() && !breaker.admits() && breaker.is_open());
        tokio::time::advance(OPEN_TIME).await;
        assert!(breaker.admits(), "one call");
        assert!(!breaker.admits(), "and no other");
        assert!(breaker.record_failure() && !breaker.admits());
        tokio::time::advance(OPEN_TIME).await;
        assert!(breaker.admits() && !breaker.admits());
        tokio::time::advance(OPEN_TIME).await;
        assert!(breaker.admits(), "a call that never ended does not close it for ever");
        assert!(breaker.is_open());
        breaker.record_success();
        assert!(breaker.admits() && breaker.admits() && !breaker.is_open());
    }

    #[test]
    fn neighbours_share_a_breaker_in_a_cluster() {
        // The expected slots are replies of a real server to `CLUSTER KEYSLOT`.
        for (name, expected) in [("123456789", 12739), ("foo", 12182), ("tersely", 2160)] {
            assert_eq!(slot(name), expected, "{name}");
        }
        let (single, cluster) = (Breakers::new(1), Breakers::new(2));
        let same = |breakers: &Breakers, other| std::ptr::eq(breakers.of("foo"), breakers.of(other));
        assert!(same(&single, "tersely") && same(&cluster, "name 2") && !same(&cluster, "tersely"));
    }
}
