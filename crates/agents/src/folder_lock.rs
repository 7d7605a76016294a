//! Locks the folder of receipts, so that only one process changes them at a time.

use std::fs::{self, File, TryLockError};
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicBool, Ordering};

use tersely_terminal::fault::CommandFault;
use tersely_terminal::output;

/// True while this process holds the lock, so that one command can take it more than once.
static IS_HELD: AtomicBool = AtomicBool::new(false);

/// The lock on a folder, released on drop.
#[derive(Debug)]
pub(crate) struct RecordTurn {
    folder: PathBuf,
    _held: Option<File>,
    is_first: bool,
}

impl RecordTurn {
    /// Waits for the lock on a folder. The folder is created if needed.
    pub(crate) fn take(folder: &Path) -> Result<Self, CommandFault> {
        fs::create_dir_all(folder).map_err(|error| {
            let hint = "set XDG_STATE_HOME to a writable folder; every change is recorded there";
            CommandFault::unable(format!("{}: {error}", folder.display()), hint)
        })?;
        if IS_HELD.swap(true, Ordering::SeqCst) {
            return Ok(Self { folder: folder.to_owned(), _held: None, is_first: false });
        }
        // Some systems cannot lock folders, such as Windows and some network drives. Concurrent runs are not prevented
        // there.
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
            // Removes the folder only if it is empty.
            let _ = fs::remove_dir(&self.folder);
            IS_HELD.store(false, Ordering::SeqCst);
        }
    }
}
