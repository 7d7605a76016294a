//! Loads real tool outputs and conversations: the project's own few, and a larger corpus if there is one.
//!
//! `TERSELY_CORPUS` names the larger one; by default it is looked for next to the project. Without it, tests run over the
//! project's own and print a notice.

use std::collections::HashMap;
use std::io::Write;
use std::path::{Path, PathBuf};
use std::sync::Once;
use std::{env, fs};

use serde_json::Value;
use tersely_wire::{PROVIDERS, Provider};

/// An output of a tool.
#[derive(Debug, Clone)]
pub struct ToolOutput {
    /// Its family and file, such as `git/blame.txt`.
    pub name: String,
    /// The kind of tool.
    pub family: String,
    /// The output.
    pub text: String,
}

/// A request body, at the end of a conversation.
#[derive(Clone)]
pub struct SampleTranscript {
    /// Its file name.
    pub name: String,
    /// The request, byte for byte.
    pub body: Vec<u8>,
    /// The API whose format it has.
    pub provider: &'static Provider,
    /// The member that lists the messages.
    pub list: &'static str,
    /// How many tool results are in it.
    pub results: usize,
}

/// Every output, in order; our own first.
#[must_use]
pub fn outputs() -> Vec<ToolOutput> {
    roots().iter().flat_map(|root| outputs_in(root)).collect()
}

/// Every output of these families.
#[must_use]
pub fn outputs_of(families: &[&str]) -> Vec<ToolOutput> {
    outputs().into_iter().filter(|output| families.contains(&&*output.family)).collect()
}

/// The tool and the command of each output, by its name, where they are recorded.
#[must_use]
pub fn recorded_calls() -> HashMap<String, (String, Option<String>)> {
    let file = fs::read_to_string(project().join("corpus/commands.jsonl")).expect("calls");
    let word = |call: &Value, key: &str| call[key].as_str().map(str::to_owned);
    let call = |line: &str| {
        let call: Value = serde_json::from_str(line).expect("a line of JSON");
        let name = word(&call, "path")?.strip_prefix("outputs/")?.to_owned();
        Some((name, (word(&call, "tool")?, word(&call, "command"))))
    };
    file.lines().filter_map(call).collect()
}

/// Every conversation, in order; our own first.
#[must_use]
pub fn conversations() -> Vec<SampleTranscript> {
    roots().iter().flat_map(|root| conversations_in(root)).collect()
}

/// The larger corpus, for figures that are measured over it alone.
#[must_use]
pub fn larger() -> Option<PathBuf> {
    static NOTICE: Once = Once::new();
    let place =
        env::var_os("TERSELY_CORPUS").map_or_else(|| project().join("../shared/corpus"), PathBuf::from);
    if place.join("outputs").is_dir() {
        return Some(place);
    }
    NOTICE.call_once(|| {
        // Not by the macros, whose output is captured while a test passes.
        let words =
            "SKIPPED: no larger corpus (TERSELY_CORPUS names one); tests run over the project's own\n";
        std::io::stderr().write_all(words.as_bytes()).expect("standard error");
    });
    None
}

/// The root of the project.
#[must_use]
pub fn project() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../..")
}

/// All files below a folder, in order, without links and what cannot be read.
#[must_use]
pub fn files(folder: &Path) -> Vec<PathBuf> {
    let Ok(entries) = fs::read_dir(folder) else { return Vec::new() };
    let mut files: Vec<PathBuf> = entries
        .map(|entry| entry.expect("an entry").path())
        .filter(|path| !path.is_symlink())
        .flat_map(|path| if path.is_dir() { files(&path) } else { vec![path] })
        .collect();
    files.sort();
    files
}

fn roots() -> Vec<PathBuf> {
    std::iter::once(project().join("corpus")).chain(larger()).collect()
}

fn outputs_in(root: &Path) -> Vec<ToolOutput> {
    let outputs = root.join("outputs");
    let output = |file: &PathBuf| {
        let name = file.strip_prefix(&outputs).expect("a file of it").to_string_lossy().replace('\\', "/");
        let family = name.split('/').next().expect("a family").to_owned();
        ToolOutput {
            name,
            family,
            text: String::from_utf8_lossy(&fs::read(file).expect("a file")).into_owned(),
        }
    };
    let found: Vec<ToolOutput> = files(&outputs).iter().map(output).collect();
    assert!(!found.is_empty(), "no outputs in {}", outputs.display());
    found
}

fn conversations_in(root: &Path) -> Vec<SampleTranscript> {
    let manifest = fs::read_to_string(root.join("MANIFEST.jsonl")).expect("a manifest");
    let listed: Vec<Value> = manifest.lines().map(|line| serde_json::from_str(line).expect("JSON")).collect();
    let conversation = |file: &PathBuf| {
        let name = file.file_name().expect("a name").to_string_lossy().into_owned();
        let path = format!("conversations/{name}");
        let line = listed.iter().find(|line| line["path"] == path).expect("a line of the manifest");
        let results = line["tool_results"].as_u64().and_then(|count| usize::try_from(count).ok());
        let provider = provider(&name);
        SampleTranscript {
            list: list(provider),
            provider,
            body: fs::read(file).expect("a body"),
            results: results.expect("a number"),
            name,
        }
    };
    files(&root.join("conversations")).iter().map(conversation).collect()
}

fn list(provider: &Provider) -> &'static str {
    match provider.name() {
        "responses" => "input",
        "gemini" => "contents",
        _ => "messages",
    }
}

fn provider(file: &str) -> &'static Provider {
    let api = file.rsplit('.').nth(1).expect("an API before the ending");
    let name = if api == "openai" { "chat" } else { api };
    PROVIDERS.into_iter().find(|known| known.name() == name).expect("a provider")
}
