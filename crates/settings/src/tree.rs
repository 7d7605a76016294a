//! Reads a whole file into a layer: keys, groups, rules, and the keys of other gateways' files.

use std::path::Path;

use tersely_core::{Loss, Plan};
use tersely_engine::Rule;

use super::compat::{context_gateway, remote as compat_remote};
use super::draft::Draft;
use super::env::Environment;
use super::field::SettingField;
use super::file::{self, FoundFile};
use super::key_table::{ALIASES, GROUPS, KEYS, masks_nothing};
use super::layer::{Layer, key};
use super::node::{Pair, SettingNode, SettingValue};
use super::origin::SettingOrigin;
use super::problem::Problem;
use super::reader::TreeReader;
use super::words::Words;
use super::{rule, server, tenant};

/// Reads a file into a layer.
pub(crate) fn read(found: &FoundFile, environment: &Environment) -> Layer {
    let path = found.clone().path();
    let mut layer = Layer::default();
    let is_named = matches!(found, FoundFile::MergedSettings(_));
    let environment = is_named.then_some(environment);
    match file::read(&path) {
        Ok(root) => read_group(&mut TreeReader { path: &path, environment, layer: &mut layer }, "", &root),
        Err(problem) => layer.problems.push(problem),
    }
    compat_remote::close(&mut layer);
    if !is_named {
        guard(&mut layer);
        check(&mut layer);
    }
    layer
}

fn read_group(reader: &mut TreeReader<'_>, group: &str, node: &SettingNode) {
    let SettingValue::Table(pairs) = &node.value else {
        let what = format!("expects a group of keys, not {}", node.value.kind());
        return reader.problem(node.line, if group.is_empty() { "the file" } else { group }, what);
    };
    for pair in pairs {
        read_pair(reader, group, pair);
    }
}

fn read_pair(reader: &mut TreeReader<'_>, group: &str, pair: &Pair) {
    let name = if group.is_empty() { pair.name.clone() } else { format!("{group}.{}", pair.name) };
    let is_group = group.is_empty() && GROUPS.iter().any(|(name, _)| *name == pair.name);
    match name.as_str() {
        _ if matches!(pair.node.value, SettingValue::Nothing) => {}
        "rules" => rule::read(reader, &pair.node),
        "mcp" => server::read(reader, &pair.node),
        "tenants" => tenant::read(reader, &pair.node),
        "pipes" | "providers" => context_gateway::read(reader, pair),
        _ if is_group && !pair.name.is_empty() => read_group(reader, &pair.name, &pair.node),
        _ if is_known(&name) => put_key(reader, &name, pair),
        _ => reader.unknown(&name, pair.line, names()),
    }
}

fn put_key(reader: &mut TreeReader<'_>, name: &str, pair: &Pair) {
    let origin = reader.at(pair.line);
    match reader.words(&pair.node) {
        Ok(words) => {
            let words = resolve_paths(reader.path, name, words);
            reader.layer.put(name, words, origin);
        }
        Err(what) => reader.layer.problems.push(Problem::at(&origin, name, what)),
    }
}

/// Resolves relative paths against the folder of the configuration file, not against the working directory.
fn resolve_paths(path: &Path, name: &str, words: Words) -> Words {
    let folder = path.parent().unwrap_or(Path::new(""));
    let join = |word: &String| folder.join(word.trim()).display().to_string();
    match (key(name).map(|key| key.field), words) {
        (Some(SettingField::Files(_)), Words::One(text)) => {
            Words::Many(text.split(',').map(|word| join(&word.to_owned())).collect())
        }
        (Some(SettingField::Files(_)), Words::Many(list)) => Words::Many(list.iter().map(join).collect()),
        (_, words) => words,
    }
}

/// Removes and records the keys that a file may set only if the user chose it, because the file may belong to a
/// downloaded project.
fn guard(layer: &mut Layer) {
    let free = |name: &str, words: &Words| key(name).is_some_and(|key| key.is_free(words));
    let kept = |name: &&'static str, said: &mut (Words, SettingOrigin)| free(name, &said.0);
    let refused = |(name, (words, origin)): (&'static str, (Words, SettingOrigin))| {
        // For some keys, only certain values are forbidden.
        let is_half = ["mode", "loss", "remote.strategy"].contains(&name);
        let value = words.one().ok().filter(|_| is_half).map_or(String::new(), |word| format!(" = {word:?}"));
        (format!("{name}{value}"), origin)
    };
    let mut barred: Vec<_> =
        layer.values.extract_if(.., |name, said| !kept(name, said)).map(refused).collect();
    let named = |name: &'static str| move |origin| (name.to_owned(), origin);
    let rules = layer.rules.extract_if(.., |(rule, _)| unmasks(rule)).map(|(_, origin)| origin);
    barred.extend(rules.map(named("rules")));
    barred.extend(layer.servers.drain(..).map(|(.., origin)| origin).map(named("mcp.servers")));
    barred.extend(layer.tenants.drain(..).map(|(_, origin)| origin).map(named("tenants")));
    barred.extend(layer.foreign.place.take().map(named("providers")));
    layer.barred = barred;
}

/// Removes invalid keys, so that the rest can be used.
fn check(layer: &mut Layer) {
    let mut problems = Vec::new();
    layer.values.retain(|name, (words, origin)| {
        let Some(key) = key(name) else { return true };
        let written = key.field.write(&mut Draft::default(), words);
        written.map_err(|what| problems.push(Problem::at(origin, name, what))).is_ok()
    });
    layer.problems.extend(problems);
}

/// True for a rule that sets where to mask, or that leaves secrets unmasked, either by its mode or by its loss.
fn unmasks(rule: &Rule) -> bool {
    let plan = rule.change.on(Plan::default());
    rule.change.sets("redact_secrets") || masks_nothing(plan.mode) || plan.loss == Loss::None
}

fn is_known(name: &str) -> bool {
    names().any(|known| known == name)
}

fn names() -> impl Iterator<Item = &'static str> {
    let aliases = ALIASES.iter().map(|alias| alias.name);
    KEYS.iter().map(|key| key.name).chain(aliases).chain(["rules", "tenants", "mcp", "pipes", "providers"])
}
