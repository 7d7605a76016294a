//! One at a time: whoever changes what is recorded in a folder holds the folder for as long.

use std::fs::{self, File, TryLockError};
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicBool, Ordering};

use tersely_terminal::fault::CommandFault;
use tersely_terminal::output;

/// True while this process holds a folder: one part of a command may ask again for what another holds.
static IS_HELD: AtomicBool = AtomicBool::new(false);

/// A folder that is held until this is dropped.
#[derive(Debug)]
pub(crate) struct RecordTurn {
    folder: PathBuf,
    _held: Option<File>,
    is_first: bool,
}

impl RecordTurn {
    /// Waits for whoever holds a folder, and holds it; it is made if need be.
    pub(crate) fn take(folder: &Path) -> Result<Self, CommandFault> {
        fs::create_dir_all(folder).map_err(|error| {
            let hint =
                "set XDG_STATE_HOME to a folder that can be written; what is written is recorded there";
            CommandFault::unable(format!("{}: {error}", folder.display()), hint)
        })?;
        if IS_HELD.swap(true, Ordering::SeqCst) {
            return Ok(Self { folder: folder.to_owned(), _held: None, is_first: false });
        }
        // Where a folder cannot be held, as on Windows and some network drives, two at a time are the user's affair.
        let held = File::open(folder).ok().filter(|held| match held.try_lock() {
            Ok(()) => true,
            Err(TryLockError::WouldBlock) => {
                let _ = output::note("waiting for another tersely that is setting up");
                held.lock().is_ok()
            }
            Err(TryLockError::Error(_)) => false,
        });
        Ok(Self { folder: folder.to_owned(), _held: held, is_first: true })
    }
}

impl Drop for RecordTurn {
    fn drop(&mut self) {
        if self.is_first {
            // Only what is empty goes.
            let _ = fs::remove_dir(&self.folder);
            IS_HELD.store(false, Ordering::SeqCst);
        }
    }
}
