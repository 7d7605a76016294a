//! Sorts the suffixes of a sequence of symbols, so that repeated ranges become neighbours, and computes the common
//! prefixes of neighbours.

use std::cmp::Ordering;

/// The maximum number of symbols compared. A longer repetition is found as a repetition of this length.
const MAX_COMPARED: usize = 256;

/// A suffix array.
pub(super) struct Suffixes {
    /// The start of each suffix, in sorted order.
    pub(super) order: Vec<u32>,
    /// For each suffix in sorted order, the number of leading symbols that it shares with the suffix before it.
    pub(super) shared: Vec<u32>,
}

impl Suffixes {
    /// Sorts by prefix doubling: suffixes that are sorted by their first symbols are sorted again by twice as many
    /// symbols. A group that consists of a single suffix needs no further sorting.
    pub(super) fn of(symbols: &[u32]) -> Self {
        let mut sorter = Sorter::new(symbols);
        let mut length = 2;
        while length < MAX_COMPARED && sorter.double(length) {
            length *= 2;
        }
        let shared = common_prefixes(symbols, &sorter.order);
        Self { order: sorter.order, shared }
    }
}

struct Sorter {
    order: Vec<u32>,
    /// For each suffix, the end of its group in sorted order.
    rank: Vec<u32>,
    /// The groups that contain more than one suffix.
    groups: Vec<(u32, u32)>,
}

impl Sorter {
    /// Sorts the suffixes by their first two symbols.
    fn new(symbols: &[u32]) -> Self {
        let starts = starts(symbols);
        let by_first = sort_by_first(symbols, &starts, 0..symbols.len() as u32);
        // Of suffixes with the same first symbol, the one whose remainder sorts first comes first.
        let last = symbols.len().checked_sub(1).map(|last| last as u32);
        let before = by_first.iter().filter_map(|at| at.checked_sub(1));
        let order = sort_by_first(symbols, &starts, last.into_iter().chain(before));
        let (mut groups, mut rank) = (Vec::new(), vec![0; symbols.len()]);
        let key = |at: u32| (symbols[at as usize], symbols.get(at as usize + 1));
        let mut from = 0;
        for same in order.chunk_by(|one, two| key(*one) == key(*two)) {
            let to = from + same.len() as u32;
            for at in same {
                rank[*at as usize] = to;
            }
            if same.len() > 1 {
                groups.push((from, to));
            }
            from = to;
        }
        Self { order, rank, groups }
    }

    /// Sorts the groups by twice as many symbols. Returns false when no group is left to sort.
    fn double(&mut self, length: usize) -> bool {
        let mut left = Vec::new();
        let mut ranks = Vec::new();
        // Each number contains the sort key in its high bits and the suffix in its low bits.
        let mut keyed: Vec<u64> = Vec::new();
        for (from, to) in std::mem::take(&mut self.groups) {
            let group = &mut self.order[from as usize..to as usize];
            let key = |at: u32| u64::from(self.rank.get(at as usize + length).copied().unwrap_or(0));
            if let [one, two] = group {
                // Most groups are pairs, which need no sort.
                match key(*one).cmp(&key(*two)) {
                    Ordering::Equal => {
                        if one > two {
                            std::mem::swap(one, two);
                        }
                        left.push((from, to));
                        continue;
                    }
                    Ordering::Greater => std::mem::swap(one, two),
                    Ordering::Less => {}
                }
                ranks.push((*one, from + 1));
                continue;
            }
            keyed.clear();
            keyed.extend(group.iter().map(|at| key(*at) << 32 | u64::from(*at)));
            keyed.sort_unstable();
            let mut at = from;
            for same in keyed.chunk_by(|one, two| one >> 32 == two >> 32) {
                let end = at + same.len() as u32;
                for (place, suffix) in group[(at - from) as usize..].iter_mut().zip(same) {
                    *place = *suffix as u32;
                    ranks.push((*suffix as u32, end));
                }
                if same.len() > 1 {
                    left.push((at, end));
                }
                at = end;
            }
        }
        for (at, rank) in ranks {
            self.rank[at as usize] = rank;
        }
        self.groups = left;
        !self.groups.is_empty()
    }
}

/// For each symbol, the position in sorted order of the first suffix that begins with it.
fn starts(symbols: &[u32]) -> Vec<u32> {
    let most = symbols.iter().max().map_or(0, |most| *most as usize + 1);
    let mut starts = vec![0; most + 1];
    for symbol in symbols {
        starts[*symbol as usize + 1] += 1;
    }
    for symbol in 0..most {
        starts[symbol + 1] += starts[symbol];
    }
    starts
}

/// Sorts suffixes by their first symbol. The sort is stable.
fn sort_by_first(symbols: &[u32], starts: &[u32], suffixes: impl Iterator<Item = u32>) -> Vec<u32> {
    let mut next = starts.to_vec();
    let mut order = vec![0; symbols.len()];
    for at in suffixes {
        let place = &mut next[symbols[at as usize] as usize];
        order[*place as usize] = at;
        *place += 1;
    }
    order
}

/// For each suffix in sorted order, the number of leading symbols that it shares with the suffix before it.
fn common_prefixes(symbols: &[u32], order: &[u32]) -> Vec<u32> {
    let mut place = vec![0u32; order.len()];
    for (at, suffix) in (0u32..).zip(order) {
        place[*suffix as usize] = at;
    }
    let mut shared = vec![0u32; order.len()];
    let mut same = 0;
    for at in 0..symbols.len() {
        let Some(before) = (place[at] as usize).checked_sub(1) else {
            same = 0;
            continue;
        };
        let other = order[before] as usize;
        let most = (symbols.len() - at.max(other)).min(MAX_COMPARED);
        while same < most && symbols[at + same] == symbols[other + same] {
            same += 1;
        }
        shared[place[at] as usize] = same as u32;
        // The next suffix shares at least `same - 1` symbols with the one before it, unless the comparison was cut off.
        same = if same == MAX_COMPARED { 0 } else { same.saturating_sub(1) };
    }
    shared
}

#[cfg(test)]
mod tests {
    use tersely_testing::generate::Choices;

    use super::*;

    /// The order by the symbols that are compared, then by place.
    fn naive(symbols: &[u32]) -> Vec<u32> {
        let key = |at: u32| &symbols[at as usize..symbols.len().min(at as usize + MAX_COMPARED)];
        let mut order: Vec<u32> = (0..symbols.len() as u32).collect();
        order.sort_by(|one, two| key(*one).cmp(key(*two)).then(one.cmp(two)));
        order
    }

    fn check(symbols: &[u32]) {
        let Suffixes { order, shared } = Suffixes::of(symbols);
        assert_eq!(order, naive(symbols), "{symbols:?}");
        let common = |one: u32, two: u32| {
            let pairs = symbols[one as usize..].iter().zip(&symbols[two as usize..]);
            pairs.take(MAX_COMPARED).take_while(|(one, two)| one == two).count() as u32
        };
        let expected: Vec<u32> = order.windows(2).map(|pair| common(pair[0], pair[1])).collect();
        assert_eq!(shared.get(1..).unwrap_or_default(), expected, "{symbols:?}");
        assert!(shared.first().is_none_or(|first| *first == 0));
    }

    #[test]
    fn suffixes_are_in_the_order_of_a_plain_sort() {
        check(&[]);
        for seed in 0..1500_u64 {
            let seed = &mut { seed };
            let (count, kinds) = (seed.pick(60), 1 + seed.pick(5));
            check(&(0..count).map(|_| seed.pick(kinds) as u32).collect::<Vec<_>>());
        }
    }

    /// Repetitions that are longer than what is compared.
    #[test]
    fn long_repetitions_are_compared_as_far_as_the_limit() {
        for period in [1, 2, 7, 255, 256, 257] {
            check(&(0..600_u32).map(|at| at % period).collect::<Vec<_>>());
            check(&(0..600_u32).map(|at| if at == 300 { 999 } else { at % period }).collect::<Vec<_>>());
        }
    }
}
