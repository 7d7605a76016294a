//! The command line: measures families of tool results, forms, conversations, and what later calls recall.

use std::process::ExitCode;

use clap::{Parser, Subcommand};
use tersely_terminal::fault::Stop;

use crate::clear;
use crate::conversations::{self, ConversationsArgs};
use crate::corpus::{self, CorpusArgs};
use crate::forms::{self, FormsArgs};
use crate::recall::{self, RecallArgs};

const EXAMPLES: &str = "\
Examples:
  tersely-bench corpus
  tersely-bench --json corpus | jq .total
  tersely-bench forms corpus
  tersely-bench conversations corpus
  tersely-bench recall corpus

Exit code 1: a law is broken, that is, a result got more expensive, or an exact form did not decode to the original.";

/// Measure Tersely on a corpus
///
/// Compresses every file of DIR/outputs/FAMILY and prints what each family saves: without any loss, in standard
/// and in aggressive mode, and how many questions of DIR/QUESTIONS.jsonl can still be answered from the text.
#[derive(Debug, Parser)]
#[command(
    name = "tersely-bench",
    version,
    after_help = EXAMPLES,
    args_conflicts_with_subcommands = true,
    max_term_width = 100
)]
pub struct BenchArgs {
    #[command(subcommand)]
    subject: Option<BenchSubject>,
    #[command(flatten)]
    corpus: CorpusArgs,
}

// What to measure instead of the families. Each subcommand has its own help text.
#[derive(Debug, Subcommand)]
enum BenchSubject {
    Forms(FormsArgs),
    Conversations(ConversationsArgs),
    Recall(RecallArgs),
}

/// Runs the measurement. The exit code reports failure if a law is broken.
///
/// # Errors
///
/// If there is no corpus, or the result cannot be written.
pub fn run(args: &BenchArgs) -> Result<ExitCode, Stop> {
    match &args.subject {
        Some(BenchSubject::Forms(args)) => forms::run(args),
        Some(BenchSubject::Conversations(args)) if args.clear => {
            clear::run(&conversations::read(args)?.transcripts)
        }
        Some(BenchSubject::Conversations(args)) => conversations::run(args),
        Some(BenchSubject::Recall(args)) => recall::run(args),
        None => corpus::run(&args.corpus),
    }
}
