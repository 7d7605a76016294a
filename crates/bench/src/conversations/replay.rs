//! Replays a transcript turn by turn in one way, and computes the provider's bill.

use indicatif::ProgressBar;
use tersely_account::{CachedBlocks, PromptCache, TokenUsage};
use tersely_core::{Loss, Mode, Plan};
use tersely_engine::{Engine, EngineSettings, ExpandOffer, ForwardBody, Memo, Recall, Report, Request};
use tersely_terminal::fault::CommandFault;

use super::blocks::SentBlocks;
use super::quote::{Quotes, quotes};
use super::transcript::Transcript;

/// The ways to replay: uncompressed, exact only, standard.
pub(crate) const WAYS: [(&str, Mode, Loss); 3] = [
    ("direct", Mode::Disabled, Loss::None),
    ("exact", Mode::Standard, Loss::None),
    ("standard", Mode::Standard, Loss::Detail),
];

/// The result of replaying a transcript in one way. Prices are in hundredths of a plain input token.
#[derive(Debug, Default)]
pub(crate) struct Replay {
    /// The engine's report on the whole conversation.
    pub report: Report,
    /// The cost of all requests and answers.
    pub bill: usize,
    /// The part of the bill for answers.
    pub output: usize,
    /// The part of the bill for our own tool.
    pub tool: usize,
    /// The cost of repeating every turn: its context is read once more, and an answer of the same length is written.
    pub again: usize,
    /// The number of blocks of earlier requests that the next turn changed.
    pub changed: usize,
    /// The quotes that later edits can still find.
    pub quotes: Quotes,
}

/// Replays `transcript` in the way with this index in `WAYS`.
pub(crate) fn replay(
    expand: ExpandOffer,
    transcript: &Transcript,
    way: usize,
    bar: &ProgressBar,
) -> Result<Replay, CommandFault> {
    let (_, mode, loss) = WAYS[way];
    let plan = Plan { mode, loss, ..Plan::default() };
    let engine = Engine::new(EngineSettings { plan, expand, ..EngineSettings::default() });
    let whole = transcript.whole();
    let ForwardBody { report, body, .. } = pass(&engine, transcript, None, &whole)?;
    let json = |body: &[u8]| serde_json::from_slice(body).map_err(|_| unread(transcript));
    let mut replay = Replay { report, quotes: quotes(&json(&whole)?, &json(&body)?), ..Replay::default() };
    let price = &transcript.price;
    let mut seen = SeenBlocks::default();
    let mut cache = PromptCache::new(price.rules);
    // The memo is used as in the gateway: it saves time and does not change the output.
    let memo = Memo::default();
    for count in transcript.turns() {
        let request = transcript.request(count);
        let sent = pass(&engine, transcript, Some(&memo), &request)?.body;
        let blocks = transcript.blocks(&sent).ok_or_else(|| unread(transcript))?;
        let (same, changed) = seen.take(&blocks);
        let sent = cache.send(CachedBlocks { tokens: &seen.tokens, head: blocks.head, same });
        let usage = TokenUsage { output: transcript.answer(count) as u64, ..sent };
        let [output, tool] = price.parts(&usage, replay.report.record.tool_tokens);
        replay.bill += price.cost(&usage);
        replay.output += output;
        replay.tool += tool;
        let again = TokenUsage { cache_read: sent.read(), output: usage.output, ..TokenUsage::default() };
        replay.again += price.cost(&again);
        replay.changed += changed;
        bar.inc(1);
    }
    Ok(replay)
}

fn pass<'b>(
    engine: &Engine,
    transcript: &Transcript,
    memo: Option<&Memo>,
    body: &'b [u8],
) -> Result<ForwardBody<'b>, CommandFault> {
    let memo = memo.map(|memo| Recall { memo, whose: b"" });
    let request = Request { memo, ..Request::new(transcript.provider, transcript.path) };
    let hint = "remove `_tersely` from the transcript";
    engine
        .pass(&request, body)
        .map_err(|refused| CommandFault::unable(format!("{}: {refused}", transcript.name), hint))
}

pub(crate) fn unread(transcript: &Transcript) -> CommandFault {
    CommandFault::unable(
        format!("{}: the compressed request is invalid", transcript.name),
        "please report it",
    )
}

/// The blocks of the latest request, and their tokens.
#[derive(Default)]
pub(crate) struct SeenBlocks {
    bytes: Vec<Vec<u8>>,
    pub(crate) tokens: Vec<u64>,
}

impl SeenBlocks {
    /// Stores the next request. Returns the number of leading blocks that it shares with the previous request, and the
    /// number of blocks of the previous request that it does not share.
    pub(crate) fn take(&mut self, sent: &SentBlocks<'_>) -> (usize, usize) {
        let pairs = self.bytes.iter().zip(&sent.blocks);
        let same = pairs.take_while(|(seen, block)| seen.as_slice() == block.bytes).count();
        let changed = self.bytes.len() - same;
        self.bytes.truncate(same);
        self.tokens.truncate(same);
        for block in &sent.blocks[same..] {
            self.bytes.push(block.bytes.to_vec());
            self.tokens.push((block.count)(block.bytes) as u64);
        }
        (same, changed)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_block_that_changes_takes_what_is_behind_it_along() {
        let parts = ["[\"one\"]", "[\"two\"]", "[\"three\"]", "[\"four\"]"].map(str::as_bytes);
        let mut seen = SeenBlocks::default();
        let mut take = |parts: &[&[u8]]| {
            let taken = seen.take(&SentBlocks::of(parts.to_vec(), &[]));
            assert_eq!((seen.bytes.len(), seen.tokens.len()), (parts.len(), parts.len()));
            taken
        };
        assert_eq!(take(&parts[..2]), (0, 0));
        assert_eq!(take(&parts[..3]), (2, 0));
        assert_eq!(take(&[parts[0], parts[3], parts[2]]), (1, 2));
    }
}
