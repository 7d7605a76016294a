//! `tersely-bench recall DIR`: checks whether the facts in later calls can still be read in the compressed results
//! before them.

pub(crate) mod facts;
mod report;
pub(crate) mod score;

use std::path::PathBuf;
use std::process::ExitCode;

use serde_json::Value;
use tersely_core::{Loss, Mode, Plan};
use tersely_engine::{Engine, EngineSettings, ExpandOffer, Request};
use tersely_terminal::fault::{CommandFault, NO, Stop};
use tersely_terminal::{output, progress};

use self::score::{RecallScore, RecallTalk, RecallTurn, SeenBody, score};
use crate::conversations::transcript::{self, Transcript, TranscriptSet};

const EXAMPLES: &str = "\
Examples:
  tersely-bench recall corpus
  tersely-bench recall --verbose corpus

Exit code 1: in exact form, something that a later call names cannot be read.";

/// Check without a model that later calls find what they name: paths, names and numbers of lines
///
/// Of every call in the transcripts of DIR/conversations, takes what its arguments name and what earlier tool results
/// showed, and looks for it in what was sent for those results: forms undone, references followed, nothing fetched back.
#[derive(Debug, clap::Args)]
#[command(after_help = EXAMPLES)]
pub(crate) struct RecallArgs {
    /// The corpus
    pub dir: PathBuf,
    /// Where to offer `expand_context`: auto, as `tersely serve` does unless told otherwise, always or never
    #[arg(long, value_name = "WHERE", default_value = "auto")]
    pub expand: ExpandOffer,
    /// Name each thing that is missed
    #[arg(long)]
    pub verbose: bool,
    /// Print a JSON object
    #[arg(long)]
    pub json: bool,
}

/// The modes to measure.
pub(crate) const MODES: [(&str, Loss); 2] = [("exact", Loss::None), ("standard", Loss::Detail)];

/// A transcript and its score in each mode.
pub(crate) struct RecalledTranscript {
    pub name: String,
    pub client: &'static str,
    pub scores: [RecallScore; 2],
}

/// Measures the transcripts of a corpus.
pub(crate) fn run(args: &RecallArgs) -> Result<ExitCode, Stop> {
    let TranscriptSet { transcripts, skipped } = transcript::read(&args.dir.join("conversations"))?;
    if transcripts.is_empty() {
        let message = format!("{}: no transcripts in conversations/", args.dir.display());
        return Err(CommandFault::unable(message, "name the directory that holds conversations/").into());
    }
    let bar = progress::counting("recalling", transcripts.len());
    let mut rows = Vec::new();
    for transcript in &transcripts {
        rows.push(one(args.expand, transcript)?);
        bar.inc(1);
    }
    bar.finish_and_clear();
    let text = if args.json { report::json(&rows) } else { report::text(args.verbose, &rows, skipped.len()) };
    output::result(&text)?;
    let is_lawful = rows.iter().all(|row| row.scores[0].misses.is_empty());
    Ok(if is_lawful { ExitCode::SUCCESS } else { ExitCode::from(NO) })
}

fn one(expand: ExpandOffer, transcript: &Transcript) -> Result<RecalledTranscript, CommandFault> {
    let fault = |what: String| {
        CommandFault::unable(format!("{}: {what}", transcript.name), "remove the transcript, or report it")
    };
    let whole = transcript.whole();
    let provider = transcript.provider;
    let came = SeenBody::of(provider, &whole).map_err(|error| fault(error.to_string()))?;
    let talk = talk(transcript).map_err(fault)?;
    let mut scores = Vec::new();
    for (_, loss) in MODES {
        let plan = Plan { mode: Mode::Standard, loss, ..Plan::default() };
        let engine = Engine::new(EngineSettings { plan, expand, ..EngineSettings::default() });
        let passed = engine.pass(&Request::new(provider, transcript.path), &whole);
        let body = passed.map_err(|refused| fault(refused.to_string()))?.body;
        let sent = SeenBody::of(provider, &body).map_err(|error| fault(error.to_string()))?;
        scores.push(score(&talk, &came, &sent));
    }
    let scores = <[RecallScore; 2]>::try_from(scores).unwrap_or_default();
    Ok(RecalledTranscript { name: transcript.name.clone(), client: transcript.client, scores })
}

/// The turns of a transcript, and its text outside of results.
pub(crate) fn talk(transcript: &Transcript) -> Result<RecallTalk, String> {
    let mut talk = RecallTalk::default();
    let read = |message: &[u8]| serde_json::from_slice::<Value>(message).unwrap_or_default();
    for (at, message) in transcript.messages().enumerate() {
        talk.beside.hear(at, &read(message));
    }
    for messages in transcript.turns() {
        let request = transcript.request(messages);
        let results = transcript.provider.slots(&request).map_err(|error| error.to_string())?.len();
        let said = transcript.said(messages).map(read).collect();
        talk.turns.push(RecallTurn { results, messages, said });
    }
    Ok(talk)
}
