//! Counts the tokens of whole bodies exactly, part by part.
//!
//! A conversation sends nearly all of its body again with every request. The hash and the count of each part are
//! remembered, so that only new parts are counted. This saves time and does not change any count.

use std::collections::HashMap;
use std::hash::{BuildHasher, RandomState};
use std::sync::{Mutex, MutexGuard, PoisonError};

use tersely_core::tokens::{O200k, difference, parts};

use crate::parallel::each_text;

/// The maximum number of parts in one generation. Two generations are remembered.
const MAX_PARTS: usize = 1 << 15;

/// Token counts of the parts of bodies.
#[derive(Default)]
pub(crate) struct BodyTokens {
    state: RandomState,
    counts: Mutex<PartCounts>,
}

/// Token counts by hash: one generation of recently used parts, and one of older parts.
#[derive(Default)]
struct PartCounts {
    new: HashMap<u64, usize>,
    old: HashMap<u64, usize>,
}

impl BodyTokens {
    /// The number of tokens in a body. Clients do not share counts.
    pub(crate) fn count(&self, whose: &[u8], body: &[u8]) -> usize {
        let text = String::from_utf8_lossy(body);
        let parts: Vec<_> = parts(&text).map(|part| (self.state.hash_one((whose, part)), part)).collect();
        let known: Vec<_> = {
            let mut counts = self.counts();
            parts.iter().map(|(key, _)| counts.find(*key)).collect()
        };
        let sum: usize = known.iter().flatten().sum();
        let new = parts.into_iter().zip(known).filter(|(_, cost)| cost.is_none());
        let (keys, new): (Vec<_>, Vec<_>) = new.map(|(part, _)| part).unzip();
        let counted = each_text(&new, |part| O200k.count(part));
        let mut counts = self.counts();
        let counted = keys.into_iter().zip(new).zip(counted).map(|((key, part), cost)| {
            let cost = cost.unwrap_or_else(|| O200k.count(part));
            counts.keep(key, cost);
            cost
        });
        sum + counted.sum::<usize>()
    }

    fn counts(&self) -> MutexGuard<'_, PartCounts> {
        self.counts.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl PartCounts {
    /// The number of tokens in a part, if it is remembered. Looking it up makes it stay longer.
    fn find(&mut self, key: u64) -> Option<usize> {
        let cost = self.new.get(&key).or_else(|| self.old.get(&key)).copied()?;
        self.keep(key, cost);
        Some(cost)
    }

    fn keep(&mut self, key: u64, cost: usize) {
        if self.new.len() >= MAX_PARTS {
            self.old = std::mem::take(&mut self.new);
        }
        self.new.insert(key, cost);
    }
}

/// The number of tokens that `after` has more than `before`, a body that differs in one place.
pub(crate) fn added_tokens(before: &[u8], after: &[u8]) -> usize {
    let [before, after] = [before, after].map(String::from_utf8_lossy);
    let (before, after) = difference(&before, &after);
    O200k.count(after).saturating_sub(O200k.count(before))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn count(body: &[u8]) -> usize {
        O200k.count(&String::from_utf8_lossy(body))
    }

    #[test]
    fn a_body_costs_the_same_however_often_it_was_seen() {
        let scale = BodyTokens::default();
        let line = |n: usize| format!(r#"{{"role":"user","content":"step {n} is done, it's fine"}},"#);
        let mut body = String::new();
        for n in 0..400 {
            body.push_str(&line(n));
            if n % 40 == 0 {
                assert_eq!(scale.count(b"a", body.as_bytes()), count(body.as_bytes()));
            }
        }
        assert_eq!(scale.count(b"b", b"\xff\xfe{}"), count(b"\xff\xfe{}"));
        let known = scale.counts().new.len();
        assert_eq!(scale.count(b"a", body.as_bytes()), count(body.as_bytes()));
        assert!(scale.counts().new.len() > known, "the last lines were not seen before");
    }

    #[test]
    fn what_is_not_met_again_is_forgotten() {
        let mut known = PartCounts::default();
        for key in 0..3 * MAX_PARTS as u64 {
            known.keep(key, 1);
            assert_eq!(known.find(7), (key >= 7).then_some(1), "{key}");
        }
        assert!(known.new.len() + known.old.len() <= 2 * MAX_PARTS);
        assert_eq!(known.find(8), None);
    }
}
