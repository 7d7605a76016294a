//! Reads a file or standard input as text, and reports errors with hints.

use std::fs::File;
use std::io::{self, ErrorKind, IsTerminal, Read};
use std::path::{Path, PathBuf};

use crate::fault::CommandFault;
use crate::{output, progress};

/// A text, and the name that messages use for it.
#[derive(Debug)]
pub struct Input {
    /// The path of the file, or `<stdin>`.
    pub name: String,
    /// The content of the file or of standard input.
    pub text: String,
}

/// A text, or bytes that are not UTF-8.
#[derive(Debug)]
pub enum Raw {
    /// A text.
    Text(Input),
    /// Bytes that are not UTF-8, and the error to report if a text is required.
    Bytes(CommandFault, Vec<u8>),
}

/// Reads the file at `path`, or standard input if `path` is `None` or `-`.
///
/// # Errors
///
/// Fails if the input cannot be read, or is not UTF-8.
pub fn read(path: Option<&PathBuf>) -> Result<Input, CommandFault> {
    match raw(path)? {
        Raw::Text(input) => Ok(input),
        Raw::Bytes(fault, _) => Err(fault),
    }
}

/// Reads the file at `path`, or standard input if `path` is `None` or `-`. Also accepts bytes that are not UTF-8.
///
/// # Errors
///
/// Fails if the input cannot be read.
pub fn raw(path: Option<&PathBuf>) -> Result<Raw, CommandFault> {
    let (name, bytes) = bytes(path)?;
    Ok(match String::from_utf8(bytes) {
        Ok(text) => Raw::Text(Input { name, text }),
        Err(error) => Raw::Bytes(not_text(&name, error.utf8_error().valid_up_to()), error.into_bytes()),
    })
}

/// Reads the bytes of a file or of standard input. Returns the name that messages use for the input, and the bytes.
///
/// # Errors
///
/// Fails if the input cannot be read.
pub fn bytes(path: Option<&PathBuf>) -> Result<(String, Vec<u8>), CommandFault> {
    let (name, bytes) = match path {
        Some(path) if path.as_os_str() != "-" => (path.display().to_string(), file(path)),
        _ => ("<stdin>".to_owned(), stdin()),
    };
    let bytes = bytes.map_err(|error| unreadable(&name, &error))?;
    Ok((name, bytes))
}

impl Input {
    /// Returns the input itself if it contains more than white space.
    ///
    /// # Errors
    ///
    /// Fails if the input is empty or contains only white space.
    pub fn require_text(self) -> Result<Self, CommandFault> {
        self.check_text().map(|()| self)
    }

    /// Checks that the input contains more than white space.
    ///
    /// # Errors
    ///
    /// Fails if the input is empty or contains only white space.
    pub fn check_text(&self) -> Result<(), CommandFault> {
        if self.text.trim().is_empty() {
            let hint = "name a file that is not empty, or pipe text in: some-command | tersely ...";
            return Err(CommandFault::unable(format!("{}: empty input", self.name), hint));
        }
        Ok(())
    }
}

fn file(path: &Path) -> io::Result<Vec<u8>> {
    let file = File::open(path)?;
    let length = file.metadata()?.len();
    collect(file, Some(length))
}

fn stdin() -> io::Result<Vec<u8>> {
    let stdin = io::stdin().lock();
    if stdin.is_terminal() {
        output::note("Reading standard input. Press Ctrl-D on an empty line to finish.")?;
    }
    collect(stdin, None)
}

/// Reads a source to its end, with a progress bar if it is large.
fn collect(mut source: impl Read, length: Option<u64>) -> io::Result<Vec<u8>> {
    let mut bytes = Vec::new();
    let read = source.by_ref().take(progress::MIN_SHOWN_BYTES).read_to_end(&mut bytes)?;
    if read as u64 == progress::MIN_SHOWN_BYTES {
        let bar = progress::reading(length);
        bar.wrap_read(source).read_to_end(&mut bytes)?;
        bar.finish_and_clear();
    }
    Ok(bytes)
}

fn unreadable(name: &str, error: &io::Error) -> CommandFault {
    match error.kind() {
        ErrorKind::NotFound => CommandFault::unable(
            format!("{name}: no such file"),
            "check the path; to read standard input, omit the file or use -",
        ),
        ErrorKind::IsADirectory => {
            CommandFault::unable(format!("{name}: is a directory"), "name a file in that directory instead")
        }
        ErrorKind::PermissionDenied => {
            CommandFault::unable(format!("{name}: permission denied"), "check the file's permissions")
        }
        _ => CommandFault::unable(format!("{name}: {error}"), "check that the file can be read"),
    }
}

fn not_text(name: &str, offset: usize) -> CommandFault {
    CommandFault::unable(
        format!("{name}: not UTF-8 at byte {offset}"),
        "convert the file first, for example: iconv -f latin1 -t utf-8 FILE | tersely ...",
    )
}
