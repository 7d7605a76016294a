//! Tracks a streamed response of content blocks over all its rounds.

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

/// A streamed response, across all its rounds.
pub(crate) struct BlockRounds<B> {
    pub(crate) names: HiddenNames,
    pub(crate) format: EventFormat,
    pub(crate) tally: UsageTally,
    /// The number of finished rounds.
    pub(crate) rounds: usize,
    /// The number of the next block that the client sees.
    pub(crate) next: u64,
    /// True when the client has text to read or a call to answer.
    pub(crate) has_words: bool,
    pub(crate) round: BlockRound<B>,
    /// The events that ended the latest turn. The client has not seen them.
    pub(crate) ending: Vec<u8>,
}

/// One response from the upstream.
pub(crate) struct BlockRound<B> {
    pub(crate) blocks: TurnBlocks<B>,
    pub(crate) numbers: BlockNumbers,
    /// The end of the message, held back because the model waits only for the hidden tool.
    pub(crate) ending: Option<Vec<u8>>,
}

/// How a round ends.
pub(crate) enum RoundEnd {
    /// The client has seen the end of the message.
    Seen,
    /// The end is held back, and this turn can be answered.
    Turn(HiddenTurn),
    /// The end is held back, but the turn is incomplete.
    Lost,
}

impl<B> BlockRound<B> {
    fn new(base: u64) -> Self {
        Self { blocks: TurnBlocks::default(), numbers: BlockNumbers::new(base), ending: None }
    }
}

impl<B: TurnBlock> BlockRounds<B> {
    /// Starts before the first round, with an empty `tally`.
    pub(crate) fn new(names: HiddenNames, format: EventFormat, tally: UsageTally) -> Self {
        let (round, ending) = (BlockRound::new(0), Vec::new());
        Self { names, format, tally, rounds: 0, next: 0, has_words: false, round, ending }
    }

    /// Starts a block, and returns its number for the client; `None` for a hidden block.
    pub(crate) fn begin(&mut self, index: u64, kind: BlockKind) -> Option<u64> {
        let to = self.round.numbers.begin(index, kind);
        self.next = self.next.max(to.map_or(0, |to| to.saturating_add(1)));
        self.has_words |= matches!(kind, BlockKind::Call | BlockKind::Other);
        to
    }

    /// Ends the block whose number is the JSON value `place`.
    pub(crate) fn shut(&mut self, place: &JsonNode<'_>) -> Option<EventVerdict> {
        let block = self.round.numbers.shut(place.number()?)?;
        Some(EventVerdict::renumber(place, block.to))
    }

    /// Drops a hidden call that has no block number. Its arguments cannot be collected, but the client must not see
    /// the call either.
    pub(crate) fn lose_call(&mut self) -> EventVerdict {
        self.round.blocks.lose();
        self.round.numbers.hide();
        EventVerdict::Drop
    }

    /// Holds back the end of the message if the model waits only for the hidden tool. Returns true if the end is held
    /// back.
    pub(crate) fn hold_end(&mut self, is_waiting: bool, frame: EventFrame<'_>) -> bool {
        let is_held = is_waiting && self.round.numbers.asks_alone();
        if is_held {
            self.round.ending = Some(frame.raw.to_vec());
        }
        is_held
    }

    /// Holds back an event that follows a held end; returns false when no end is held.
    pub(crate) fn extend_end(&mut self, frame: EventFrame<'_>) -> bool {
        let Some(ending) = &mut self.round.ending else { return false };
        ending.extend_from_slice(frame.raw);
        true
    }

    /// True when the client's response differs from the upstream's, because a block is hidden or there are several
    /// rounds.
    pub(crate) fn is_merged(&self) -> bool {
        self.round.numbers.hides() || self.rounds > 0
    }

    /// The number for an extra text block, when the client would otherwise get an empty message, which it could not
    /// send back; `None` when the client has something to read.
    pub(crate) fn silence_index(&mut self) -> Option<u64> {
        if std::mem::replace(&mut self.has_words, true) {
            return None;
        }
        self.next += 1;
        Some(self.next - 1)
    }

    /// Ends the round.
    pub(crate) fn end_round(&mut self) -> RoundEnd {
        let Some(ending) = self.round.ending.take() else { return RoundEnd::Seen };
        self.ending = ending;
        let round = std::mem::replace(&mut self.round, BlockRound::new(self.next));
        self.tally.end_round();
        self.rounds += 1;
        round.blocks.turn().map_or(RoundEnd::Lost, RoundEnd::Turn)
    }
}
