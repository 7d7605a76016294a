//! One at a time: whoever changes what is recorded in a folder holds the folder for as long.

use std::fs::{self, File, TryLockError};
use std::path::{Path, PathBuf};

use tersely_terminal::fault::CommandFault;
use tersely_terminal::output;

/// A folder that is held until this is dropped.
#[derive(Debug)]
pub(crate) struct RecordTurn {
    folder: PathBuf,
    _held: Option<File>,
}

impl RecordTurn {
    /// Waits for whoever holds a folder, and holds it; it is made if need be.
    pub(crate) fn take(folder: &Path) -> Result<Self, CommandFault> {
        fs::create_dir_all(folder).map_err(|error| {
            let hint = "set XDG_STATE_HOME to a folder that can be written; what is written is recorded there";
            CommandFault::unable(format!("{}: {error}", folder.display()), hint)
        })?;
        // Where a folder cannot be held, as on Windows and some network drives, two at a time are the user's affair.
        let held = File::open(folder).ok().filter(|held| match held.try_lock() {
            Ok(()) => true,
            Err(TryLockError::WouldBlock) => {
                let _ = output::note("waiting for another tersely that is setting up");
                held.lock().is_ok()
            }
            Err(TryLockError::Error(_)) => false,
        });
        Ok(Self { folder: folder.to_owned(), _held: held })
    }
}

impl Drop for RecordTurn {
    fn drop(&mut self) {
        // Only what is empty goes.
        let _ = fs::remove_dir(&self.folder);
    }
}
