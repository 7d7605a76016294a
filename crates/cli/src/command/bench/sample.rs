//! Reads the JSON documents of a corpus.

use std::fs;
use std::path::{Path, PathBuf};

use tersely_codec::{Form, json};
use tersely_core::auto::Choice;
use tersely_core::{O200k, auto};

use crate::fault::Fault;
use crate::{input, progress};

const ROOMS: [&str; 2] = ["outputs/json-api", "outputs/json-rows"];

/// The documents of a corpus, and the names of files that are none.
#[derive(Debug, Default)]
pub(crate) struct Set {
    pub samples: Vec<Sample>,
    pub skipped: Vec<String>,
}

/// A JSON document as it was sent, and as auto writes it.
#[derive(Debug)]
pub(crate) struct Sample {
    pub name: String,
    pub sent: String,
    pub form: Form,
    pub text: String,
    pub tokens: usize,
}

/// Reads every document of the corpus in `dir`, in the order of their names.
pub(crate) fn read(dir: &Path) -> Result<Set, Fault> {
    let files: Vec<PathBuf> = ROOMS.iter().flat_map(|room| list(&dir.join(room))).collect();
    let bar = progress::counting("encoding", files.len());
    let mut all = Set::default();
    for file in &files {
        let name = file.file_name().unwrap_or_default().to_string_lossy().into_owned();
        let sent = input::read(Some(file))?.text;
        match choose(&sent) {
            Some(Choice { form, text, tokens }) => {
                all.samples.push(Sample { name, sent, form, text, tokens });
            }
            None => all.skipped.push(name),
        }
        bar.inc(1);
    }
    bar.finish_and_clear();
    Ok(all)
}

/// What auto makes of a JSON document; none when the text is not one.
pub(crate) fn choose(sent: &str) -> Option<Choice> {
    json::decode(sent).ok().map(|value| auto::choose(&value, &O200k))
}

/// The files of a directory by name; none when there is no such directory.
pub(crate) fn list(dir: &Path) -> Vec<PathBuf> {
    let entries = fs::read_dir(dir).into_iter().flatten().flatten();
    let mut files: Vec<_> = entries.map(|entry| entry.path()).filter(|path| path.is_file()).collect();
    files.sort();
    files
}
