//! `tersely library`: serves the Python and TypeScript packages where they have no native part.

use std::io;
use std::process::ExitCode;

use tersely_embed::{Library, serve};
use tersely_terminal::fault::{CommandFault, Stop};

/// Answer the calls of the Python and TypeScript packages
///
/// For those packages only, which start it where they have no native part for the platform. It reads calls from
/// standard input until that ends, and settings from nowhere.
#[derive(Debug, clap::Args)]
pub(crate) struct LibraryArgs {}

/// Answers calls until standard input ends.
pub(crate) fn run(_: &LibraryArgs) -> Result<ExitCode, Stop> {
    let served = serve(&Library::default(), io::stdin().lock(), io::stdout().lock());
    served.map_err(|error| {
        CommandFault::unable(format!("standard input: {error}"), "this command is for the packages alone")
    })?;
    Ok(ExitCode::SUCCESS)
}
