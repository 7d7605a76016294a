//! Selects repeated ranges greedily: the range that saves most comes first.

use std::cmp::Ordering;
use std::collections::BinaryHeap;
use std::ops::Range;

use crate::form::general::cost::Cost;
use crate::form::general::suffix::Suffixes;

/// Rules that decide which ranges may be replaced, and what they cost.
pub(super) trait Rules {
    /// The best part of a range that may be replaced, if there is one.
    fn best_part(&self, range: Range<usize>) -> Option<Range<usize>>;

    /// True when the symbols in this range may be replaced at this place.
    fn fits(&self, range: Range<usize>) -> bool;

    /// The cost of a range that is not replaced.
    fn cost(&self, range: Range<usize>) -> Cost;

    /// For a range of this cost, the saving at each place and the cost of the definition.
    fn price(&self, cost: Cost) -> (Cost, Cost);
}

/// A selected range and the places where it occurs.
pub(super) struct Selection {
    pub(super) length: usize,
    pub(super) places: Vec<usize>,
}

/// Limits of a selection.
pub(super) struct Bounds {
    /// The maximum number of ranges selected.
    pub(super) max_count: usize,
    /// The minimum saving of each selected range.
    pub(super) min_gain: Cost,
}

/// The number of times that all symbols may be scanned again during a selection.
const MAX_SCANS: usize = 24;

/// Selects ranges among all repeated ranges of `symbols`.
pub(super) fn choose(symbols: &[u32], rules: &impl Rules, bounds: &Bounds) -> Vec<Selection> {
    let suffixes = Suffixes::of(symbols);
    let mut heap: BinaryHeap<_> = candidates(&suffixes, rules, bounds).into();
    let mut taken = vec![false; symbols.len()];
    let mut chosen = Vec::new();
    let mut looks = symbols.len() * MAX_SCANS;
    while let Some(candidate) = heap.pop() {
        let Some(left) = looks.checked_sub(candidate.count) else { break };
        looks = left;
        let (gain, places) = candidate.remaining_gain(&suffixes, rules, &taken);
        if places.len() < 2 || gain < bounds.min_gain {
            continue;
        }
        if heap.peek().is_some_and(|next| next.gain > gain) {
            heap.push(Candidate { gain, ..candidate });
            continue;
        }
        for place in &places {
            taken[*place..place + candidate.length].fill(true);
        }
        chosen.push(Selection { length: candidate.length, places });
        if chosen.len() == bounds.max_count {
            break;
        }
    }
    chosen
}

/// A repeated range. It occurs in each of `count` adjacent suffixes in sorted order.
#[derive(PartialEq, Eq)]
struct Candidate {
    /// The saving if no other range is selected.
    gain: Cost,
    first: usize,
    count: usize,
    /// The offset of the range in each suffix, and its length.
    skip: usize,
    length: usize,
}

impl Ord for Candidate {
    /// Compares by gain; of two candidates with equal gains, the one found first is greater.
    fn cmp(&self, other: &Self) -> Ordering {
        let rank = |it: &Self| (it.gain, std::cmp::Reverse((it.first, it.skip, it.length)));
        rank(self).cmp(&rank(other))
    }
}

impl PartialOrd for Candidate {
    fn partial_cmp(&self, other: &Self) -> Option<Ordering> {
        Some(self.cmp(other))
    }
}

impl Candidate {
    /// The saving at the places that are still free, and those places.
    fn remaining_gain(&self, suffixes: &Suffixes, rules: &impl Rules, taken: &[bool]) -> (Cost, Vec<usize>) {
        let starts = &suffixes.order[self.first..self.first + self.count];
        let mut places: Vec<_> = starts.iter().map(|start| *start as usize + self.skip).collect();
        places.sort_unstable();
        let mut end = 0;
        places.retain(|place| {
            let range = *place..place + self.length;
            let free = *place >= end && !taken[range.clone()].iter().any(|taken| *taken) && rules.fits(range);
            if free {
                end = place + self.length;
            }
            free
        });
        let gain = self.gain_of(rules, &places);
        (gain, places)
    }

    fn gain_of(&self, rules: &impl Rules, places: &[usize]) -> Cost {
        let Some(first) = places.first() else { return 0 };
        let (saved, paid) = rules.price(rules.cost(*first..first + self.length));
        saved * places.len() as Cost - paid
    }
}

/// Finds every range of adjacent suffixes whose common prefix is longer than the one they share with their neighbours.
fn candidates(suffixes: &Suffixes, rules: &impl Rules, bounds: &Bounds) -> Vec<Candidate> {
    let mut found = Vec::new();
    let mut open: Vec<(u32, usize)> = Vec::new();
    let ends = suffixes.shared.iter().copied().chain([0]).enumerate().skip(1);
    for (at, shared) in ends {
        let mut start = at - 1;
        while let Some((length, first)) = open.pop_if(|(length, _)| *length > shared) {
            found.extend(candidate(suffixes, rules, bounds, (first..at, length as usize)));
            start = first;
        }
        if shared > 0 && open.last().is_none_or(|(length, _)| *length < shared) {
            open.push((shared, start));
        }
    }
    found
}

fn candidate(
    suffixes: &Suffixes,
    rules: &impl Rules,
    bounds: &Bounds,
    (range, length): (Range<usize>, usize),
) -> Option<Candidate> {
    let start = suffixes.order[range.start] as usize;
    let gain = |part: Range<usize>| {
        let (saved, paid) = rules.price(rules.cost(part));
        Some(saved * range.len() as Cost - paid).filter(|gain| *gain >= bounds.min_gain)
    };
    // The saving of the whole range is an upper bound for the savings of its parts.
    gain(start..start + length)?;
    let shaped = rules.best_part(start..start + length)?;
    let gain = gain(shaped.clone())?;
    let skip = shaped.start - start;
    Some(Candidate { gain, first: range.start, count: range.len(), skip, length: shaped.len() })
}
