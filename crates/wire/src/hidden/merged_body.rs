//! Merges the rounds of a response, each of which arrives as one body, into the one body that the client gets.

use tersely_json::JsonNode;

use crate::hidden::tally::UsageTally;

/// The rounds so far.
pub(crate) struct MergedBody {
    pub(crate) tally: UsageTally,
    /// The number of rounds so far.
    pub(crate) rounds: usize,
    /// The id of the first body as JSON, if the provider's bodies have an id.
    pub(crate) id: Option<Vec<u8>>,
    /// The parts of all rounds that the client may see.
    pub(crate) shown: Vec<Vec<u8>>,
    /// True when the client has text to read or a call to answer.
    pub(crate) has_words: bool,
    /// The latest body.
    pub(crate) latest: Vec<u8>,
}

impl MergedBody {
    /// Starts before the first round, with an empty `tally`.
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
