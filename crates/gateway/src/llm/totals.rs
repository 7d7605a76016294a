//! What all requests so far came to.

use std::collections::{BTreeMap, HashSet};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use tersely_account::{ResultRecord, TokenChange};
use tersely_core::prompt::Stats;
use tersely_engine::{Fetch, Fetches, Report};

/// Tokens saved, by the stage that saved them.
pub type Stages = BTreeMap<&'static str, i64>;

/// What all requests so far came to.
#[derive(Clone, Debug, Default, Eq, PartialEq)]
pub struct Totals {
    /// Requests that were answered with success. Only these count for anything below.
    pub requests: u64,
    /// Requests that were not, which may well have been sent again.
    pub failed: u64,
    /// Requests beside these that went on as they came: nobody could look at them, or was asked to.
    pub unread: u64,
    /// Tokens of whole requests, our own tool included.
    pub whole: TokenChange,
    /// Tokens of tool results, in each request that they were sent with.
    pub results: TokenChange,
    /// Tokens of tool results, each counted when it was first sent.
    pub fresh: TokenChange,
    /// Tokens of our own tool, in each request that it was sent with.
    pub tool: usize,
    /// Results or whole requests that went on as they came because we could not do better.
    pub faults: u64,
    /// What each stage saved of it; less than nothing where one made room for another.
    pub stages: Stages,
    /// What models fetched back of what was left out, by the stage that had left it out.
    pub fetched: Fetches,
    /// What the further rounds cost to read, in tokens at full price.
    pub rounds: u64,
    /// What was done with JSON in the texts of users.
    pub prompts: Stats,
    /// How many of the requests were sent as they came, because what was made of them is only told.
    pub untouched: u64,
    /// Tokens that those would have had otherwise; in no other number here.
    pub would: TokenChange,
    /// Calls of a compressor, and the tokens that they cost, those for requests that failed too.
    pub compressors: Fetch,
}

/// Results that are known to have been sent, at the least, and half of those at the most.
const RESULTS: usize = 1 << 17;

/// The sums, as they grow.
#[derive(Debug, Default)]
pub(crate) struct TotalSums(Mutex<(Totals, Seen)>);

/// The names of results that were sent: lately, and before that.
#[derive(Debug, Default)]
struct Seen {
    new: HashSet<u64>,
    old: HashSet<u64>,
}

impl TotalSums {
    /// Adds a request of some client that was answered with success; gives those of its results that were not sent before.
    pub(crate) fn add(&self, sender: u64, report: &Report) -> Vec<Arc<ResultRecord>> {
        let (totals, seen) = &mut *self.now();
        let record = &report.record;
        let Some(whole) = record.request_tokens else {
            totals.unread += 1;
            return Vec::new();
        };
        totals.requests += 1;
        totals.faults += u64::try_from(record.faults).unwrap_or(u64::MAX);
        totals.tool += record.tool_tokens;
        totals.whole += whole;
        totals.prompts += report.prompts;
        if let Some(would) = &record.would {
            totals.untouched += 1;
            totals.would += would.total_tokens();
        }
        totals.results += record.result_tokens;
        for saving in &record.stages {
            *totals.stages.entry(saving.stage).or_default() += saving.saved;
        }
        let is_new = |note: &&Arc<ResultRecord>| seen.is_new(note.id ^ sender);
        let fresh: Vec<_> = record.results.iter().filter(is_new).cloned().collect();
        for note in &fresh {
            totals.fresh += note.tokens;
        }
        fresh
    }

    /// Adds a request that was not.
    pub(crate) fn fail(&self) {
        self.now().0.failed += 1;
    }

    /// Adds a request that went on as it came because we could not do better.
    pub(crate) fn miss(&self) {
        let (totals, _) = &mut *self.now();
        totals.unread += 1;
        totals.faults += 1;
    }

    /// Adds what a model fetched back.
    pub(crate) fn fetch(&self, fetched: &Fetches, rounds: u64) {
        let (totals, _) = &mut *self.now();
        totals.rounds += rounds;
        for (stage, fetch) in fetched {
            let sum = totals.fetched.entry(stage).or_default();
            sum.calls += fetch.calls;
            sum.tokens += fetch.tokens;
        }
    }

    /// Adds what a compressor cost.
    pub(crate) fn compress(&self, calls: u64, tokens: u64) {
        let sum = &mut self.now().0.compressors;
        sum.calls += calls;
        sum.tokens = sum.tokens.saturating_add(tokens);
    }

    /// All sums as they are now.
    pub(crate) fn totals(&self) -> Totals {
        self.now().0.clone()
    }

    /// Sums as they are now; they stay right when someone panics beside them.
    fn now(&self) -> MutexGuard<'_, (Totals, Seen)> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Seen {
    /// True the first time that a result is sent; it is then known, and for longer the later it is sent again.
    fn is_new(&mut self, name: u64) -> bool {
        if self.new.len() >= RESULTS {
            self.old = std::mem::take(&mut self.new);
        }
        self.new.insert(name) && !self.old.contains(&name)
    }
}
