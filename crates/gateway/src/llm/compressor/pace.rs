//! A rate limit for calls of a compressor: a token bucket for one second.
//!
//! The bucket is stored as the time at which it will be full again. A call beyond the rate waits for its turn, or gives
//! up at once if its turn would come after the deadline.

use std::sync::{Mutex, PoisonError};
use std::time::Duration;

use tokio::time::{Instant, sleep_until};

/// The time in which an empty bucket becomes full.
const BUCKET_PERIOD: Duration = Duration::from_secs(1);

/// The rate limit.
pub(crate) struct Pace {
    /// The maximum number of calls per second; 0 means unlimited.
    rate: usize,
    full_at: Mutex<Option<Instant>>,
}

impl Pace {
    /// Creates a limit of this many calls per second; 0 means unlimited.
    pub(crate) fn new(rate: usize) -> Self {
        Self { rate, full_at: Mutex::default() }
    }

    /// Waits for a turn; returns `None` at once if the turn would come after the deadline.
    pub(crate) async fn turn(&self, deadline: Instant) -> Option<()> {
        let at = self.reserve(Instant::now(), deadline)?;
        sleep_until(at).await;
        Some(())
    }

    /// Reserves a turn and returns its time; `None` if it would come after the deadline.
    fn reserve(&self, now: Instant, deadline: Instant) -> Option<Instant> {
        let Some(rate) = u32::try_from(self.rate).ok().filter(|rate| *rate > 0) else { return Some(now) };
        let one = BUCKET_PERIOD / rate;
        let mut full_at = self.full_at.lock().unwrap_or_else(PoisonError::into_inner);
        let full = full_at.map_or(now, |full| full.max(now)) + one;
        // Calls beyond the capacity of the bucket, which is one second, must wait.
        let wait = full.duration_since(now).saturating_sub(BUCKET_PERIOD.max(one));
        let turn = now + wait;
        if turn > deadline {
            return None;
        }
        *full_at = Some(full);
        Some(turn)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn turns(pace: &Pace, now: Instant, patience: Duration) -> Vec<Duration> {
        let turn = || pace.reserve(now, now + patience).map(|turn| turn.duration_since(now));
        std::iter::from_fn(turn).take(100).collect()
    }

    /// Behaviour 15.3.
    #[test]
    fn a_second_holds_so_many_calls_and_the_others_wait_their_turn() {
        let (pace, start) = (Pace::new(20), Instant::now());
        let turns = turns(&pace, start, Duration::from_secs(2));
        assert_eq!(turns.len(), 60, "those whose turn comes too late take none");
        assert!(turns[..20].iter().all(Duration::is_zero));
        assert_eq!((turns[20], turns[59]), (Duration::from_millis(50), Duration::from_secs(2)));
        for from in 0..40 {
            let next = turns[from] + BUCKET_PERIOD;
            let within = turns[from..].iter().filter(|turn| **turn < next).count();
            assert!(within <= 40, "a full bucket and what fills it: {within}");
        }
    }

    #[test]
    fn a_bucket_that_was_left_alone_is_full_again() {
        let (pace, start) = (Pace::new(5), Instant::now());
        assert_eq!(turns(&pace, start, Duration::ZERO).len(), 5);
        assert_eq!(turns(&pace, start + Duration::from_millis(400), Duration::ZERO).len(), 2);
        assert_eq!(turns(&pace, start + Duration::from_mins(1), Duration::ZERO).len(), 5);
    }

    #[test]
    fn without_a_rate_nobody_waits() {
        let now = Instant::now();
        assert_eq!(turns(&Pace::new(0), now, Duration::ZERO), vec![Duration::ZERO; 100]);
    }
}
