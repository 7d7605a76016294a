//! Consent to write: given by a flag, or asked for on the terminal.

use std::io::{self, BufRead as _, IsTerminal as _, Write as _};

use tersely_terminal::fault::{CommandFault, Stop};

/// Flags that answer the question whether to write.
#[derive(Debug, clap::Args)]
pub struct Consent {
    /// Write the changes without asking for confirmation
    #[arg(long, short)]
    pub yes: bool,
    /// Show the changes without writing them
    #[arg(long, conflicts_with = "yes")]
    pub dry_run: bool,
}

impl Consent {
    /// True if the changes are to be written. Asks the user unless a flag decides.
    ///
    /// # Errors
    /// If there is nobody to ask.
    pub fn confirm(&self, question: &str) -> Result<bool, Stop> {
        if self.dry_run || self.yes {
            return Ok(self.yes);
        }
        if !io::stdin().is_terminal() {
            let hint = "add --yes to write these changes, or --dry-run to only show them";
            let message = "nothing was written: there is no terminal to ask for confirmation";
            return Err(CommandFault::unable(message, hint).into());
        }
        ask(question)
    }
}

/// Asks on the terminal. Any answer other than yes means no.
///
/// # Errors
/// If the terminal cannot be read or written.
pub fn ask(question: &str) -> Result<bool, Stop> {
    let mut asked = io::stderr().lock();
    write!(asked, "{question} [y/N] ")?;
    asked.flush()?;
    let mut answer = String::new();
    if io::stdin().lock().read_line(&mut answer)? == 0 {
        writeln!(asked)?;
    }
    Ok(["y", "yes"].contains(&answer.trim().to_ascii_lowercase().as_str()))
}
