//! Errors that end a command: a message, a hint and an exit code.

use std::io::{self, ErrorKind};
use std::process::ExitCode;

use crate::output;

/// Exit code of a command that ran and gave a negative answer.
pub const NO: u8 = 1;
/// Exit code of a command that could not run.
pub const UNABLE: u8 = 2;

/// The reason why a command ended early.
#[derive(Debug)]
pub enum Stop {
    /// An error that the user can fix.
    Fault(CommandFault),
    /// The result could not be written.
    Output(io::Error),
}

/// An error, and a hint on how to fix it.
#[derive(Debug)]
pub struct CommandFault {
    code: u8,
    /// What is wrong.
    pub message: String,
    hint: String,
}

impl Stop {
    /// Prints the error and returns the exit code. A closed pipe is not an error: its reader needs no more output.
    #[must_use]
    pub fn report(self) -> ExitCode {
        match self {
            Self::Output(error) if error.kind() == ErrorKind::BrokenPipe => ExitCode::SUCCESS,
            Self::Output(error) => CommandFault::unable(
                format!("cannot write the result: {error}"),
                "free some disk space, then run the command again",
            )
            .report(),
            Self::Fault(fault) => fault.report(),
        }
    }
}

impl CommandFault {
    /// An error of a command that ran and gave a negative answer.
    #[must_use]
    pub fn no(message: impl Into<String>, hint: impl Into<String>) -> Self {
        Self { code: NO, message: message.into(), hint: hint.into() }
    }

    /// An error of a command that could not run.
    #[must_use]
    pub fn unable(message: impl Into<String>, hint: impl Into<String>) -> Self {
        Self { code: UNABLE, message: message.into(), hint: hint.into() }
    }

    /// Prints the error. If stderr is closed, the exit code still reports it.
    fn report(&self) -> ExitCode {
        let _ = output::fault(&self.message, &self.hint);
        ExitCode::from(self.code)
    }
}

impl From<CommandFault> for Stop {
    fn from(fault: CommandFault) -> Self {
        Self::Fault(fault)
    }
}

impl From<io::Error> for Stop {
    fn from(error: io::Error) -> Self {
        Self::Output(error)
    }
}
