//! The files of a folder.

#![expect(clippy::expect_used, reason = "a test fails loudly, its helpers too")]

use std::fs;
use std::path::{Path, PathBuf};

/// All files below a folder, in order; none where there is no such folder.
pub(crate) fn files(folder: &Path) -> Vec<PathBuf> {
    let Ok(entries) = fs::read_dir(folder) else { return Vec::new() };
    let mut files: Vec<PathBuf> = entries
        .map(|entry| entry.expect("an entry").path())
        .flat_map(|path| if path.is_dir() { files(&path) } else { vec![path] })
        .collect();
    files.sort();
    files
}
