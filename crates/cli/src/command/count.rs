//! `tersely count`: counts the tokens of files.

use std::path::PathBuf;
use std::process::ExitCode;

use serde_json::json;
use tersely_core::O200k;
use tersely_terminal::fault::{CommandFault, Stop};
use tersely_terminal::{input, output, table};

const EXAMPLES: &str = "\
Examples:
  git diff | tersely count
  tersely count --json src/*.rs";

/// Count the tokens in files
///
/// The counts are exact for the o200k vocabulary. For several files, also prints the total.
#[derive(Debug, clap::Args)]
#[command(after_help = EXAMPLES)]
pub(crate) struct CountArgs {
    /// Print a JSON object with the token count of each file and the total
    #[arg(long)]
    pub json: bool,
    /// The files to read; if omitted or `-`, read standard input
    pub files: Vec<PathBuf>,
}

/// Counts the given files, or standard input if there are none.
pub(crate) fn run(args: &CountArgs) -> Result<ExitCode, Stop> {
    let counts = match args.files.as_slice() {
        [] => vec![input::read(None).map(count)?],
        files => files
            .iter()
            .map(|file| input::read(Some(file)).map(count))
            .collect::<Result<_, CommandFault>>()?,
    };
    output::result(&if args.json { report(&counts) } else { lines(&counts) })?;
    Ok(ExitCode::SUCCESS)
}

fn count(input: input::Input) -> (String, usize) {
    (input.name, O200k.count(&input.text))
}

fn total(counts: &[(String, usize)]) -> usize {
    counts.iter().map(|(_, tokens)| tokens).sum()
}

fn report(counts: &[(String, usize)]) -> String {
    let files: Vec<_> =
        counts.iter().map(|(file, tokens)| json!({ "file": file, "tokens": tokens })).collect();
    json!({ "files": files, "total": total(counts) }).to_string()
}

fn lines(counts: &[(String, usize)]) -> String {
    let mut rows: Vec<_> =
        counts.iter().map(|(file, tokens)| vec![tokens.to_string(), file.clone()]).collect();
    if counts.len() > 1 {
        rows.push(vec![total(counts).to_string(), "total".to_owned()]);
    }
    table::align("rl", &rows)
}
