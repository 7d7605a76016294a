//! The commands: a file for each.

mod body;
mod compress;
mod config;
mod count;
mod decode;
mod doctor;
mod encode;
mod restore;
mod run;
mod serve;

use std::process::ExitCode;

use tersely_terminal::fault::Stop;

use crate::args::Command;

/// Runs what was typed.
pub(crate) fn run(command: &Command) -> Result<ExitCode, Stop> {
    match command {
        Command::Serve(args) => serve::run(args),
        Command::Run(args) => run::run(args),
        Command::Doctor(args) => doctor::run(args),
        Command::Compress(args) => compress::run(args),
        Command::Encode(args) => encode::run(args),
        Command::Decode(args) => decode::run(args),
        Command::Count(args) => count::run(args),
        Command::Config(args) => config::run(args),
    }
}
