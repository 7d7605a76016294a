//! A temporary file for one client, readable only by the user.

use std::fs::{self, DirBuilder, OpenOptions};
use std::io::{self, Write};
use std::path::{Path, PathBuf};

/// A file in a private folder; both are removed on drop.
#[derive(Debug, PartialEq, Eq)]
pub struct PrivateFile {
    folder: PathBuf,
    path: PathBuf,
}

/// The maximum number of folder names to try, because some may be in use.
const MAX_ATTEMPTS: u32 = 1_000;

impl PrivateFile {
    /// Writes a text, which may contain keys.
    ///
    /// # Errors
    /// If the folder or the file cannot be created.
    pub fn new(name: &str, text: &str) -> io::Result<Self> {
        let folder = folder()?;
        let made = Self { path: folder.join(name), folder };
        let mut options = OpenOptions::new();
        options.write(true).create_new(true);
        #[cfg(unix)]
        std::os::unix::fs::OpenOptionsExt::mode(&mut options, 0o600);
        options.open(&made.path)?.write_all(text.as_bytes())?;
        Ok(made)
    }

    /// The path of the file.
    #[must_use]
    pub fn path(&self) -> &Path {
        &self.path
    }
}

impl Drop for PrivateFile {
    fn drop(&mut self) {
        let _ = fs::remove_dir_all(&self.folder);
    }
}

/// Creates a new folder. An existing folder is an error, because someone else may have prepared it.
fn folder() -> io::Result<PathBuf> {
    let mut builder = DirBuilder::new();
    #[cfg(unix)]
    std::os::unix::fs::DirBuilderExt::mode(&mut builder, 0o700);
    let paths =
        (0..MAX_ATTEMPTS).map(|at| std::env::temp_dir().join(format!("tersely-{}-{at}", std::process::id())));
    let mut last = io::Error::from(io::ErrorKind::AlreadyExists);
    for path in paths {
        match builder.create(&path) {
            Ok(()) => return Ok(path),
            Err(error) if error.kind() == io::ErrorKind::AlreadyExists => last = error,
            Err(error) => return Err(error),
        }
    }
    Err(last)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_file_is_ours_alone_and_gone_afterwards() {
        let (one, two) = (PrivateFile::new("a.json", "1"), PrivateFile::new("a.json", "2"));
        let (one, two) = (one.expect("a file"), two.expect("another"));
        assert_ne!(one.path(), two.path());
        assert_eq!(fs::read_to_string(one.path()).ok().as_deref(), Some("1"));
        #[cfg(unix)]
        for (path, mode) in [(one.path(), 0o600), (&one.folder, 0o700)] {
            let permissions = fs::metadata(path).expect("it is there").permissions();
            assert_eq!(std::os::unix::fs::PermissionsExt::mode(&permissions) & 0o777, mode);
        }
        let path = one.path().to_owned();
        drop(one);
        assert!(!path.exists() && two.path().exists());
    }
}
