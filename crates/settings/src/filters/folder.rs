//! The files of filters in a folder.

use std::fs;
use std::path::{Path, PathBuf};

/// More files in one folder are not read.
const MAX_FILES: usize = 256;

/// The files of a folder that end as filters do, by name.
pub(super) fn files(folder: &Path) -> Vec<PathBuf> {
    let entries = fs::read_dir(folder).into_iter().flatten().flatten();
    // What is no plain file might never end.
    let is_filter = |path: &PathBuf| path.extension().is_some_and(|end| end == "toml") && path.is_file();
    let mut files: Vec<PathBuf> = entries.map(|entry| entry.path()).filter(is_filter).collect();
    files.sort();
    files.truncate(MAX_FILES);
    files
}
