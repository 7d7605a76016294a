//! The `tersely` command: flags and files in, text and an exit code out.
//!
//! Exit codes: 0 success; 1 the command ran, but the answer is no; 2 the command could not run.

mod account;
mod command;
mod gateway;
mod history;
mod limit;
mod reload;
mod signals;
mod summary;

use std::process::ExitCode;

use tersely_terminal::fault::Stop;
use tersely_terminal::place;

fn main() -> ExitCode {
    place::only();
    command::start().unwrap_or_else(Stop::report)
}
