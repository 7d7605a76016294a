//! `tersely eval`: measures how many questions about tool results your own model still answers correctly.

use std::process::ExitCode;

use tersely_terminal::fault::Stop;

use crate::gateway::runtime;

pub(crate) use tersely_eval::EvalArgs;

/// Asks a model, and prints the result.
pub(crate) fn run(args: &EvalArgs) -> Result<ExitCode, Stop> {
    tersely_eval::run(args, runtime()?)
}
