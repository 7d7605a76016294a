//! The initial corpus of each fuzz target: past findings, and fixtures of its kind.

use std::fs;
use std::path::Path;

use serde_json::Value;

use crate::corpus::{files, project};

/// The seeds of a target: a name and its bytes.
#[must_use]
pub fn seeds(target: &str) -> Vec<(String, Vec<u8>)> {
    let mut seeds = read(&project().join("fuzz/regressions").join(target));
    match target {
        "compress" => {
            seeds.extend(texts().into_iter().map(|(name, text)| (name, [&[4], &text[..]].concat())));
        }
        "restore" => seeds.extend(notation_examples()),
        "general" => seeds.extend(texts().into_iter().chain(general())),
        "slots" => seeds.extend(bodies()),
        _ => {}
    }
    if let Some(provider) = target.strip_prefix("watch_") {
        seeds.extend(responses(provider));
    }
    seeds
}

fn texts() -> Vec<(String, Vec<u8>)> {
    read(&project().join("crates/core/fixtures"))
}

/// The compressed text of every example of our notation.
fn notation_examples() -> Vec<(String, Vec<u8>)> {
    let file = project().join("benchmarks/reading/notation.json");
    let examples: Value = serde_json::from_slice(&fs::read(file).expect("examples")).expect("JSON");
    let examples = examples.as_array().expect("a list").iter().enumerate();
    let text =
        |(at, example): (usize, &Value)| (at.to_string(), example["sent"].as_str().unwrap_or("").into());
    examples.map(text).collect()
}

/// Valid and invalid texts in the general form, without their footers.
fn general() -> Vec<(String, Vec<u8>)> {
    let file = project().join("spec/vectors/general.json");
    let vectors: Value = serde_json::from_slice(&fs::read(file).expect("vectors")).expect("JSON");
    let all = ["accept", "reject"].iter().flat_map(|section| vectors[section].as_array().expect("a list"));
    let body = |vector: &Value| {
        let text = vector["text"].as_str().unwrap_or("");
        text.rsplit_once("\n[layout1").map_or(text, |(body, _)| body).into()
    };
    all.enumerate().map(|(at, vector)| (format!("vector-{at}"), body(vector))).collect()
}

fn bodies() -> Vec<(String, Vec<u8>)> {
    let all = read(&project().join("crates/wire/fixtures"));
    all.into_iter().filter(|(name, _)| !name.contains("hidden") && !name.contains(".snap")).collect()
}

/// The first rounds of a provider's cases, each after the byte that chooses its framing.
fn responses(provider: &str) -> Vec<(String, Vec<u8>)> {
    let all = read(&project().join("crates/wire/fixtures").join(provider).join("hidden"));
    let seed = |(name, bytes): (String, Vec<u8>)| {
        let first = match name.rsplit('.').next() {
            Some("sse") => 40,
            Some("frames") => 42,
            _ => 41,
        };
        (name, [&[first], &bytes[..]].concat())
    };
    all.into_iter()
        .filter(|(name, _)| ["1.sse", "1.frames", "1.json"].iter().any(|end| name.ends_with(end)))
        .map(seed)
        .collect()
}

fn read(folder: &Path) -> Vec<(String, Vec<u8>)> {
    let entry = |file: &std::path::PathBuf| {
        let name =
            file.strip_prefix(folder).expect("a file of it").to_string_lossy().replace(['/', '\\'], "-");
        (name, fs::read(file).expect("a file"))
    };
    files(folder).iter().map(entry).collect()
}
