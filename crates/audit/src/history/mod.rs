//! Reads what clients keep of their conversations.

mod claude_code;
mod codex;
mod gemini;
mod lines;
mod opencode;
mod requests;
mod time;

use std::path::Path;

use crate::recording::Recording;

pub use lines::LONGEST;

/// What a file of a client's history holds.
#[derive(Debug, Default)]
pub struct HistoryFile {
    /// Its conversations, in order.
    pub recordings: Vec<Recording>,
    /// Lines that could not be read: broken, too long, or not what they should be.
    pub unread: usize,
    /// True when it is no history that we know.
    pub is_foreign: bool,
}

/// Reads one file; whose it is, its own text tells.
///
/// # Errors
/// When it cannot be opened or read.
pub fn read(path: &Path) -> std::io::Result<HistoryFile> {
    let lines = lines::read(path)?;
    let mut file = HistoryFile { unread: lines.unread, ..HistoryFile::default() };
    let found = claude_code::read(&lines.values)
        .or_else(|| codex::read(&lines.values))
        .or_else(|| gemini::read(&lines.values))
        .or_else(|| opencode::read(path, &lines.values))
        .or_else(|| requests::read(&lines.values));
    match found {
        Some(found) => file.recordings = found.into_iter().filter(|it| !it.turns.is_empty()).collect(),
        None => file.is_foreign = true,
    }
    Ok(file)
}
