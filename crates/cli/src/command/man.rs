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

`tersely --help` lists the commands, and `tersely COMMAND --help` prints what this page says about one.

- Results go to stdout, everything else to stderr, so pipes stay clean.
- `compress`, `encode`, `decode`, `count` and `filter explain` read standard input if no file is named or the file is `-`. Input is UTF-8 text; `compress` passes anything else through unchanged, and the others refuse it.
- Only `init`, `uninstall`, `mcp install`, `mcp uninstall` and `filter trust` write your files ([everything that is written](../SECURITY.md#what-is-written-to-disk)).
- An error says what is wrong, then what to do. For inputs of 10 MB or more, commands show a progress bar if stderr is a terminal.

| exit code | means |
|--:|---|
| 0 | success; also if the reader of a pipe closes it early |
| 1 | ran, and the answer is no: not JSON, not exact, or declined |
| 2 | could not run: no such file, a wrong flag, nowhere to write |
";

/// Print the manual, or write a page per command
#[derive(Debug, clap::Args)]
#[command(after_help = EXAMPLES)]
pub(crate) struct ManArgs {
    /// The folder to write to; the first page goes to standard output if omitted
    pub folder: Option<PathBuf>,
    /// Print one Markdown page about all commands
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
    CommandFault::unable(message, "name a folder that you may write to")
}
