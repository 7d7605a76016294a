//! The `tersely` command: flags and files in, text and an exit code out.
//!
//! Exit codes: 0 done, 1 ran and the answer is no, 2 could not run.

mod account;
mod args;
mod command;
mod fault;
mod input;
mod output;
mod place;
mod progress;
mod proxy;
mod saved;
mod settings;
mod share;
mod signals;
mod table;

use std::process::ExitCode;

use clap::Parser;

fn main() -> ExitCode {
    place::only();
    command::run(&args::Args::parse().command).unwrap_or_else(fault::Stop::report)
}
