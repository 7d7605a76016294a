//! Finds the files of the corpus that stands beside the project.

use std::fs;
use std::path::{Path, PathBuf};

/// Every file under a folder of the corpus, in order; fails where there is no corpus.
pub(crate) fn files(folder: &str) -> Vec<PathBuf> {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../../shared/corpus").join(folder);
    let mut files = Vec::new();
    walk(&root, &mut files);
    files.sort();
    files
}

fn walk(folder: &Path, files: &mut Vec<PathBuf>) {
    let entries = fs::read_dir(folder)
        .unwrap_or_else(|error| panic!("the corpus is needed at {}: {error}", folder.display()));
    for entry in entries {
        let path = entry.expect("an entry").path();
        if path.is_dir() { walk(&path, files) } else { files.push(path) }
    }
}
