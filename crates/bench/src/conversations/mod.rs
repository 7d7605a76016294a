//! `tersely-bench conversations DIR`: measures how much whole transcripts save, in tool result tokens and on the whole
//! bill.

mod blocks;
mod fill;
mod heads;
pub(crate) mod model_price;
mod object;
pub(crate) mod quote;
pub(crate) mod replay;
mod report;
mod score;
pub(crate) mod transcript;

use std::path::{Path, PathBuf};
use std::process::ExitCode;
use std::sync::Mutex;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::thread;

use indicatif::ProgressBar;
use tersely_engine::ExpandOffer;
use tersely_terminal::fault::{CommandFault, NO, Stop};
use tersely_terminal::{output, progress};

use self::replay::{Replay, WAYS, replay};
use self::score::{ReplayScore, TranscriptScore};
use self::transcript::{Transcript, TranscriptSet};

const EXAMPLES: &str = "\
Examples:
  tersely-bench conversations corpus
  tersely-bench conversations --json corpus | jq .total

Exit code 1: a law is broken, that is, a transcript costs more than without Tersely, a message changed between two turns, or later edits do not find what they quote.";

/// Replay transcripts turn by turn: tokens of tool results, and what a provider with a prompt cache would bill for
/// input and output
///
/// Reads the request bodies in DIR/conversations, NAME.anthropic.json, NAME.openai.json, NAME.responses.json and
/// NAME.gemini.json, and rebuilds every request that led to them: unchanged, with exact forms only, and in standard mode.
#[derive(Debug, clap::Args)]
#[command(after_help = EXAMPLES)]
pub(crate) struct ConversationsArgs {
    /// The corpus
    pub dir: PathBuf,
    /// Where to offer `expand_context`: auto, as `tersely serve` does unless told otherwise, always or never
    #[arg(long, value_name = "WHERE", default_value = "auto")]
    pub expand: ExpandOffer,
    /// Replay with pauses after which the provider's cache is gone, and clear old results at each
    #[arg(long, conflicts_with = "json")]
    pub clear: bool,
    /// Print a JSON object
    #[arg(long)]
    pub json: bool,
}

/// Replays the transcripts of a corpus. The exit code reports failure if a law is broken.
pub(crate) fn run(args: &ConversationsArgs) -> Result<ExitCode, Stop> {
    let TranscriptSet { transcripts, skipped } = read(args)?;
    let score = ReplayScore { rows: measure(args.expand, &transcripts)?, skipped };
    let text = if args.json { object::json(&score) } else { report::text(&score) };
    output::result(&text)?;
    Ok(if score.is_lawful() { ExitCode::SUCCESS } else { ExitCode::from(NO) })
}

/// Reads the transcripts of a corpus.
pub(crate) fn read(args: &ConversationsArgs) -> Result<TranscriptSet, CommandFault> {
    let set = transcript::read(&args.dir.join("conversations"))?;
    if set.transcripts.is_empty() { Err(empty(&args.dir)) } else { Ok(set) }
}

/// Replays every transcript in each way. Each replay is one work item. The longest come first, so that all cores finish
/// at about the same time.
fn measure(expand: ExpandOffer, transcripts: &[Transcript]) -> Result<Vec<TranscriptScore>, CommandFault> {
    let mut work: Vec<(usize, usize)> =
        (0..transcripts.len()).flat_map(|at| [0, 1, 2].map(|way| (at, way))).collect();
    work.sort_by_key(|&(at, _)| std::cmp::Reverse(transcripts[at].work()));
    let turns: usize = transcripts.iter().map(|transcript| transcript.turns().count()).sum();
    let bar = progress::counting("replaying", turns * WAYS.len());
    let done = shared(expand, transcripts, &work, &bar);
    bar.finish_and_clear();
    let mut done = done?;
    // Sort by transcript, then by way.
    done.sort_by_key(|&(place, _)| place);
    let mut replays = done.into_iter().map(|(_, replay)| replay);
    let rows = transcripts.iter().map_while(|transcript| {
        let ways = [replays.next()?, replays.next()?, replays.next()?];
        Some(TranscriptScore {
            name: transcript.name.clone(),
            client: transcript.client,
            turns: transcript.turns().count(),
            ways,
        })
    });
    Ok(rows.collect())
}

type Done = Vec<((usize, usize), Replay)>;

/// Runs all work items on one thread per core.
fn shared(
    expand: ExpandOffer,
    transcripts: &[Transcript],
    work: &[(usize, usize)],
    bar: &ProgressBar,
) -> Result<Done, CommandFault> {
    let next = AtomicUsize::new(0);
    let done = Mutex::new(Ok(Vec::new()));
    let worker = || {
        while let Some(&(at, way)) = work.get(next.fetch_add(1, Ordering::Relaxed)) {
            let result = replay(expand, &transcripts[at], way, bar);
            let Ok(mut done) = done.lock() else { return };
            match (done.as_mut(), result) {
                (Ok(done), Ok(replay)) => done.push(((at, way), replay)),
                (Ok(_), Err(fault)) => *done = Err(fault),
                (Err(_), _) => return,
            }
        }
    };
    let cores = thread::available_parallelism().map_or(1, usize::from);
    thread::scope(|scope| (0..cores).for_each(|_| drop(scope.spawn(worker))));
    done.into_inner().unwrap_or_else(|_| {
        Err(CommandFault::unable(
            "a replay stopped halfway".to_owned(),
            "run it again, and report it if it happens again",
        ))
    })
}

fn empty(dir: &Path) -> CommandFault {
    CommandFault::unable(
        format!("{}: no transcripts in conversations/", dir.display()),
        "name the directory that holds conversations/NAME.API.json, where API is anthropic, openai, responses or gemini",
    )
}
