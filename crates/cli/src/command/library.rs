//! `tersely library`: serves the Python and TypeScript packages where they have no native part.

use std::io;
use std::process::ExitCode;

use tersely_embed::{Library, serve};
use tersely_terminal::fault::{CommandFault, Stop};

/// Answer calls from the Python and TypeScript packages
///
/// Only these packages use this command. They start it on platforms for which they have no native part. It reads calls
/// from standard input until the input ends, and it reads no settings.
#[derive(Debug, clap::Args)]
pub(crate) struct LibraryArgs {}

/// Answers calls until standard input ends.
pub(crate) fn run(_: &LibraryArgs) -> Result<ExitCode, Stop> {
    let served = serve(&Library::default(), io::stdin().lock(), io::stdout().lock());
    served.map_err(|error| {
        CommandFault::unable(
            format!("standard input: {error}"),
            "only the Python and TypeScript packages use this command",
        )
    })?;
    Ok(ExitCode::SUCCESS)
}
