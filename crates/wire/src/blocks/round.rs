//! The state of a streamed response of content blocks, over all its rounds.

use tersely_json::JsonNode;

use crate::blocks::kind::BlockKind;
use crate::blocks::numbers::BlockNumbers;
use crate::blocks::turn::{TurnBlock, TurnBlocks};
use crate::hidden::names::HiddenNames;
use crate::hidden::tally::UsageTally;
use crate::hidden::turn::HiddenTurn;
use crate::hidden::verdict::EventVerdict;
use crate::protocol::event_format::EventFormat;
use crate::protocol::framing::EventFrame;

/// A streamed response, over all its rounds.
pub(crate) struct BlockRounds<B> {
    pub(crate) names: HiddenNames,
    pub(crate) format: EventFormat,
    pub(crate) tally: UsageTally,
    /// How many rounds are over.
    pub(crate) rounds: usize,
    /// The number of the client's next block.
    pub(crate) next: u64,
    /// The client has something to read or to do.
    pub(crate) has_words: bool,
    pub(crate) round: BlockRound<B>,
    /// The events at the end of the latest turn, which the client did not see.
    pub(crate) ending: Vec<u8>,
}

/// One response of the upstream.
pub(crate) struct BlockRound<B> {
    pub(crate) blocks: TurnBlocks<B>,
    pub(crate) numbers: BlockNumbers,
    /// The end of the message, held because the model waits for nothing but the hidden tool.
    pub(crate) ending: Option<Vec<u8>>,
}

impl<B> BlockRound<B> {
    fn new(base: u64) -> Self {
        Self { blocks: TurnBlocks::default(), numbers: BlockNumbers::new(base), ending: None }
    }
}

impl<B: TurnBlock> BlockRounds<B> {
    /// No round yet; `tally` has counted nothing.
    pub(crate) fn new(names: HiddenNames, format: EventFormat, tally: UsageTally) -> Self {
        let (round, ending) = (BlockRound::new(0), Vec::new());
        Self { names, format, tally, rounds: 0, next: 0, has_words: false, round, ending }
    }

    /// A block begins; its number, for a client that sees it.
    pub(crate) fn begin(&mut self, index: u64, kind: BlockKind) -> Option<u64> {
        let to = self.round.numbers.begin(index, kind);
        self.next = self.next.max(to.map_or(0, |to| to.saturating_add(1)));
        self.has_words |= matches!(kind, BlockKind::Call | BlockKind::Other);
        to
    }

    /// A block ends, whose number is at `place`.
    pub(crate) fn shut(&mut self, place: &JsonNode<'_>) -> Option<EventVerdict> {
        let block = self.round.numbers.shut(place.number()?)?;
        Some(EventVerdict::renumber(place, block.to))
    }

    /// A hidden call begins without a number. Its arguments cannot be known, and the client must not see it either.
    pub(crate) fn lose_call(&mut self) -> EventVerdict {
        self.round.blocks.lose();
        self.round.numbers.hide();
        EventVerdict::Drop
    }

    /// Holds the end of the message back if the model waits for nothing but the hidden tool; true when it does.
    pub(crate) fn hold_end(&mut self, is_waiting: bool, frame: EventFrame<'_>) -> bool {
        let is_held = is_waiting && self.round.numbers.asks_alone();
        if is_held {
            self.round.ending = Some(frame.raw.to_vec());
        }
        is_held
    }

    /// Holds an event after a held end back; false when the end was not held.
    pub(crate) fn extend_end(&mut self, frame: EventFrame<'_>) -> bool {
        let Some(ending) = &mut self.round.ending else { return false };
        ending.extend_from_slice(frame.raw);
        true
    }

    /// True when the client sees less than the upstream sent, or more than one round.
    pub(crate) fn is_merged(&self) -> bool {
        self.round.numbers.hides() || self.rounds > 0
    }

    /// The number of a block for a client that would get nothing to read; `None` when it has something. A client could
    /// not send an empty message again.
    pub(crate) fn silence_index(&mut self) -> Option<u64> {
        if std::mem::replace(&mut self.has_words, true) {
            return None;
        }
        self.next += 1;
        Some(self.next - 1)
    }

    /// Ends a round whose end was held, with its turn if that is complete; `None` when the client has seen the end.
    pub(crate) fn end_round(&mut self) -> Option<Option<HiddenTurn>> {
        self.ending = self.round.ending.take()?;
        let round = std::mem::replace(&mut self.round, BlockRound::new(self.next));
        self.tally.end_round();
        self.rounds += 1;
        Some(round.blocks.turn())
    }
}
