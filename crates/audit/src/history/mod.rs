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

/// What could not be read of a file.
#[derive(Debug, Default)]
pub struct HistoryFile {
    /// Lines that could not be read: broken, too long, or not what they should be.
    pub unread: usize,
    /// True when it is no history that we know.
    pub is_foreign: bool,
}

/// Reads one file, and hands on its conversations in order; whose they are, its own text tells.
///
/// # Errors
/// When it cannot be opened or read.
pub fn read(path: &Path, take: &mut dyn FnMut(Recording)) -> std::io::Result<HistoryFile> {
    let mut take = |recording: Recording| {
        if !recording.turns.is_empty() {
            take(recording);
        }
    };
    if opencode::is_database(path) {
        let unread = opencode::read_database(path, &mut take)?;
        return Ok(HistoryFile { unread: unread.unwrap_or(0), is_foreign: unread.is_none() });
    }
    let lines = lines::read(path)?;
    let found = claude_code::read(&lines.values)
        .or_else(|| codex::read(&lines.values))
        .or_else(|| gemini::read(&lines.values))
        .or_else(|| opencode::read(path, &lines.values))
        .or_else(|| requests::read(&lines.values));
    let is_foreign = found.is_none();
    found.into_iter().flatten().for_each(take);
    Ok(HistoryFile { unread: lines.unread, is_foreign })
}
