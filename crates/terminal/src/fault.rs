//! Ends a command early: says what is wrong and what to do, and sets the exit code.

use std::io::{self, ErrorKind};
use std::process::ExitCode;

use crate::output;

/// Ran, and the answer is no.
pub const NO: u8 = 1;
/// Could not run.
pub const UNABLE: u8 = 2;

/// Why a command ended early.
#[derive(Debug)]
pub enum Stop {
    /// Something is wrong, and the user can do something about it.
    Fault(CommandFault),
    /// The result could not be written.
    Output(io::Error),
}

/// What is wrong, and what to do about it.
#[derive(Debug)]
pub struct CommandFault {
    code: u8,
    /// What is wrong.
    pub message: String,
    hint: String,
}

impl Stop {
    /// Tells the user, and gives the exit code; a reader that has seen enough is no fault.
    #[must_use]
    pub fn report(self) -> ExitCode {
        match self {
            Self::Output(error) if error.kind() == ErrorKind::BrokenPipe => ExitCode::SUCCESS,
            Self::Output(error) => CommandFault::unable(
                format!("cannot write the result: {error}"),
                "free some space there, then run it again",
            )
            .report(),
            Self::Fault(fault) => fault.report(),
        }
    }
}

impl CommandFault {
    /// The command ran, and the answer is no.
    #[must_use]
    pub fn no(message: impl Into<String>, hint: impl Into<String>) -> Self {
        Self { code: NO, message: message.into(), hint: hint.into() }
    }

    /// The command could not run.
    #[must_use]
    pub fn unable(message: impl Into<String>, hint: impl Into<String>) -> Self {
        Self { code: UNABLE, message: message.into(), hint: hint.into() }
    }

    /// Tells the user; when even stderr is gone, the exit code still speaks.
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
