//! `tersely-bench conversations --clear DIR`: measures what clearing old results after a pause saves.

mod quotes;
mod replay;
mod report;

use std::process::ExitCode;

use tersely_terminal::fault::{NO, Stop};
use tersely_terminal::output;

use crate::conversations::transcript::Transcript;

/// Replays transcripts. The exit code reports failure if a law is broken.
pub(crate) fn run(transcripts: &[Transcript]) -> Result<ExitCode, Stop> {
    let score = report::measure(transcripts)?;
    output::result(&score.text())?;
    Ok(if score.is_lawful() { ExitCode::SUCCESS } else { ExitCode::from(NO) })
}
