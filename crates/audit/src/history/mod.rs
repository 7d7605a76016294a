//! Reads the conversation histories that clients keep.

mod claude_code;
mod codex;
mod diagnosis;
mod gemini;
mod lines;
mod opencode;
mod requests;
mod time;

use std::path::Path;

use crate::recording::Recording;

pub use lines::MAX_LINE_BYTES;

/// The parts of a file that were skipped.
#[derive(Debug, Default)]
pub struct HistoryFile {
    /// The number of lines that are malformed, too long, or of an unexpected type.
    pub unread: usize,
    /// True if the file is in no known format.
    pub is_foreign: bool,
}

/// Reads one file, and passes its conversations to `take` in order. The client is detected from the content.
///
/// # Errors
/// If the file cannot be opened or read.
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
