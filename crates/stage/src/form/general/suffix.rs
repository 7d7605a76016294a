//! The suffixes of a row of symbols in order, and how much each shares with the one before: what repeats stands together.

/// The longest beginning that suffixes are compared by. What repeats for longer is found as one so long.
const LONGEST: usize = 256;

/// Suffixes in order.
pub(super) struct Suffixes {
    /// Where each begins.
    pub(super) order: Vec<u32>,
    /// How many symbols each shares with the one before it.
    pub(super) shared: Vec<u32>,
}

impl Suffixes {
    /// Sorts by doubling: what is in order by its first symbols is put in order by twice as many. Groups of one are done.
    pub(super) fn of(symbols: &[u32]) -> Self {
        let mut sorter = Sorter::new(symbols);
        let mut length = 1;
        while length < LONGEST && sorter.double(length) {
            length *= 2;
        }
        let shared = shared(symbols, &sorter.order);
        Self { order: sorter.order, shared }
    }
}

struct Sorter {
    order: Vec<u32>,
    /// Of each suffix, the place where its group ends.
    rank: Vec<u32>,
    /// Groups of more than one.
    groups: Vec<(u32, u32)>,
}

impl Sorter {
    fn new(symbols: &[u32]) -> Self {
        let most = symbols.iter().max().map_or(0, |most| *most as usize + 1);
        let mut starts = vec![0u32; most + 1];
        for symbol in symbols {
            starts[*symbol as usize + 1] += 1;
        }
        for symbol in 0..most {
            starts[symbol + 1] += starts[symbol];
        }
        let mut next = starts.clone();
        let mut order = vec![0; symbols.len()];
        let mut rank = vec![0; symbols.len()];
        for (at, symbol) in (0u32..).zip(symbols) {
            let place = &mut next[*symbol as usize];
            order[*place as usize] = at;
            *place += 1;
            rank[at as usize] = starts[*symbol as usize + 1];
        }
        let groups = starts.windows(2).map(|pair| (pair[0], pair[1])).filter(|(from, to)| to - from > 1);
        Self { order, rank, groups: groups.collect() }
    }

    /// Puts the groups in order by twice as many symbols; false when none is left.
    fn double(&mut self, length: usize) -> bool {
        let mut left = Vec::new();
        let mut ranks = Vec::new();
        for (from, to) in std::mem::take(&mut self.groups) {
            let group = &mut self.order[from as usize..to as usize];
            let key = |at: u32| self.rank.get(at as usize + length).copied().unwrap_or(0);
            group.sort_unstable_by_key(|at| (key(*at), *at));
            let mut start = 0;
            while start < group.len() {
                let first = key(group[start]);
                let same = group[start..].iter().take_while(|at| key(**at) == first).count();
                let end = from + (start + same) as u32;
                ranks.extend(group[start..start + same].iter().map(|at| (*at, end)));
                if same > 1 {
                    left.push((from + start as u32, end));
                }
                start += same;
            }
        }
        for (at, rank) in ranks {
            self.rank[at as usize] = rank;
        }
        self.groups = left;
        !self.groups.is_empty()
    }
}

/// How many symbols each suffix shares with the one before it in order.
fn shared(symbols: &[u32], order: &[u32]) -> Vec<u32> {
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
        let most = (symbols.len() - at.max(other)).min(LONGEST);
        while same < most && symbols[at + same] == symbols[other + same] {
            same += 1;
        }
        shared[place[at] as usize] = same as u32;
        // What follows shares one less, unless the order says nothing of what is behind the longest beginning.
        same = if same == LONGEST { 0 } else { same.saturating_sub(1) };
    }
    shared
}
