//! Totals over all requests so far.

use std::collections::{BTreeMap, HashSet};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use tersely_account::{RemoteSums, ResultRecord, TokenChange};
use tersely_core::prompt::Stats;
use tersely_engine::{Fetch, Fetches, Report};

/// Tokens saved by each stage.
pub type Stages = BTreeMap<&'static str, i64>;

/// Totals over all requests so far.
#[derive(Clone, Debug, Default, Eq, PartialEq)]
pub struct Totals {
    /// Requests with a successful response. Only these count towards the totals below.
    pub requests: u64,
    /// Failed requests, which the client may have sent again.
    pub failed: u64,
    /// Other requests that were forwarded unchanged, because they could not be parsed or compression was off.
    pub unread: u64,
    /// Tokens of whole requests, including our own tool.
    pub whole: TokenChange,
    /// Tokens of tool results, counted in every request that contains them.
    pub results: TokenChange,
    /// Tokens of tool results, counted only the first time that each result is sent.
    pub fresh: TokenChange,
    /// Tokens of our own tool, counted in every request that contains it.
    pub tool: usize,
    /// Results or whole requests that were forwarded unchanged because of an error of ours.
    pub faults: u64,
    /// Tokens saved by each stage; the number is negative if a stage made the text longer to prepare it for another.
    pub stages: Stages,
    /// Texts that models fetched back, by the stage that omitted them.
    pub fetched: Fetches,
    /// The cost of the input in further rounds, in tokens at full price.
    pub rounds: u64,
    /// Statistics of JSON in user prompts.
    pub prompts: Stats,
    /// Counted requests that were sent unchanged, in observe mode or as a holdout.
    pub untouched: u64,
    /// Tokens that those requests would have had; not included in any other total.
    pub would: TokenChange,
    /// Calls of remote compressors and their token cost, including calls for failed requests.
    pub compressors: Fetch,
    /// What became of the results that remote compressors were to shorten.
    pub remote: RemoteSums,
}

/// The maximum number of results in each of the two generations of known results.
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
    /// Adds a successful request of a client; returns the results in it that were not sent before.
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

    /// Adds a request that was forwarded unchanged because of an error of ours.
    pub(crate) fn miss(&self) {
        let (totals, _) = &mut *self.now();
        totals.unread += 1;
        totals.faults += 1;
    }

    /// Adds the texts that a model fetched back, and the cost of the further rounds.
    pub(crate) fn fetch(&self, fetched: &Fetches, rounds: u64) {
        let (totals, _) = &mut *self.now();
        totals.rounds += rounds;
        for (stage, fetch) in fetched {
            let sum = totals.fetched.entry(stage).or_default();
            sum.calls += fetch.calls;
            sum.tokens += fetch.tokens;
        }
    }

    /// Adds calls of a compressor and their cost.
    pub(crate) fn compress(&self, calls: u64, tokens: u64, outcomes: RemoteSums) {
        let totals = &mut self.now().0;
        totals.remote += outcomes;
        let sum = &mut totals.compressors;
        sum.calls += calls;
        sum.tokens = sum.tokens.saturating_add(tokens);
    }

    /// A snapshot of the totals.
    pub(crate) fn totals(&self) -> Totals {
        self.now().0.clone()
    }

    /// Locks the totals. They are valid even if another thread has panicked.
    fn now(&self) -> MutexGuard<'_, (Totals, Seen)> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Seen {
    /// True if a result is sent for the first time. The result is then remembered, and for longer if it is sent again.
    fn is_new(&mut self, name: u64) -> bool {
        if self.new.len() >= RESULTS {
            self.old = std::mem::take(&mut self.new);
        }
        self.new.insert(name) && !self.old.contains(&name)
    }
}
