//! `tersely init`, and the gateway for its `--verify` flag.

mod verify;

use std::process::ExitCode;

use tersely_terminal::fault::Stop;

pub(crate) use tersely_agents::init::InitArgs;

/// Runs the command.
pub(crate) fn run(args: &InitArgs) -> Result<ExitCode, Stop> {
    tersely_agents::init::run(args, &verify::run)
}
