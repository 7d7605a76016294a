//! The `tersely-bench` command: reads a corpus, prints measurements, and returns an exit code.

use std::process::ExitCode;

use clap::Parser;
use tersely_bench::BenchArgs;
use tersely_terminal::fault::Stop;
use tersely_terminal::place;

fn main() -> ExitCode {
    place::only();
    tersely_bench::run(&BenchArgs::parse()).unwrap_or_else(Stop::report)
}
