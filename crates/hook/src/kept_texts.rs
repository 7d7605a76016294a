//! Texts that were cut, in files that only the user can read.

use std::fs::{self, DirBuilder, OpenOptions};
use std::io::{self, Write as _};
use std::path::{Path, PathBuf};
use std::time::{Duration, SystemTime};

use tersely_engine::KeptOriginal;

/// How long a text is kept, and how many bytes of texts.
const MAX_AGE: Duration = Duration::from_hours(30 * 24);
const MAX_BYTES: u64 = 256 << 20;

/// A folder of texts, each in a file with the name of its id.
#[derive(Debug, Clone)]
pub struct KeptTexts {
    folder: PathBuf,
}

impl KeptTexts {
    /// The texts in this folder, which need not exist yet.
    #[must_use]
    pub fn at(folder: PathBuf) -> Self {
        Self { folder }
    }

    /// Keeps texts.
    ///
    /// # Errors
    /// If one of them cannot be written.
    pub fn keep(&self, texts: &[KeptOriginal]) -> io::Result<()> {
        private_folder(&self.folder)?;
        texts.iter().try_for_each(|text| self.write(text))
    }

    /// The text with this id, if it is still kept.
    ///
    /// # Errors
    /// If its file cannot be read.
    pub fn find(&self, id: &str) -> io::Result<Option<String>> {
        let Some(path) = self.path(id) else { return Ok(None) };
        match fs::read_to_string(path) {
            Ok(text) => Ok(Some(text)),
            Err(error) if error.kind() == io::ErrorKind::NotFound => Ok(None),
            Err(error) => Err(error),
        }
    }

    /// Removes texts that are old, and the oldest ones if there are too many bytes.
    pub fn prune(&self) {
        let mut files = self.files();
        // The newest first.
        files.sort_by_key(|(_, at, _)| std::cmp::Reverse(*at));
        let (now, mut bytes) = (SystemTime::now(), 0);
        for (path, at, length) in files {
            bytes += length;
            if bytes > MAX_BYTES || now.duration_since(at).is_ok_and(|age| age > MAX_AGE) {
                let _ = fs::remove_file(path);
            }
        }
    }

    /// Removes all texts, and returns how many there were.
    ///
    /// # Errors
    /// If one of them cannot be removed.
    pub fn clear(&self) -> io::Result<usize> {
        let files = self.files();
        files.iter().try_for_each(|(path, _, _)| fs::remove_file(path))?;
        Ok(files.len())
    }

    /// The files, with the time of their last change and their length.
    fn files(&self) -> Vec<(PathBuf, SystemTime, u64)> {
        let Ok(entries) = fs::read_dir(&self.folder) else { return Vec::new() };
        let file = |entry: fs::DirEntry| {
            let about = entry.metadata().ok().filter(fs::Metadata::is_file)?;
            // A text whose writing was interrupted has its id before a dot.
            let is_ours = is_id(entry.file_name().to_str()?.split('.').next()?);
            Some((entry.path(), about.modified().ok()?, about.len())).filter(|_| is_ours)
        };
        entries.flatten().filter_map(file).collect()
    }

    fn write(&self, KeptOriginal { id, text, .. }: &KeptOriginal) -> io::Result<()> {
        let path = self.path(id).ok_or(io::ErrorKind::InvalidInput)?;
        // The id is a hash of the text, so a file with this name has this text, unless its writing was interrupted.
        if fs::metadata(&path).is_ok_and(|about| about.len() == text.len() as u64) {
            return Ok(());
        }
        let new = path.with_extension(format!("{}.new", std::process::id()));
        let written = write_private(&new, text).and_then(|()| fs::rename(&new, &path));
        if written.is_err() {
            let _ = fs::remove_file(&new);
        }
        written
    }

    fn path(&self, id: &str) -> Option<PathBuf> {
        is_id(id).then(|| self.folder.join(id))
    }
}

/// True for a text that can be an id: nothing in it can lead to another folder.
fn is_id(id: &str) -> bool {
    let is_word = |byte: u8| byte.is_ascii_alphanumeric() || byte == b'_';
    (1..=64).contains(&id.len()) && id.bytes().all(is_word)
}

/// Creates a folder that only the user can enter, unless it is there.
pub(crate) fn private_folder(folder: &Path) -> io::Result<()> {
    let mut builder = DirBuilder::new();
    builder.recursive(true);
    #[cfg(unix)]
    std::os::unix::fs::DirBuilderExt::mode(&mut builder, 0o700);
    builder.create(folder)
}

fn write_private(path: &Path, text: &str) -> io::Result<()> {
    let mut options = OpenOptions::new();
    options.write(true).create(true).truncate(true);
    #[cfg(unix)]
    std::os::unix::fs::OpenOptionsExt::mode(&mut options, 0o600);
    options.open(path)?.write_all(text.as_bytes())
}
