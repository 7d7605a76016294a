//! `tersely man`: prints the command-line help as manual pages.

use std::io;
use std::path::{Path, PathBuf};
use std::process::ExitCode;

use clap::Command;
use clap_mangen::{Man, generate_to};
use tersely_terminal::fault::{CommandFault, Stop};
use tersely_terminal::output;

const EXAMPLES: &str = "\
Examples:
  tersely man | man -l -
  tersely man ~/.local/share/man/man1
  man tersely-run";

/// Print the manual page, or write a page for every command to a folder
#[derive(Debug, clap::Args)]
#[command(after_help = EXAMPLES)]
pub(crate) struct ManArgs {
    /// The folder to write to; the first page goes to standard output if omitted
    pub folder: Option<PathBuf>,
}

/// Prints the main page, or writes all pages to a folder.
pub(crate) fn run(args: &ManArgs, commands: Command) -> Result<ExitCode, Stop> {
    if let Some(folder) = &args.folder {
        write(folder, commands).map_err(|error| unwritten(folder, &error))?;
    } else {
        let mut page = Vec::new();
        Man::new(commands).render(&mut page)?;
        output::bytes(page)?;
    }
    Ok(ExitCode::SUCCESS)
}

fn write(folder: &Path, commands: Command) -> io::Result<()> {
    std::fs::create_dir_all(folder)?;
    generate_to(commands, folder)
}

fn unwritten(folder: &Path, error: &io::Error) -> CommandFault {
    let message = format!("cannot write the pages to {}: {error}", folder.display());
    CommandFault::unable(message, "name a folder that you may write to")
}
