//! The `tersely-bench` command: a corpus in, measurements and an exit code out.

use std::process::ExitCode;

use clap::Parser;
use tersely_bench::BenchArgs;
use tersely_terminal::fault::Stop;
use tersely_terminal::place;

fn main() -> ExitCode {
    place::only();
    tersely_bench::run(&BenchArgs::parse()).unwrap_or_else(Stop::report)
}
