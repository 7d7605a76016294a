//! Sorts the suffixes of a sequence of symbols, so that repeated ranges become neighbours, and computes their common
//! prefixes.

/// Maximum symbols by which suffixes are compared. A longer repetition is found as one of this length.
const MAX_COMPARED: usize = 256;

/// A suffix array.
pub(super) struct Suffixes {
    /// The starts of the suffixes, in sorted order.
    pub(super) order: Vec<u32>,
    /// The number of symbols that each shares with the one before it.
    pub(super) shared: Vec<u32>,
}

impl Suffixes {
    /// Prefix doubling: suffixes sorted by their first symbols are then sorted by twice as many. Groups of one are
    /// done.
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
    /// For each suffix, the end of its group.
    rank: Vec<u32>,
    /// Groups of more than one.
    groups: Vec<(u32, u32)>,
}

impl Sorter {
    /// Suffixes sorted by their first two symbols.
    fn new(symbols: &[u32]) -> Self {
        let starts = starts(symbols);
        let by_first = sort_by_first(symbols, &starts, 0..symbols.len() as u32);
        // Inducing: a suffix precedes those with the same first symbol if its rest precedes theirs.
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

    /// Sorts the groups by twice as many symbols; false when none is left.
    fn double(&mut self, length: usize) -> bool {
        let mut left = Vec::new();
        let mut ranks = Vec::new();
        // The sort key in the high bits, the suffix in the low bits: sorted as one number.
        let mut keyed: Vec<u64> = Vec::new();
        for (from, to) in std::mem::take(&mut self.groups) {
            let group = &mut self.order[from as usize..to as usize];
            let key = |at: u32| u64::from(self.rank.get(at as usize + length).copied().unwrap_or(0));
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

/// For each symbol, where the suffixes that begin with it start in sorted order.
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

/// Suffixes sorted by their first symbol, stably.
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

/// The number of symbols that each suffix shares with the one before it in sorted order.
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
        // The next suffix shares one less, unless the comparison was cut off.
        same = if same == MAX_COMPARED { 0 } else { same.saturating_sub(1) };
    }
    shared
}
