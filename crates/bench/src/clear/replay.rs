//! Replays a transcript with pauses after which the provider's cache is gone, and old results cleared at each of them.

use tersely_account::{CachedBlocks, Clearing, PromptCache, TokenUsage};
use tersely_core::{Loss, Mode, Plan};
use tersely_engine::{ClearPoint, Engine, EngineSettings, ExpandOffer, ForwardBody, Memo, Recall, Request};
use tersely_terminal::fault::CommandFault;

use super::quotes::{QuoteScore, ReadableText};
use crate::conversations::model_price::ModelPrice;
use crate::conversations::replay::{SeenBlocks, unread};
use crate::conversations::transcript::Transcript;
use crate::recall::score::{RecallScore, RecallTalk, SeenBody, score_turn};

/// The tokens of a result that is fetched.
const FETCHED_TOKENS: u64 = 1_500;

/// The result of replaying a transcript.
#[derive(Debug, Default)]
pub(crate) struct ClearReplay {
    /// The cost of all requests, without answers, in hundredths of a plain input token.
    pub bill: usize,
    /// The number of tokens of the longest request.
    pub peak: u64,
    /// The number of cold pauses, of clearings, and of results that were cleared.
    pub cold: usize,
    pub clearings: usize,
    pub results: usize,
    /// The number of blocks of earlier requests that a turn changed without a clearing.
    pub changed: usize,
    /// What later calls find after a clearing.
    pub recall: RecallScore,
    /// What edits quote after a clearing.
    pub quotes: QuoteScore,
}

/// What is sent in each turn of a transcript.
pub(crate) struct SentTurns(Vec<SentTurn>);

/// A request: the tokens of its blocks, and how it differs from the one before.
struct SentTurn {
    tokens: Vec<u64>,
    head: usize,
    same: usize,
    changed: usize,
    /// True when a person has spoken, so that the cache may be gone.
    is_pause: bool,
    /// The number of results that were cleared.
    cleared: usize,
}

/// Replays a transcript uncompressed or in standard mode.
pub(super) fn send_whole(transcript: &Transcript, mode: Mode) -> Result<SentTurns, CommandFault> {
    ClearRun::new(transcript, &transcript.price, mode).turns(usize::MAX, None)
}

/// Replays a transcript and clears it at every `nth` pause of a person. What later calls recall is looked for if that is
/// asked for.
pub(super) fn clear_at_pauses(
    transcript: &Transcript,
    price: &ModelPrice,
    nth: usize,
    is_recalled: bool,
) -> Result<ClearReplay, CommandFault> {
    let mut run = ClearRun::new(transcript, price, Mode::Standard);
    let talk = is_recalled.then(|| crate::recall::talk(transcript)).transpose();
    let talk = talk.map_err(|_| unread(transcript))?;
    let turns = run.turns(nth, talk.as_ref())?;
    let replay = turns.bill(price, nth);
    Ok(ClearReplay { clearings: run.points.len(), recall: run.recall, quotes: run.quotes, ..replay })
}

impl SentTurns {
    /// True when a person pauses.
    pub(crate) fn has_pause(&self) -> bool {
        self.0.iter().any(|turn| turn.is_pause)
    }

    /// The bill, if every `nth` pause is cold.
    pub(crate) fn bill(&self, price: &ModelPrice, nth: usize) -> ClearReplay {
        let mut replay = ClearReplay::default();
        let (mut cache, mut pauses) = (PromptCache::new(price.rules), 0);
        for turn in &self.0 {
            pauses += usize::from(turn.is_pause);
            let is_cold = turn.is_pause && pauses % nth == 0;
            if is_cold {
                cache = PromptCache::new(price.rules);
                replay.cold += 1;
            } else {
                replay.changed += turn.changed;
            }
            let same = if is_cold { 0 } else { turn.same };
            let usage = cache.send(CachedBlocks { tokens: &turn.tokens, head: turn.head, same });
            replay.bill += price.cost(&usage);
            replay.peak = replay.peak.max(usage.read());
            replay.results += turn.cleared;
            // One result in ten is fetched back: the context is read once more, and the result is written.
            let again = TokenUsage {
                cache_read: usage.read(),
                cache_write: FETCHED_TOKENS,
                output: Clearing::CALL_TOKENS,
                ..TokenUsage::default()
            };
            let fetched = usize::try_from(Clearing::FETCHED).unwrap_or(usize::MAX);
            replay.bill += turn.cleared * price.cost(&again) / fetched;
        }
        replay
    }
}

/// A replay under way.
struct ClearRun<'t> {
    transcript: &'t Transcript,
    price: &'t ModelPrice,
    engine: Engine,
    memo: Memo,
    points: Vec<ClearPoint>,
    recall: RecallScore,
    quotes: QuoteScore,
}

impl<'t> ClearRun<'t> {
    fn new(transcript: &'t Transcript, price: &'t ModelPrice, mode: Mode) -> Self {
        let plan = Plan { mode, loss: Loss::Detail, ..Plan::default() };
        let expand = ExpandOffer::Auto;
        let engine = Engine::new(EngineSettings { plan, expand, ..EngineSettings::default() });
        let (points, memo, recall) = (Vec::new(), Memo::default(), RecallScore::default());
        Self { transcript, price, engine, memo, points, recall, quotes: QuoteScore::default() }
    }

    /// What is sent in each turn, cleared at every `nth` pause of a person.
    fn turns(&mut self, nth: usize, talk: Option<&RecallTalk>) -> Result<SentTurns, CommandFault> {
        let (mut seen, mut turns, mut pauses) = (SeenBlocks::default(), Vec::new(), 0);
        for (turn, count) in self.transcript.turns().enumerate() {
            let request = self.transcript.request(count);
            let is_pause = turn > 0 && is_humans(self.transcript, &request);
            pauses += usize::from(is_pause);
            let cleared = if is_pause && pauses % nth == 0 { self.clear(&request)? } else { 0 };
            let sent = self.pass(&self.points, &request)?.body.into_owned();
            let blocks = self.transcript.blocks(&sent).ok_or_else(|| unread(self.transcript))?;
            let (same, changed) = seen.take(&blocks);
            let tokens = seen.tokens.clone();
            turns.push(SentTurn { tokens, head: blocks.head, same, changed, is_pause, cleared });
            if let Some(talk) = talk {
                self.look_back(talk, turn, &request, &sent)?;
            }
        }
        Ok(SentTurns(turns))
    }

    fn pass<'b>(&self, clearings: &[ClearPoint], body: &'b [u8]) -> Result<ForwardBody<'b>, CommandFault> {
        let memo = Some(Recall { memo: &self.memo, whose: b"" });
        let request =
            Request { clearings, memo, ..Request::new(self.transcript.provider, self.transcript.path) };
        self.engine.pass(&request, body).map_err(|_| unread(self.transcript))
    }

    /// Clears the conversation if that pays. Returns how many results were cleared.
    fn clear(&mut self, request: &[u8]) -> Result<usize, CommandFault> {
        let before = self.pass(&self.points, request)?.report.record;
        let context = before.total_tokens().after as u64;
        let rates = *self.price.rates(context);
        let messages = self.transcript.provider.read(request).messages().len();
        let least = usize::try_from(Clearing::least(&rates, false, context)).unwrap_or(usize::MAX);
        let mut points = self.points.clone();
        points.push(ClearPoint { messages, least });
        let after = self.pass(&points, request)?.report.record;
        let clearing = Clearing::between(&before, &after);
        if !clearing.pays(&rates, false) {
            return Ok(0);
        }
        self.points = points;
        Ok(usize::try_from(clearing.results).unwrap_or_default())
    }

    /// Looks for what the calls of this turn name, once the conversation was cleared.
    fn look_back(
        &mut self,
        talk: &RecallTalk,
        turn: usize,
        came: &[u8],
        sent: &[u8],
    ) -> Result<(), CommandFault> {
        if self.points.is_empty() {
            return Ok(());
        }
        let (provider, unread) = (self.transcript.provider, |_| unread(self.transcript));
        let results = ReadableText::of_results(provider, came).map_err(unread)?;
        let in_sight = ReadableText::of_all(provider, sent).map_err(unread)?;
        for message in talk.turns.get(turn).into_iter().flat_map(|turn| &turn.said) {
            self.quotes.add(message, &results, &in_sight);
        }
        let seen = |body: &[u8]| SeenBody::of(provider, body).map_err(unread);
        self.recall.add(&score_turn(talk, turn, &seen(came)?, &seen(sent)?));
        Ok(())
    }
}

/// True when a person has spoken last.
fn is_humans(transcript: &Transcript, request: &[u8]) -> bool {
    transcript.provider.read(request).messages().last().is_some_and(|message| message.is_human)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn turn(tokens: &[u64], same: usize, is_pause: bool, cleared: usize) -> SentTurn {
        SentTurn { tokens: tokens.to_vec(), head: 1, same, changed: 0, is_pause, cleared }
    }

    /// A model that costs 1.25 to write and 0.1 to read, of which every prompt is cached.
    fn price() -> ModelPrice {
        ModelPrice::of("anthropic", "claude-sonnet-4-5")
    }

    #[test]
    fn a_cold_pause_writes_everything_again() {
        let turns = SentTurns(vec![
            turn(&[2_000, 100], 0, false, 0),
            turn(&[2_000, 100, 50], 2, true, 0),
            turn(&[2_000, 100, 50, 50], 3, true, 0),
        ]);
        assert!(turns.has_pause());
        // 2,100, 50 and 50 tokens are written, the rest is read.
        let warm = turns.bill(&price(), 9);
        assert_eq!((warm.bill, warm.cold), ((2_100 + 50 + 50) * 125 + (2_100 + 2_150) * 10, 0));
        let every = turns.bill(&price(), 1);
        assert_eq!((every.bill, every.cold), ((2_100 + 2_150 + 2_200) * 125, 2));
        let second = turns.bill(&price(), 2);
        assert_eq!((second.bill, second.cold), ((2_100 + 50 + 2_200) * 125 + 2_100 * 10, 1));
        assert_eq!(second.peak, 2_200);
    }

    #[test]
    fn one_cleared_result_in_ten_is_fetched_back() {
        let without = SentTurns(vec![turn(&[2_000, 100], 0, true, 0)]).bill(&price(), 1);
        let with = SentTurns(vec![turn(&[2_000, 100], 0, true, 20)]).bill(&price(), 1);
        let fetch = 2_100 * 10 + 1_500 * 125 + 60 * 500;
        assert_eq!((with.bill - without.bill, with.results), (2 * fetch, 20));
    }

    #[test]
    fn a_change_at_a_cold_pause_is_none_of_ours() {
        let changed = |is_pause| SentTurn { changed: 3, ..turn(&[2_000], 0, is_pause, 0) };
        let turns = SentTurns(vec![changed(true), changed(false), changed(true)]);
        assert_eq!(turns.bill(&price(), 2).changed, 6);
        assert_eq!(turns.bill(&price(), 1).changed, 3);
    }
}
