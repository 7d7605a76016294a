//! Reads the workspace for the style checks: code without comments, comments without code.

#![expect(clippy::expect_used, reason = "a test fails loudly, its helpers too")]

mod imports;
mod item;
mod mask;
mod participle;

use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

pub(crate) use imports::{Imports, circles};
pub(crate) use item::{Function, Type};
pub(crate) use participle::is_participle;

/// A Rust file of a crate.
pub(crate) struct Source {
    /// The path from the root of the repository.
    pub path: String,
    /// The directory of the crate under `crates/`.
    pub room: String,
    pub text: String,
    /// The code, with comments, strings and test modules blanked out.
    pub code: String,
    /// The comments, with everything else blanked out.
    pub comments: String,
}

impl Source {
    fn open(path: &Path) -> Self {
        let text = fs::read_to_string(root().join(path)).expect("a source");
        Self::new(&path.to_string_lossy().replace('\\', "/"), &text)
    }

    /// The source `text`, as if it were at `path`.
    pub(crate) fn new(path: &str, text: &str) -> Self {
        let room = path.split('/').nth(1).unwrap_or_default().to_owned();
        let (code, comments) = mask::split(text);
        let code = mask::without_tests(code);
        Self { path: path.to_owned(), room, text: text.to_owned(), code, comments }
    }

    /// True for files that are data: they have no size limits.
    pub(crate) fn is_table(&self) -> bool {
        self.text.starts_with("//! Table:")
    }

    /// The number of lines without test modules.
    pub(crate) fn length(&self) -> usize {
        let (all, _) = mask::split(&self.text);
        let tests = all.lines().zip(self.code.lines()).filter(|(before, after)| before != after).count();
        self.text.lines().count() - tests
    }

    pub(crate) fn functions(&self) -> Vec<Function> {
        item::functions(&self.code)
    }

    pub(crate) fn types(&self) -> Vec<Type> {
        item::types(&self.code)
    }

    /// Formats a fault at a byte offset as `path:line: message`.
    pub(crate) fn fault(&self, offset: usize, message: &str) -> String {
        format!("{}:{}: {message}", self.path, item::line(&self.text, offset))
    }
}

/// The root of the repository.
pub(crate) fn root() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../..")
}

/// The crates, by directory and manifest.
pub(crate) fn crates() -> Vec<(String, String)> {
    let mut found: Vec<_> = fs::read_dir(root().join("crates"))
        .expect("crates")
        .flatten()
        .filter_map(|entry| {
            let manifest = fs::read_to_string(entry.path().join("Cargo.toml")).ok()?;
            Some((entry.file_name().to_string_lossy().into_owned(), manifest))
        })
        .collect();
    found.sort();
    found
}

/// The Rust files under `crates/*/src`.
pub(crate) fn products() -> Vec<Source> {
    rust_files()
        .iter()
        .filter(|path| path.iter().nth(2).is_some_and(|part| part == "src"))
        .map(|path| Source::open(path))
        .collect()
}

/// Every Rust file under `crates`, including tests.
pub(crate) fn sources() -> Vec<Source> {
    rust_files().iter().map(|path| Source::open(path)).collect()
}

fn rust_files() -> Vec<PathBuf> {
    let mut found = Vec::new();
    walk(Path::new("crates"), &mut found);
    found.sort();
    assert!(!found.is_empty(), "no Rust file found under crates");
    found
}

fn walk(dir: &Path, found: &mut Vec<PathBuf>) {
    for entry in fs::read_dir(root().join(dir)).expect("a directory").flatten() {
        let path = dir.join(entry.file_name());
        if entry.path().is_dir() {
            walk(&path, found);
        } else if path.extension().is_some_and(|extension| extension == "rs") {
            found.push(path);
        }
    }
}

/// All files that are not ignored by git, with their text unless they are binary.
pub(crate) fn tracked() -> Vec<(String, Option<String>)> {
    let listing = Command::new("git")
        .args(["ls-files", "-z", "--cached", "--others", "--exclude-standard"])
        .current_dir(root())
        .output()
        .expect("git runs");
    assert!(listing.status.success(), "git lists no files: {}", String::from_utf8_lossy(&listing.stderr));
    let paths = String::from_utf8(listing.stdout).expect("paths in UTF-8");
    let read = |path: &str| (path.to_owned(), fs::read_to_string(root().join(path)).ok());
    paths.split_terminator('\0').map(read).collect()
}

/// The offsets of `word` as a whole word in `text`.
pub(crate) fn words<'a>(text: &'a str, word: &'a str) -> impl Iterator<Item = usize> + 'a {
    let part = |byte: Option<&u8>| byte.is_some_and(|byte| byte.is_ascii_alphanumeric() || *byte == b'_');
    text.match_indices(word).map(|(offset, _)| offset).filter(move |&offset| {
        let bytes = text.as_bytes();
        !part(offset.checked_sub(1).and_then(|before| bytes.get(before)))
            && !part(bytes.get(offset + word.len()))
    })
}
