//! Reads small files that are not trusted. A downloaded project may contain links to pipes and devices.

use std::fs::{self, File};
use std::io::{self, Read};
use std::path::Path;

/// Maximum size of a file in bytes. No genuine settings file is larger.
pub const MAX_FILE_BYTES: u64 = 1 << 20;

/// Reads a regular file of up to [`MAX_FILE_BYTES`] bytes.
///
/// # Errors
///
/// Fails if the path is not a regular file, or if the file is too large or cannot be read.
pub fn bytes(path: &Path) -> io::Result<Vec<u8>> {
    let is_regular = |is: bool| if is { Ok(()) } else { Err(io::Error::other("not a regular file")) };
    // The check before opening is needed because opening a pipe blocks; the check after it, because the path may have
    // changed.
    is_regular(fs::metadata(path)?.is_file())?;
    let file = File::open(path)?;
    is_regular(file.metadata()?.is_file())?;
    let mut bytes = Vec::new();
    file.take(MAX_FILE_BYTES + 1).read_to_end(&mut bytes)?;
    if bytes.len() as u64 > MAX_FILE_BYTES { Err(io::Error::other("larger than 1 MiB")) } else { Ok(bytes) }
}

/// Reads a regular file of up to [`MAX_FILE_BYTES`] bytes as text. Returns an empty text if the file is not UTF-8 or
/// cannot be read.
#[must_use]
pub fn text(path: &Path) -> String {
    bytes(path).ok().and_then(|bytes| String::from_utf8(bytes).ok()).unwrap_or_default()
}

#[cfg(test)]
mod tests {
    use std::process::Command;

    use super::*;

    /// Behaviour 14.12.
    #[cfg(unix)]
    #[test]
    fn only_regular_files_of_a_bounded_size_are_read() {
        let folder = std::env::temp_dir().join(format!("tersely-small-{}", std::process::id()));
        fs::create_dir_all(&folder).unwrap();
        let at = |name: &str| folder.join(name);
        fs::write(at("plain"), "text").unwrap();
        fs::write(at("largest"), vec![b'x'; 1 << 20]).unwrap();
        fs::write(at("larger"), vec![b'x'; (1 << 20) + 1]).unwrap();
        for (name, target) in
            [("zero", "/dev/zero"), ("linked", "plain"), ("loop", "loop"), ("gone", "nothing")]
        {
            std::os::unix::fs::symlink(target, at(name)).unwrap();
        }
        assert!(Command::new("mkfifo").arg(at("pipe")).status().unwrap().success());
        for (name, length) in [("plain", Some(4)), ("linked", Some(4)), ("largest", Some(1 << 20))] {
            assert_eq!(bytes(&at(name)).ok().map(|bytes| bytes.len()), length, "{name}");
        }
        for name in ["larger", "zero", "loop", "gone", "pipe", "."] {
            assert!(bytes(&at(name)).is_err(), "{name}");
            assert_eq!(text(&at(name)), "", "{name}");
        }
        fs::remove_dir_all(&folder).unwrap();
    }
}
