//! Remembers which filter folders the user trusts, by a hash of their content.

use std::fmt::Write as _;
use std::io;
use std::path::{Path, PathBuf};
use std::{fs, iter};

use sha2::{Digest, Sha256};

use super::folder::files;
use crate::file::load;

/// The file that lists trusted folders, in the user's configuration folder.
const NAME: &str = "trusted-filters";

/// True when a folder is trusted and has not changed since.
pub(super) fn is_trusted(config: &Path, folder: &Path) -> bool {
    let Some(now) = line(folder) else { return false };
    fs::read_to_string(config.join(NAME)).is_ok_and(|known| known.lines().any(|known| known == now))
}

/// Records that the user trusts a folder with its current content.
///
/// # Errors
/// If the folder or the list cannot be read or written.
pub fn record(config: &Path, folder: &Path) -> io::Result<()> {
    let now = line(folder).ok_or_else(|| io::Error::other("a file in this folder cannot be read"))?;
    write_lines(config, NAME, others(config, folder).chain(iter::once(now)))
}

/// Stops trusting a folder. False when it was not trusted.
///
/// # Errors
/// If the list cannot be written.
pub fn forget(config: &Path, folder: &Path) -> io::Result<bool> {
    let before = fs::read_to_string(config.join(NAME)).unwrap_or_default().lines().count();
    let others: Vec<String> = others(config, folder).collect();
    let known = others.len() < before;
    if known {
        write_lines(config, NAME, others.into_iter())?;
    }
    Ok(known)
}

/// The recorded lines about other folders.
fn others(config: &Path, folder: &Path) -> impl Iterator<Item = String> {
    let known = fs::read_to_string(config.join(NAME)).unwrap_or_default();
    let folder = folder.to_string_lossy().into_owned();
    let lines: Vec<String> = known.lines().map(str::to_owned).collect();
    lines.into_iter().filter(move |line| line.split_once(' ').is_none_or(|(_, path)| path != folder))
}

/// Writes a file of the user's, atomically: a concurrent reader sees either the old content or the new.
///
/// # Errors
/// If the file cannot be written.
pub fn write_lines(config: &Path, name: &str, lines: impl Iterator<Item = String>) -> io::Result<()> {
    let text: String = lines.map(|line| line + "\n").collect();
    fs::create_dir_all(config)?;
    let beside: PathBuf = config.join(format!("{name}.{}", std::process::id()));
    fs::write(&beside, text)?;
    fs::rename(beside, config.join(name))
}

/// One line with the folder's path and a hash of its content. `None` when a file in the folder cannot be read, or the
/// path contains a line break.
fn line(folder: &Path) -> Option<String> {
    let mut hash = Sha256::new();
    for path in files(folder) {
        let bytes = load(&path).ok()?;
        let name = path.file_name()?.to_str()?;
        for part in [name.as_bytes(), &bytes] {
            hash.update((part.len() as u64).to_le_bytes());
            hash.update(part);
        }
    }
    let mut line = String::new();
    for byte in hash.finalize() {
        write!(line, "{byte:02x}").ok()?;
    }
    let folder = folder.to_str().filter(|folder| !folder.contains('\n'))?;
    Some(format!("{line} {folder}"))
}
