//! `tersely completions`: prints shell completions.

use std::process::ExitCode;

use clap::Command;
use clap_complete::{Shell, generate};
use tersely_terminal::fault::Stop;
use tersely_terminal::output;

const EXAMPLES: &str = "\
Examples:
  tersely completions bash > ~/.local/share/bash-completion/completions/tersely
  tersely completions zsh > ~/.zfunc/_tersely          # a folder in your fpath
  tersely completions fish > ~/.config/fish/completions/tersely.fish
  tersely completions powershell >> $PROFILE

The Debian package and Homebrew install these completions automatically.";

/// Print shell completions
#[derive(Debug, clap::Args)]
#[command(after_help = EXAMPLES)]
pub(crate) struct CompletionsArgs {
    /// The shell to print completions for
    pub shell: Shell,
}

/// Prints the completions for these commands.
pub(crate) fn run(args: &CompletionsArgs, mut commands: Command) -> Result<ExitCode, Stop> {
    let mut script = Vec::new();
    generate(args.shell, &mut commands, "tersely", &mut script);
    output::bytes(script)?;
    Ok(ExitCode::SUCCESS)
}
