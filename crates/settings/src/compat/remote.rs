//! Reads the compressor settings of another gateway's file: the pipe's own keys, and those of the provider it names.
//!
//! The two tables may come in either order, so both are collected first. A provider's values override the pipe's own
//! values, and an API key is sent only to the server that it was configured for.

use std::collections::BTreeMap;

use crate::foreign_compressor::CompatValue;
use crate::layer::Layer;
use crate::node::{Pair, SettingValue};
use crate::origin::SettingOrigin;
use crate::problem::Problem;
use crate::reader::TreeReader;
use crate::remote::EXTERNAL;
use crate::words::Words;

/// The keys of a provider, each with our name for it.
const KEYS: [(&str, &str); 4] =
    [("api_key", "remote.key"), ("model", "remote.model"), ("endpoint", "remote.endpoint"), ("auth", "")];

/// Records the pipe's value for one of our keys.
pub(crate) fn note(reader: &mut TreeReader<'_>, key: &'static str, pair: &Pair) -> Result<(), String> {
    let origin = reader.at(pair.line);
    let Some(words) = read(reader, key, pair)? else { return Ok(()) };
    if key == "remote.provider" {
        reader.layer.foreign.provider = Some((words.one()?.to_owned(), origin));
    } else {
        reader.layer.foreign.own.insert(key, (words, origin));
    }
    Ok(())
}

/// The value of a key. If a compressor's API key refers to a variable that is not set, the compressor has no key.
fn read(reader: &mut TreeReader<'_>, key: &str, pair: &Pair) -> Result<Option<Words>, String> {
    match reader.words(&pair.node) {
        Err(what) if key == "remote.key" && what.starts_with("variable ") => {
            let notice = format!("{}: {what}; the compressor is called without a key", pair.name);
            reader.layer.notices.push(notice);
            Ok(None)
        }
        words => words.map(Some),
    }
}

/// Reads the whole `providers` table.
pub(crate) fn providers(reader: &mut TreeReader<'_>, pair: &Pair, pairs: &[Pair]) {
    reader.layer.foreign.place = Some(reader.at(pair.line));
    for pair in pairs {
        let full = format!("providers.{}", pair.name);
        match &pair.node.value {
            SettingValue::Table(inner) => provider(reader, &pair.name, inner),
            other => {
                reader.problem(pair.line, &full, format!("expects a group of keys, not {}", other.kind()));
            }
        }
    }
}

fn provider(reader: &mut TreeReader<'_>, name: &str, pairs: &[Pair]) {
    let mut said = BTreeMap::new();
    for pair in pairs.iter().filter(|pair| pair.node.value != SettingValue::Nothing) {
        let full = format!("providers.{name}.{}", pair.name);
        let Some((_, key)) = KEYS.iter().find(|(known, _)| *known == pair.name) else {
            reader.unknown(&full, pair.line, KEYS.iter().map(|(known, _)| *known));
            continue;
        };
        let origin = reader.at(pair.line);
        match read(reader, key, pair) {
            Ok(Some(words)) => drop(said.insert(*key, (words, origin))),
            Ok(None) => {}
            Err(what) => reader.problem(pair.line, &full, what),
        }
    }
    if let Some((words, origin)) = said.remove("") {
        let auth = words.list().concat();
        let what = match auth.as_str() {
            "oauth" if said.contains_key("remote.key") => {
                Some("oauth uses the login of each request; remove api_key")
            }
            "oauth" | "api_key" => None,
            _ => Some("use api_key, or oauth for the login of each request"),
        };
        let problem = |what| Problem::at(&origin, &format!("providers.{name}.auth"), what);
        reader.layer.problems.extend(what.map(problem));
    }
    reader.layer.foreign.providers.insert(name.to_owned(), said);
}

/// Stores the collected values under our keys. Only the strategy that asks a model uses a provider: no other strategy
/// may send the provider's key anywhere.
pub(crate) fn close(layer: &mut Layer) {
    let mut foreign = std::mem::take(&mut layer.foreign);
    let mut said = std::mem::take(&mut foreign.own);
    let strategy = layer.values.get("remote.strategy").and_then(|(words, _)| words.one().ok());
    let is_model = strategy == Some(EXTERNAL);
    match foreign.provider.take() {
        Some((name, origin)) if is_model => {
            let named = foreign.providers.remove(&name);
            let shape = choose(layer, &mut said, (&name, &origin), named);
            said.insert("remote.provider", (shape.into(), origin));
        }
        Some(_) => {
            let why = format!("only the strategy {EXTERNAL} uses a provider");
            layer.notices.push(format!("pipes.tool_output.provider has no effect: {why}"));
        }
        None => {}
    }
    for (key, (words, origin)) in said {
        layer.put(key, words, origin);
    }
    layer.foreign = foreign;
}

/// The keys that decide which server gets the API key. Both must come from the same table.
const PAIR: [&str; 2] = ["remote.endpoint", "remote.key"];

/// Overrides the pipe's values with the provider's, and returns the API that the provider speaks. The pipe's own
/// endpoint and key are dropped, because they belong to another server.
fn choose(
    layer: &mut Layer,
    said: &mut BTreeMap<&'static str, CompatValue>,
    (name, origin): (&str, &SettingOrigin),
    named: Option<BTreeMap<&'static str, CompatValue>>,
) -> &'static str {
    let is_named = named.is_some();
    if is_named {
        said.retain(|key, _| !PAIR.contains(key));
    }
    said.extend(named.unwrap_or_default());
    let model = said.get("remote.model").and_then(|(words, _)| words.one().ok());
    let shape = shape(name, model.unwrap_or_default());
    if is_named {
        for key in PAIR {
            let Some((_, other)) = layer.values.get(key) else { continue };
            let what = format!("the endpoint and the key come from providers.{name}, which the pipe names");
            let problem =
                Problem::at(other, key, what).hint("set it under providers, or remove the pipe's provider");
            layer.problems.push(problem);
        }
    } else if shape != name {
        let what = format!("{name:?} is not defined under providers");
        layer.problems.push(Problem::at(origin, "pipes.tool_output.provider", what));
    }
    shape
}

/// The API that a provider speaks, determined by the provider's name or else by the model's name.
fn shape(name: &str, model: &str) -> &'static str {
    let (name, model) = (name.to_ascii_lowercase(), model.to_ascii_lowercase());
    match name.as_str() {
        "anthropic" => "anthropic",
        "gemini" => "gemini",
        "openai" => "openai",
        _ if model.contains("claude") => "anthropic",
        _ if model.contains("gemini") => "gemini",
        _ => "openai",
    }
}
