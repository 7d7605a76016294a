//! Reads the JSON documents of a corpus.

use std::path::{Path, PathBuf};

use tersely_codec::{Form, json};
use tersely_core::auto;
use tersely_core::auto::Choice;
use tersely_terminal::fault::CommandFault;
use tersely_terminal::{input, progress};

use crate::files::{files, name};

const ROOMS: [&str; 2] = ["outputs/json-api", "outputs/json-rows"];

/// The JSON documents of a corpus, and the names of other files.
#[derive(Debug, Default)]
pub(crate) struct SampleSet {
    pub samples: Vec<JsonSample>,
    pub skipped: Vec<String>,
}

/// A JSON document: the original text, and the text in the form that auto chose.
#[derive(Debug)]
pub(crate) struct JsonSample {
    pub name: String,
    pub sent: String,
    pub form: Form,
    pub text: String,
    pub tokens: usize,
}

/// Reads every document of the corpus in `dir`, sorted by name.
pub(crate) fn read(dir: &Path) -> Result<SampleSet, CommandFault> {
    let found: Vec<PathBuf> = ROOMS.iter().flat_map(|room| files(&dir.join(room))).collect();
    let bar = progress::counting("encoding", found.len());
    let mut all = SampleSet::default();
    for file in &found {
        let sent = input::read(Some(file))?.text;
        match choose(&sent) {
            Some(Choice { form, text, tokens }) => {
                all.samples.push(JsonSample { name: name(file), sent, form, text, tokens });
            }
            None => all.skipped.push(name(file)),
        }
        bar.inc(1);
    }
    bar.finish_and_clear();
    Ok(all)
}

/// Encodes a JSON document in the form that auto chooses. `None` if the text is not JSON.
pub(crate) fn choose(sent: &str) -> Option<Choice> {
    json::decode(sent).ok().map(|value| auto::choose(&value))
}
