//! Compares texts with their snapshots; `TERSELY_BLESS=1` rewrites the snapshots.

use std::path::{Path, PathBuf};
use std::{env, fs};

/// Fails unless each text equals its snapshot; an empty text has none.
pub(crate) fn hold(all: impl IntoIterator<Item = (PathBuf, String)>) {
    let wrong: Vec<_> = all.into_iter().filter_map(|(snapshot, seen)| differs(&snapshot, &seen)).collect();
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

fn differs(snapshot: &Path, seen: &str) -> Option<String> {
    if env::var_os("TERSELY_BLESS").is_some() {
        bless(snapshot, seen);
    }
    let expected = fs::read_to_string(snapshot).unwrap_or_default();
    let says = || format!("{}\n--- expected\n{expected}--- seen\n{seen}", snapshot.display());
    (seen != expected).then(says)
}

fn bless(snapshot: &Path, seen: &str) {
    if !seen.is_empty() {
        fs::write(snapshot, seen).expect("a snapshot");
    } else if snapshot.exists() {
        fs::remove_file(snapshot).expect("a snapshot that can go");
    }
}
