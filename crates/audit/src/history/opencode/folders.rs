//! Reads `OpenCode` sessions from folders: one with the messages of each session, one with the parts of each message.

use std::fs;
use std::path::Path;

use serde_json::Value;

use crate::history::lines;
use crate::recording::Recording;

/// The conversation of a session, if the values come from a session file: `storage/session/PROJECT/SESSION.json`.
pub(crate) fn read(path: &Path, values: &[Value]) -> Option<Vec<Recording>> {
    let [session] = values else { return None };
    let id = session["id"].as_str().filter(|id| id.starts_with("ses_") && is_name(id))?;
    let storage = path.ancestors().find(|folder| folder.join("message").join(id).is_dir())?;
    let mut recording = super::session(id, session["directory"].as_str());
    for message in objects(&storage.join("message").join(id)) {
        let Some(id) = message["id"].as_str().filter(|id| is_name(id)) else { continue };
        super::take(&mut recording, &message, &objects(&storage.join("part").join(id)));
    }
    Some(vec![recording])
}

/// True if an id is a plain file name, which cannot lead out of its folder.
fn is_name(id: &str) -> bool {
    !id.is_empty() && id.bytes().all(|byte| byte.is_ascii_alphanumeric() || byte == b'_')
}

/// The JSON objects in a folder, sorted by file name, which is chronological order.
fn objects(folder: &Path) -> Vec<Value> {
    let files = fs::read_dir(folder).into_iter().flatten().flatten().map(|file| file.path());
    let mut files: Vec<_> = files.filter(|file| file.extension().is_some_and(|it| it == "json")).collect();
    files.sort();
    files.iter().filter_map(|file| lines::read(file).ok()).flat_map(|lines| lines.values).collect()
}
