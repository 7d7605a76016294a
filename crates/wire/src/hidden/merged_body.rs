//! Merges the rounds of a response that comes as whole bodies into the one body that the client gets.

use tersely_json::JsonNode;

use crate::hidden::tally::UsageTally;

/// The rounds so far.
pub(crate) struct MergedBody {
    pub(crate) tally: UsageTally,
    /// How many rounds there were.
    pub(crate) rounds: usize,
    /// The id of the first body as JSON, where bodies have one.
    pub(crate) id: Option<Vec<u8>>,
    /// The parts of all rounds that the client gets to see.
    pub(crate) shown: Vec<Vec<u8>>,
    /// The client has something to read or a call to answer.
    pub(crate) has_words: bool,
    /// The latest body.
    pub(crate) latest: Vec<u8>,
}

impl MergedBody {
    /// No rounds; `tally` has all counts at zero.
    pub(crate) fn new(tally: UsageTally) -> Self {
        Self { tally, rounds: 0, id: None, shown: Vec::new(), has_words: false, latest: Vec::new() }
    }

    /// Counts a round whose body has this usage and this id.
    pub(crate) fn count(&mut self, usage: Option<&JsonNode<'_>>, id: Option<&JsonNode<'_>>) {
        if let Some(usage) = usage {
            self.tally.record(usage);
        }
        self.tally.end_round();
        self.rounds += 1;
        self.id = self.id.take().or(id.map(|id| id.bytes().to_vec()));
    }
}
