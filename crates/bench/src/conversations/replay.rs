//! Sends a transcript turn by turn one way, and books what a provider would bill.

use indicatif::ProgressBar;
use tersely_core::{Loss, Mode, Plan};
use tersely_engine::{Engine, EngineSettings, Passed, Report, Request};
use tersely_terminal::fault::CommandFault;

use super::bill::{BilledTurn, PromptCache};
use super::quote::{Quotes, quotes};
use super::transcript::Transcript;
use super::weigh::weigh;

/// The ways: as it is, exact only, standard.
pub(crate) const WAYS: [(&str, Mode, Loss); 3] = [
    ("direct", Mode::Disabled, Loss::None),
    ("exact", Mode::Standard, Loss::None),
    ("standard", Mode::Standard, Loss::Detail),
];

/// What became of a transcript one way.
#[derive(Debug, Default)]
pub(crate) struct Replay {
    /// The account of the whole conversation.
    pub report: Report,
    /// What each cache makes of all requests, in twentieths of a token.
    pub bills: [usize; 2],
    /// Parts of requests that were sent otherwise than the turn before.
    pub changed: usize,
    /// What later edits could still quote.
    pub quotes: Quotes,
}

/// Replays `transcript` the way of this number in the table.
pub(crate) fn replay(transcript: &Transcript, way: usize, bar: &ProgressBar) -> Result<Replay, CommandFault> {
    let (_, mode, loss) = WAYS[way];
    let plan = Plan { mode, loss, ..Plan::default() };
    let engine = Engine::new(EngineSettings { plan, ..EngineSettings::default() });
    let whole = transcript.whole();
    let Passed { report, body, .. } = pass(&engine, transcript, &whole)?;
    let json = |body: &[u8]| serde_json::from_slice(body).map_err(|_| unread(transcript));
    let mut replay = Replay { report, quotes: quotes(&json(&whole)?, &json(&body)?), ..Replay::default() };
    let mut seen = Seen::default();
    for count in transcript.turns() {
        let request = transcript.request(count);
        let sent = pass(&engine, transcript, &request)?.body;
        let (turn, changed) = seen.send(&transcript.parts(&sent).ok_or_else(|| unread(transcript))?);
        for (bill, cache) in replay.bills.iter_mut().zip(PromptCache::ALL) {
            *bill += cache.bill(turn);
        }
        replay.changed += changed;
        bar.inc(1);
    }
    Ok(replay)
}

fn pass<'b>(engine: &Engine, transcript: &Transcript, body: &'b [u8]) -> Result<Passed<'b>, CommandFault> {
    let request = Request::new(transcript.provider, transcript.path);
    let hint = "remove `_tersely` from the transcript";
    engine
        .pass(&request, body)
        .map_err(|refused| CommandFault::unable(format!("{}: {refused}", transcript.name), hint))
}

fn unread(transcript: &Transcript) -> CommandFault {
    CommandFault::unable(
        format!("{}: the compressed request is invalid", transcript.name),
        "please report it",
    )
}

/// The parts of the latest request, and their tokens.
#[derive(Default)]
struct Seen {
    parts: Vec<(Vec<u8>, usize)>,
}

impl Seen {
    /// Takes the next request: what it shares with the one before, and how many parts of that one it has otherwise.
    fn send(&mut self, parts: &[&[u8]]) -> (BilledTurn, usize) {
        let same = self.parts.iter().zip(parts).take_while(|((seen, _), part)| seen == *part).count();
        let changed = self.parts.len() - same;
        self.parts.truncate(same);
        let tokens = |parts: &[(Vec<u8>, usize)]| parts.iter().map(|(_, tokens)| tokens).sum();
        let cached = tokens(&self.parts);
        self.parts.extend(parts.iter().skip(same).map(|part| (part.to_vec(), weigh(part))));
        (BilledTurn { same: cached, all: tokens(&self.parts) }, changed)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_part_that_changes_takes_what_is_behind_it_along() {
        let parts = ["[\"one\"]", "[\"two\"]", "[\"three\"]", "[\"four\"]"].map(str::as_bytes);
        let [one, two, three, four] = parts.map(weigh);
        let mut seen = Seen::default();
        assert_eq!(seen.send(&parts[..2]), (BilledTurn { same: 0, all: one + two }, 0));
        assert_eq!(seen.send(&parts[..3]), (BilledTurn { same: one + two, all: one + two + three }, 0));
        let other = [parts[0], parts[3], parts[2]];
        assert_eq!(seen.send(&other), (BilledTurn { same: one, all: one + four + three }, 2));
    }
}
