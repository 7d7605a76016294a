//! `tersely bench`: a corpus in, measurements out.

mod conversations;
mod corpus;
mod forms;
mod report;
mod sample;
mod score;
mod sight;
mod speed;

use std::process::ExitCode;

use crate::args::{Bench, Subject};
use crate::fault::{Fault, Stop};

/// Measures what was asked for.
pub(crate) fn run(args: &Bench) -> Result<ExitCode, Stop> {
    match (&args.subject, &args.dir) {
        (Some(Subject::Forms(args)), _) => forms::run(args),
        (Some(Subject::Conversations(args)), _) => conversations::run(args),
        (None, Some(dir)) => corpus::run(args, dir),
        (None, None) => Err(Fault::unable(
            "no corpus was named".to_owned(),
            "name the directory that holds outputs/, for example: tersely bench corpus",
        )
        .into()),
    }
}
