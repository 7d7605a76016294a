//! Writes results to stdout, and messages to stderr.

use std::io::{self, Write};
use std::sync::OnceLock;

use clap::builder::styling::{AnsiColor, Style};

const BAD: Style = AnsiColor::Red.on_default().bold();
const HELP: Style = AnsiColor::Cyan.on_default().bold();

/// Writes `text`, unchanged, and a line end to stdout.
///
/// # Errors
///
/// Fails if stdout cannot be written.
pub fn result(text: &str) -> io::Result<()> {
    let mut out = io::stdout().lock();
    out.write_all(text.as_bytes())?;
    out.write_all(b"\n")?;
    out.flush()
}

/// Writes `text`, unchanged, and nothing else to stdout.
///
/// # Errors
///
/// Fails if stdout cannot be written.
pub fn bytes(text: impl AsRef<[u8]>) -> io::Result<()> {
    let mut out = io::stdout().lock();
    out.write_all(text.as_ref())?;
    out.flush()
}

/// Writes `text` to stdout. Removes its colours unless stdout is a terminal.
///
/// # Errors
///
/// Fails if stdout cannot be written.
pub fn with_colors(text: &str) -> io::Result<()> {
    let mut out = anstream::stdout().lock();
    out.write_all(text.as_bytes())?;
    out.flush()
}

/// Escapes the control characters in a text, so that it cannot move the cursor or change colours.
#[must_use]
pub fn visible(text: &str) -> String {
    let mut seen = String::new();
    for letter in text.chars() {
        if letter.is_control() && letter != '\t' {
            seen.extend(letter.escape_default());
        } else {
            seen.push(letter);
        }
    }
    seen
}

/// Writes notes in the place of this thread.
type NoteWriter = Box<dyn Fn(&str) + Send + Sync>;

static NOTE_WRITER: OnceLock<NoteWriter> = OnceLock::new();

/// From now on, `write` gets the notes of this process, each with its line end. A server's log owns stderr, and waits
/// as long as nobody reads it; nothing else may wait with it. The first call counts.
pub fn divert_notes(write: impl Fn(&str) + Send + Sync + 'static) {
    // A second server in one process has the same stderr.
    let _ = NOTE_WRITER.set(Box::new(write));
}

/// Writes `text` and a line end to stderr.
///
/// # Errors
///
/// Fails if stderr cannot be written.
pub fn note(text: &str) -> io::Result<()> {
    match NOTE_WRITER.get() {
        Some(write) => {
            write(&format!("{text}\n"));
            Ok(())
        }
        None => writeln!(io::stderr().lock(), "{text}"),
    }
}

/// Writes an error and a hint to stderr, in colour if stderr is a terminal.
///
/// # Errors
///
/// Fails if stderr cannot be written.
pub fn fault(message: &str, hint: &str) -> io::Result<()> {
    let mut out = anstream::stderr().lock();
    writeln!(out, "{BAD}error:{BAD:#} {message}")?;
    writeln!(out, "{HELP}hint:{HELP:#} {hint}")
}

#[cfg(test)]
mod tests {
    use super::visible;

    #[test]
    fn nothing_visible_moves_the_cursor() {
        for (text, seen) in
            [("a\tC:\\b é", "a\tC:\\b é"), ("\u{1b}[2J\r\n", "\\u{1b}[2J\\r\\n"), ("\u{9b}", "\\u{9b}")]
        {
            assert_eq!(visible(text), seen);
        }
    }
}
