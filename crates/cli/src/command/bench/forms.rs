//! `tersely bench forms`: what every form costs on a corpus, and how fast it is written and read.

use std::process::ExitCode;

use super::{report, sample, score, speed};
use crate::args::Forms;
use crate::fault::{Fault, NO, Stop};
use crate::output;

/// Measures the corpus that was named; the answer is no when a law is broken.
pub(crate) fn run(args: &Forms) -> Result<ExitCode, Stop> {
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

fn empty(args: &Forms) -> Fault {
    Fault::unable(
        format!("{}: no JSON documents in outputs/json-api or outputs/json-rows", args.dir.display()),
        "name the directory that holds outputs/, for example: tersely bench forms corpus",
    )
}
