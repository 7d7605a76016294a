//! Totals over all requests so far.

use std::collections::{BTreeMap, HashSet};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use tersely_account::{ResultRecord, TokenChange};
use tersely_core::prompt::Stats;
use tersely_engine::{Fetch, Fetches, Report};

/// Tokens saved, by the stage that saved them.
pub type Stages = BTreeMap<&'static str, i64>;

/// Totals over all requests so far.
#[derive(Clone, Debug, Default, Eq, PartialEq)]
pub struct Totals {
    /// Requests answered with success. Only these count for the totals below.
    pub requests: u64,
    /// Failed requests, which the client may have sent again.
    pub failed: u64,
    /// Other requests, passed through unchanged: they could not be parsed, or compression was off.
    pub unread: u64,
    /// Tokens of whole requests, our own tool included.
    pub whole: TokenChange,
    /// Tokens of tool results, counted in each request that carries them.
    pub results: TokenChange,
    /// Tokens of tool results, counted once when they are new.
    pub fresh: TokenChange,
    /// Tokens of our own tool, in each request that carries it.
    pub tool: usize,
    /// Results or whole requests passed through unchanged because of a fault of ours.
    pub faults: u64,
    /// Tokens saved by each stage; negative if a stage prepared the text for another.
    pub stages: Stages,
    /// What models fetched back, by the stage that had omitted it.
    pub fetched: Fetches,
    /// The cost of reading in extra rounds, in tokens at full price.
    pub rounds: u64,
    /// Statistics of JSON in user prompts.
    pub prompts: Stats,
    /// Requests among these that were sent unchanged (observe mode or holdout).
    pub untouched: u64,
    /// Tokens that those would have had; included in no other total.
    pub would: TokenChange,
    /// Calls of a compressor and their token cost, including those for failed requests.
    pub compressors: Fetch,
}

/// Capacity of each of the two generations of known results.
const RESULTS: usize = 1 << 17;

/// The running totals.
#[derive(Debug, Default)]
pub(crate) struct TotalSums(Mutex<(Totals, Seen)>);

/// The ids of results already sent, in a recent and an older generation.
#[derive(Debug, Default)]
struct Seen {
    new: HashSet<u64>,
    old: HashSet<u64>,
}

impl TotalSums {
    /// Adds a successful request of a client; returns those of its results that were not sent before.
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

    /// Adds a failed request.
    pub(crate) fn fail(&self) {
        self.now().0.failed += 1;
    }

    /// Adds a request passed through unchanged because of a fault of ours.
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

    /// Adds the cost of a compressor.
    pub(crate) fn compress(&self, calls: u64, tokens: u64) {
        let sum = &mut self.now().0.compressors;
        sum.calls += calls;
        sum.tokens = sum.tokens.saturating_add(tokens);
    }

    /// A snapshot of the totals.
    pub(crate) fn totals(&self) -> Totals {
        self.now().0.clone()
    }

    /// Locks the totals; they stay valid if another thread panics.
    fn now(&self) -> MutexGuard<'_, (Totals, Seen)> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Seen {
    /// True the first time a result is sent. It is then remembered, and for longer if it is sent again.
    fn is_new(&mut self, name: u64) -> bool {
        if self.new.len() >= RESULTS {
            self.old = std::mem::take(&mut self.new);
        }
        self.new.insert(name) && !self.old.contains(&name)
    }
}
