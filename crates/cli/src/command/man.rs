//! `tersely man`: prints the command-line help as manual pages.

use std::io;
use std::path::{Path, PathBuf};
use std::process::ExitCode;

use clap::Command;
use clap_mangen::{Man, generate_to};
use tersely_terminal::fault::{CommandFault, Stop};
use tersely_terminal::{command_page, output};

const EXAMPLES: &str = "\
Examples:
  tersely man | man -l -
  tersely man ~/.local/share/man/man1
  man tersely-run
  tersely man --markdown > command-line.md";

const HEAD: &str = "\
# The command line

This page contains the help text of every command. In a terminal, `tersely --help` lists the commands, and `tersely COMMAND --help` prints the help text of one command.

- Commands write results to stdout and all other messages to stderr, so a pipe receives only results.
- `compress`, `encode`, `decode`, `count` and `filter explain` read standard input if you omit the file name or pass `-`. The input must be UTF-8 text. If the input is not UTF-8, `compress` passes it through unchanged, and the other four commands reject it.
- Only `init`, `uninstall`, `mcp install`, `mcp uninstall` and `filter trust` change your files. [What is written to disk](../SECURITY.md#what-is-written-to-disk) lists every file that Tersely writes.
- An error message states the problem and then suggests a fix.
- If stderr is a terminal, commands show a progress bar for inputs of 10 MB or more.

| exit code | meaning |
|--:|---|
| 0 | The command succeeded, or the reader of its output closed the pipe early. |
| 1 | The command ran, but the result is negative: for example, the input is not JSON, the requested form cannot represent the input exactly, or you declined. |
| 2 | The command could not run: for example, a file does not exist, a flag is invalid, or the output cannot be written. |
";

/// Print the manual page, or write one page per command
#[derive(Debug, clap::Args)]
#[command(after_help = EXAMPLES)]
pub(crate) struct ManArgs {
    /// The folder to write the pages to; if omitted, the main page goes to standard output
    pub folder: Option<PathBuf>,
    /// Print a Markdown page that covers all commands
    #[arg(long, conflicts_with = "folder")]
    pub markdown: bool,
}

/// Prints the main page, or writes all pages to a folder.
pub(crate) fn run(args: &ManArgs, mut commands: Command) -> Result<ExitCode, Stop> {
    if args.markdown {
        output::bytes(command_page::page(HEAD, &mut commands))?;
    } else if let Some(folder) = &args.folder {
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
    CommandFault::unable(message, "name a folder that you can write to")
}
