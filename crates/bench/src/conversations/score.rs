//! Adds up what transcripts came to, and says whether the laws hold.

use std::collections::BTreeMap;

use tersely_terminal::share::Share;

use super::bill::PromptCache;
use super::quote::Quotes;
use super::replay::Replay;

/// What all transcripts came to.
pub(crate) struct ReplayScore {
    pub rows: Vec<TranscriptScore>,
    /// Files that are no transcripts.
    pub skipped: Vec<String>,
}

/// What one transcript came to, each way.
pub(crate) struct TranscriptScore {
    pub name: String,
    pub cache: PromptCache,
    pub turns: usize,
    pub ways: [Replay; 3],
}

/// Tokens of tool results, or twentieths of tokens on a bill: direct, exact only, standard.
pub(crate) type WaySums = [usize; 3];

/// What one of the ways saves against the first.
pub(crate) fn saved(sums: WaySums, way: usize) -> Share {
    Share::saved(sums[0], sums[way])
}

impl TranscriptScore {
    /// Tokens of tool results, each way.
    pub(crate) fn tokens(&self) -> WaySums {
        let [_, exact, standard] = &self.ways;
        [exact.report.before, exact.report.after, standard.report.after]
    }

    /// What a cache makes of it, each way.
    pub(crate) fn bill(&self, cache: PromptCache) -> WaySums {
        let at = PromptCache::ALL.iter().position(|known| *known == cache).unwrap_or_default();
        [0, 1, 2].map(|way| self.ways[way].bills[at])
    }

    /// True when a way costs more than direct in the cache of its own provider.
    pub(crate) fn is_dearer(&self) -> bool {
        let [direct, exact, standard] = self.bill(self.cache);
        exact.max(standard) > direct
    }

    /// Parts of requests that were sent otherwise than the turn before.
    pub(crate) fn changed(&self) -> usize {
        self.ways.iter().map(|way| way.changed).sum()
    }
}

impl ReplayScore {
    /// Tokens of all tool results.
    pub(crate) fn tokens(&self) -> WaySums {
        self.sum(TranscriptScore::tokens)
    }

    /// The bill of all transcripts, in one cache or else each in its own.
    pub(crate) fn bill(&self, cache: Option<PromptCache>) -> WaySums {
        self.sum(|row| row.bill(cache.unwrap_or(row.cache)))
    }

    fn sum(&self, of: impl Fn(&TranscriptScore) -> WaySums) -> WaySums {
        let add = |sums: WaySums, more: WaySums| [0, 1, 2].map(|way| sums[way] + more[way]);
        self.rows.iter().map(of).fold([0; 3], add)
    }

    /// The middle of what a way saves, transcript by transcript.
    pub(crate) fn median(&self, of: impl Fn(&TranscriptScore) -> WaySums, way: usize) -> Share {
        Share::median(self.rows.iter().map(|row| saved(of(row), way)).collect())
    }

    /// Tokens that every stage saved, exact only and standard, the most saving first.
    pub(crate) fn stages(&self) -> Vec<(&'static str, [i64; 2])> {
        let mut stages: BTreeMap<&'static str, [i64; 2]> = BTreeMap::new();
        for row in &self.rows {
            for (at, way) in row.ways[1..].iter().enumerate() {
                for saving in &way.report.stages {
                    stages.entry(saving.stage).or_default()[at] += saving.saved;
                }
            }
        }
        let mut stages: Vec<_> = stages.into_iter().collect();
        stages.sort_by_key(|&(_, [_, standard])| std::cmp::Reverse(standard));
        stages
    }

    /// What later edits could still quote, one way.
    pub(crate) fn quotes(&self, way: usize) -> Quotes {
        self.rows.iter().map(|row| row.ways[way].quotes).fold(Quotes::default(), Quotes::and)
    }

    /// Transcripts that cost more than direct.
    pub(crate) fn dearer(&self) -> Vec<&str> {
        self.named(TranscriptScore::is_dearer)
    }

    /// Transcripts in which something changed after it was sent.
    pub(crate) fn changed(&self) -> Vec<&str> {
        self.named(|row| row.changed() > 0)
    }

    fn named(&self, wanted: impl Fn(&TranscriptScore) -> bool) -> Vec<&str> {
        self.rows.iter().filter(|row| wanted(row)).map(|row| row.name.as_str()).collect()
    }

    /// True when no law is broken.
    pub(crate) fn is_lawful(&self) -> bool {
        let quotable = (1..=2).all(|way| self.quotes(way).is_lawful());
        self.dearer().is_empty() && self.changed().is_empty() && quotable
    }
}
