//! `tersely-bench forms DIR`: measures the cost of every form on a corpus, and the speed of encoding and decoding.

mod report;
mod sample;
mod score;
mod speed;

use std::path::PathBuf;
use std::process::ExitCode;

use tersely_terminal::fault::{CommandFault, NO, Stop};
use tersely_terminal::output;

const EXAMPLES: &str = "\
Examples:
  tersely-bench forms corpus
  tersely-bench forms --json --seconds 5 corpus > forms.json

Exit code 1: a law is broken, that is, a file costs more in the chosen form than as compact JSON, or does not decode exactly.";

/// Compare the forms: tokens of every file, and the speed of writing and reading
///
/// Reads the JSON documents in DIR/outputs/json-api and DIR/outputs/json-rows; files that are not a
/// single JSON document are skipped and listed.
#[derive(Debug, clap::Args)]
#[command(after_help = EXAMPLES)]
pub(crate) struct FormsArgs {
    /// The corpus
    pub dir: PathBuf,
    /// Print a JSON object
    #[arg(long)]
    pub json: bool,
    /// How long to time each task
    #[arg(long, value_name = "N", default_value_t = 1)]
    pub seconds: u32,
}

/// Measures a corpus. The exit code reports failure if a law is broken.
pub(crate) fn run(args: &FormsArgs) -> Result<ExitCode, Stop> {
    let set = sample::read(&args.dir)?;
    if set.samples.is_empty() {
        return Err(empty(args).into());
    }
    let score = score::of(&set);
    let speeds = speed::measure(&set.samples, args.seconds);
    let text = if args.json { report::json(&score, &speeds) } else { report::text(&score, &speeds) };
    output::result(&text)?;
    Ok(if score.lawful() { ExitCode::SUCCESS } else { ExitCode::from(NO) })
}

fn empty(args: &FormsArgs) -> CommandFault {
    CommandFault::unable(
        format!("{}: no JSON documents in outputs/json-api or outputs/json-rows", args.dir.display()),
        "name the directory that holds outputs/, for example: tersely-bench forms corpus",
    )
}
