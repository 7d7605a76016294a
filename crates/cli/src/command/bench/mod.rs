//! `tersely bench`: a corpus in, measurements out.

mod forms;
mod report;
mod sample;
mod score;
mod speed;

use std::process::ExitCode;

use crate::args::{Bench, Subject};
use crate::fault::Stop;

/// Measures what was asked for.
pub(crate) fn run(args: &Bench) -> Result<ExitCode, Stop> {
    match &args.subject {
        Subject::Forms(args) => forms::run(args),
    }
}
