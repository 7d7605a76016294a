//! Writes results to stdout, and words about them to stderr.

use std::io::{self, Write};

use clap::builder::styling::{AnsiColor, Style};

const BAD: Style = AnsiColor::Red.on_default().bold();
const HELP: Style = AnsiColor::Cyan.on_default().bold();

/// Writes `text` and a line end to stdout, byte for byte.
///
/// # Errors
///
/// When that cannot be written.
pub fn result(text: &str) -> io::Result<()> {
    let mut out = io::stdout().lock();
    out.write_all(text.as_bytes())?;
    out.write_all(b"\n")?;
    out.flush()
}

/// Writes `text` and nothing else to stdout, byte for byte.
///
/// # Errors
///
/// When that cannot be written.
pub fn bytes(text: impl AsRef<[u8]>) -> io::Result<()> {
    let mut out = io::stdout().lock();
    out.write_all(text.as_ref())?;
    out.flush()
}

/// Writes `text` and a line end to stderr.
///
/// # Errors
///
/// When that cannot be written.
pub fn note(text: &str) -> io::Result<()> {
    writeln!(io::stderr().lock(), "{text}")
}

/// Writes what is wrong and what to do to stderr, in colour on a terminal.
///
/// # Errors
///
/// When that cannot be written.
pub fn fault(message: &str, hint: &str) -> io::Result<()> {
    let mut out = anstream::stderr().lock();
    writeln!(out, "{BAD}error:{BAD:#} {message}")?;
    writeln!(out, "{HELP}hint:{HELP:#} {hint}")
}
