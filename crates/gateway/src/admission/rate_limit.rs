//! Limits the requests per second of a client or a tenant.
//!
//! Each sender has a token bucket for one second, stored as the time at which the bucket will be full again. The clock
//! is monotonic, and senders are stored as hashes that are keyed with a secret of this process.

use std::collections::HashMap;
use std::hash::{BuildHasher, RandomState};
use std::net::IpAddr;
use std::sync::{Mutex, PoisonError};
use std::time::{Duration, Instant};

/// The maximum number of senders to remember; beyond that, senders with full buckets are dropped first.
const MAX_SENDERS: usize = 16_384;

/// The time in which an empty bucket becomes full.
const BUCKET_PERIOD: Duration = Duration::from_secs(1);

/// The address that a request came from.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Peer(pub(crate) IpAddr);

impl Peer {
    /// Identifies a client by its IPv4 address, or by the IPv6 network that is assigned to a single client.
    pub(crate) fn key(self) -> [u8; 16] {
        match self.0.to_canonical() {
            IpAddr::V4(address) => address.to_ipv6_mapped().octets(),
            IpAddr::V6(address) => (u128::from(address) >> 64 << 64).to_be_bytes(),
        }
    }
}

/// The token buckets of all senders.
#[derive(Default)]
pub(crate) struct RateLimiter {
    hasher: RandomState,
    full_at: Mutex<HashMap<u64, Instant>>,
}

impl RateLimiter {
    /// True if the sender `who` may send another request now, at `rate` requests per second; a rate of 0 means
    /// unlimited.
    pub(crate) fn admit(&self, rate: usize, who: &[u8]) -> bool {
        rate == 0 || self.admit_at(Instant::now(), rate, who)
    }

    fn admit_at(&self, now: Instant, rate: usize, who: &[u8]) -> bool {
        let one = BUCKET_PERIOD / u32::try_from(rate).unwrap_or(u32::MAX);
        let key = self.hasher.hash_one(who);
        let mut full_at = self.full_at.lock().unwrap_or_else(PoisonError::into_inner);
        let full = full_at.get(&key).map_or(now, |full| (*full).max(now)) + one;
        // If the rate does not divide a second evenly, each request loses a fraction of a nanosecond to rounding.
        if full.duration_since(now) > BUCKET_PERIOD.max(one) {
            return false;
        }
        make_room(now, &mut full_at);
        full_at.insert(key, full);
        true
    }
}

/// Drops senders with full buckets, which lose nothing. If that is not enough, drops all senders, because choosing some
/// of them would take too long.
fn make_room(now: Instant, full_at: &mut HashMap<u64, Instant>) {
    if full_at.len() < MAX_SENDERS {
        return;
    }
    full_at.retain(|_, full| *full > now);
    if full_at.len() > MAX_SENDERS / 2 {
        full_at.clear();
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn at(start: Instant, millis: u64) -> Instant {
        start + Duration::from_millis(millis)
    }

    /// Behaviour 15.5.
    #[test]
    fn a_bucket_holds_a_second_and_fills_in_one() {
        let (rates, start) = (RateLimiter::default(), Instant::now());
        let sent = |millis: u64| (0..100).filter(|_| rates.admit_at(at(start, millis), 10, b"a")).count();
        assert_eq!((sent(0), sent(50), sent(100), sent(350), sent(9_000)), (10, 0, 1, 2, 10));
    }

    #[test]
    fn each_has_a_bucket_of_its_own() {
        let (rates, start) = (RateLimiter::default(), Instant::now());
        let admit = |millis: u64, who: &[u8]| rates.admit_at(at(start, millis), 1, who);
        assert!(admit(0, b"a") && admit(0, b"b") && !admit(0, b"a"));
        assert!(!admit(999, b"a") && admit(1_000, b"a"));
    }

    #[test]
    fn without_a_rate_nobody_is_remembered() {
        let rates = RateLimiter::default();
        assert!((0..1_000).all(|_| rates.admit(0, b"a")));
        assert!(rates.full_at.lock().unwrap().is_empty());
    }

    #[test]
    fn no_crowd_takes_more_room() {
        let (rates, start) = (RateLimiter::default(), Instant::now());
        for n in 0..3 * u32::try_from(MAX_SENDERS).unwrap() {
            assert!(rates.admit_at(start, 5, &n.to_be_bytes()));
            assert!(rates.full_at.lock().unwrap().len() <= MAX_SENDERS);
        }
    }

    #[test]
    fn a_client_is_known_by_its_network() {
        let key = |address: &str| Peer(address.parse().unwrap()).key();
        assert_eq!(key("192.0.2.1"), key("::ffff:192.0.2.1"));
        assert_ne!(key("192.0.2.1"), key("192.0.2.2"));
        assert_eq!(key("2001:db8::1"), key("2001:db8::ffff:1"));
        assert_ne!(key("2001:db8::1"), key("2001:db8:0:1::1"));
    }
}
