//! A file of a client or a shell, which is read with a size limit and replaced atomically, optionally with a backup.

use std::ffi::OsString;
use std::fs::{self, File, Metadata, OpenOptions};
use std::io::{self, ErrorKind, Read, Write};
use std::path::{Path, PathBuf};

use tersely_terminal::fault::CommandFault;

use crate::edit::diff;
use crate::edit::patch::{Patch, apply};

/// The maximum size, in bytes, of a settings file of a client, of a shell or of our own.
pub(crate) const SETTINGS_LIMIT: u64 = 4_000_000;

/// A file, and its new content.
#[derive(Debug)]
pub(crate) struct FileEdit {
    file: ClientFile,
    after: String,
}

impl FileEdit {
    /// Creates an edit from patches that do not overlap.
    pub(crate) fn new(file: ClientFile, mut patches: Vec<Patch>) -> Self {
        let after = apply(&file.text, &mut patches);
        Self { file, after }
    }

    /// The new content.
    pub(crate) fn after(&self) -> &str {
        &self.after
    }

    /// The changes, in colour.
    pub(crate) fn show(&self) -> String {
        show(&self.file.path, &self.file.text, &self.after)
    }

    /// Makes the changes.
    pub(crate) fn write(&self) -> Result<(), CommandFault> {
        self.file.replace(&self.after)
    }

    /// Removes the file, if it has not changed since it was read.
    pub(crate) fn remove(&self) -> Result<(), CommandFault> {
        self.file.ensure_ready()?;
        fs::remove_file(&self.file.path).map_err(|error| unwritable(&self.file.path, &error))
    }
}

/// The changes of a file as a diff, in colour.
pub(crate) fn show(path: &Path, old: &str, new: &str) -> String {
    let path = path.display();
    format!("--- {path}\n+++ {path}\n{}", diff::show(old, new))
}

/// Writes a new file with the permissions `mode`, and creates the folders above it.
pub(crate) fn create(path: &Path, text: &str, mode: u32) -> Result<(), CommandFault> {
    let written = || {
        if let Some(folder) = path.parent() {
            fs::create_dir_all(folder)?;
        }
        let new = beside(path, ".", &format!(".{}.tmp", std::process::id()));
        let mut file = open(&new, mode)?;
        file.write_all(text.as_bytes())?;
        file.sync_all()?;
        fs::rename(&new, path)
    };
    written().map_err(|error| unwritable(path, &error))
}

fn unwritable(path: &Path, error: &io::Error) -> CommandFault {
    let hint = "check that its folder can be written to; nothing was changed";
    CommandFault::unable(format!("{}: cannot be written: {error}", path.display()), hint)
}

/// Creates a file with these permissions.
fn open(path: &Path, mode: u32) -> io::Result<File> {
    let mut options = OpenOptions::new();
    options.write(true).create_new(true);
    #[cfg(unix)]
    std::os::unix::fs::OpenOptionsExt::mode(&mut options, mode);
    #[cfg(not(unix))]
    let _ = mode;
    options.open(path)
}

/// A file, and the content it had when it was read.
#[derive(Debug, Clone)]
pub(crate) struct ClientFile {
    /// Its path, with links resolved.
    pub(crate) path: PathBuf,
    /// The content.
    pub(crate) text: String,
    about: Metadata,
}

impl ClientFile {
    /// Reads a file with a maximum of `limit` bytes.
    pub(crate) fn read(path: &Path, limit: u64) -> Result<Self, CommandFault> {
        let named = path.display();
        let unable = |error: io::Error| {
            CommandFault::unable(format!("{named}: {error}"), "check that the file can be read")
        };
        let path = fs::canonicalize(path).map_err(unable)?;
        let about = fs::metadata(&path).map_err(unable)?;
        if !about.is_file() {
            let hint = "check the path: it must name a file";
            return Err(CommandFault::unable(format!("{named}: not a file"), hint));
        }
        let mut bytes = Vec::new();
        File::open(&path).and_then(|file| file.take(limit + 1).read_to_end(&mut bytes)).map_err(unable)?;
        if bytes.len() as u64 > limit {
            let message = format!("{named}: more than {} MB", limit / 1_000_000);
            return Err(CommandFault::unable(message, "a client's configuration is smaller; check the path"));
        }
        let text = String::from_utf8(bytes).map_err(|error| {
            let at = error.utf8_error().valid_up_to();
            CommandFault::unable(
                format!("{named}: not UTF-8 at byte {at}"),
                "save it as UTF-8, then run it again",
            )
        })?;
        Ok(Self { path, text, about })
    }

    /// The path of the file's backup.
    pub(crate) fn backup(&self) -> PathBuf {
        beside(&self.path, "", ".tersely-backup")
    }

    /// Replaces the file's content.
    pub(crate) fn replace(&self, text: &str) -> Result<(), CommandFault> {
        self.ensure_ready()?;
        self.write(&self.path, text)
    }

    /// Writes the content to the backup file, with the same permissions.
    pub(crate) fn keep(&self) -> Result<(), CommandFault> {
        self.ensure_ready()?;
        self.write(&self.backup(), &self.text)
    }

    /// Returns an error if the file is read-only, or has changed since it was read.
    pub(crate) fn ensure_ready(&self) -> Result<(), CommandFault> {
        let path = self.path.display();
        if self.about.permissions().readonly() {
            let hint = "make it writable, then run it again";
            return Err(CommandFault::unable(format!("{path}: read-only"), hint));
        }
        if fs::read(&self.path).ok().as_deref() != Some(self.text.as_bytes()) {
            let hint = "close the client, then run it again";
            return Err(CommandFault::unable(format!("{path}: changed while tersely was reading it"), hint));
        }
        Ok(())
    }

    /// Replaces a file atomically: a reader sees either the old content or the new.
    fn write(&self, path: &Path, text: &str) -> Result<(), CommandFault> {
        let new = beside(path, ".", &format!(".{}.tmp", std::process::id()));
        let written = self.create(&new, text).and_then(|()| fs::rename(&new, path));
        written.map_err(|error| {
            if error.kind() != ErrorKind::AlreadyExists {
                let _ = fs::remove_file(&new);
            }
            unwritable(path, &error)
        })
    }

    fn create(&self, path: &Path, text: &str) -> io::Result<()> {
        let mut file = open(path, 0o600)?;
        file.write_all(text.as_bytes())?;
        #[cfg(unix)]
        {
            use std::os::unix::fs::{MetadataExt, fchown};
            // Keeps the owner of the file. This works only for a process that may change owners; for others, the owner
            // is the same.
            let _ = fchown(&file, Some(self.about.uid()), Some(self.about.gid()));
        }
        file.set_permissions(self.about.permissions())?;
        file.sync_all()
    }
}

/// The path of a file in the same folder, with a prefix and a suffix added to the name.
fn beside(path: &Path, before: &str, after: &str) -> PathBuf {
    let mut name = OsString::from(before);
    name.push(path.file_name().unwrap_or_default());
    name.push(after);
    path.with_file_name(name)
}
