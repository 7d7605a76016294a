//! Finds the history files of clients.

use std::collections::HashSet;
use std::env;
use std::fs;
use std::path::{Path, PathBuf};

/// Where clients store their histories: a folder in the user's home, or the folder in a variable.
const PLACES: [(&str, &str, &str); 7] = [
    ("CLAUDE_CONFIG_DIR", ".claude", "projects"),
    ("CODEX_HOME", ".codex", "sessions"),
    ("CODEX_HOME", ".codex", "archived_sessions"),
    ("XDG_DATA_HOME", ".local/share", "opencode/opencode.db"),
    ("XDG_DATA_HOME", ".local/share", "opencode/storage/session"),
    ("", ".gemini", "tmp"),
    ("", ".config/Code/User/globalStorage/saoudrizwan.claude-dev", "tasks"),
];

/// The maximum folder depth.
const DEPTH: usize = 12;

/// The folders and files of clients that exist on this machine.
pub(super) fn places() -> Vec<PathBuf> {
    let home = env::home_dir().unwrap_or_default();
    let place = |(variable, folder, inner): (&str, &str, &str)| {
        let named = env::var_os(variable).filter(|it| !variable.is_empty() && !it.is_empty());
        named.map_or_else(|| home.join(folder), PathBuf::from).join(inner)
    };
    PLACES.into_iter().map(place).filter(|place| place.exists()).collect()
}

/// A file, and its size in bytes.
pub(super) type Found = (PathBuf, u64);

/// The history files at these paths, and errors. A folder reached twice through links is searched once.
pub(super) fn files(paths: &[PathBuf]) -> (Vec<Found>, Vec<String>) {
    let mut search = FileSearch::default();
    for path in paths {
        search.look(path, DEPTH, true);
    }
    search.files.sort();
    (search.files, search.faults)
}

#[derive(Default)]
struct FileSearch {
    files: Vec<Found>,
    faults: Vec<String>,
    seen: HashSet<PathBuf>,
}

impl FileSearch {
    fn look(&mut self, path: &Path, depth: usize, is_named: bool) {
        let (known, about) = match path.canonicalize().and_then(|known| Ok((known, fs::metadata(path)?))) {
            Ok(found) => found,
            Err(error) => return self.faults.push(format!("{}: {error}", path.display())),
        };
        if !self.seen.insert(known) {
            return;
        }
        if about.is_dir() {
            return self.folder(path, depth);
        }
        let is_history = path.extension().is_some_and(|it| it == "jsonl" || it == "json");
        if about.is_file() && (is_named || is_history) {
            self.files.push((path.to_owned(), about.len()));
        }
    }

    fn folder(&mut self, path: &Path, depth: usize) {
        if depth == 0 {
            return self.faults.push(format!("{}: folders are nested too deeply", path.display()));
        }
        match fs::read_dir(path) {
            Ok(inside) => inside.flatten().for_each(|inner| self.look(&inner.path(), depth - 1, false)),
            Err(error) => self.faults.push(format!("{}: {error}", path.display())),
        }
    }
}
