//! Lists the filter files in a folder.

use std::fs;
use std::path::{Path, PathBuf};

/// The maximum number of files that are read from one folder.
const MAX_FILES: usize = 256;

/// The filter files in a folder, sorted by name.
pub(super) fn files(folder: &Path) -> Vec<PathBuf> {
    let entries = fs::read_dir(folder).into_iter().flatten().flatten();
    // Only regular files are read: a pipe or a device might never end.
    let is_filter = |path: &PathBuf| path.extension().is_some_and(|end| end == "toml") && path.is_file();
    let mut files: Vec<PathBuf> = entries.map(|entry| entry.path()).filter(is_filter).collect();
    files.sort();
    files.truncate(MAX_FILES);
    files
}
