//! Lists the files and folders of a corpus, sorted by name.

use std::fs;
use std::path::{Path, PathBuf};

/// The files of a directory, sorted by name; empty if the directory does not exist.
pub(crate) fn files(dir: &Path) -> Vec<PathBuf> {
    entries(dir, Path::is_file)
}

/// The folders of a directory, sorted by name; empty if the directory does not exist.
pub(crate) fn folders(dir: &Path) -> Vec<PathBuf> {
    entries(dir, Path::is_dir)
}

/// The name of a file or folder.
pub(crate) fn name(path: &Path) -> String {
    path.file_name().unwrap_or_default().to_string_lossy().into_owned()
}

fn entries(dir: &Path, wanted: fn(&Path) -> bool) -> Vec<PathBuf> {
    let entries = fs::read_dir(dir).into_iter().flatten().flatten();
    let mut paths: Vec<_> = entries.map(|entry| entry.path()).filter(|path| wanted(path)).collect();
    paths.sort();
    paths
}
