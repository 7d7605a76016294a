//! Reads a whole file into a layer: keys, groups, rules, and what other gateways' files say.

use std::path::Path;

use tersely_core::{Loss, Mode, Plan};
use tersely_proof::HoldoutShare;

use super::env::Environment;
use super::field::SettingField;
use super::file::{self, FoundFile};
use super::key::{ALIASES, GROUPS, KEYS};
use super::layer::{Layer, key};
use super::node::{Pair, SettingNode, SettingValue};
use super::origin::SettingOrigin;
use super::problem::Problem;
use super::reader::TreeReader;
use super::words::Words;
use super::{rule, seed, seed_remote, server, tenant};

/// What a file says.
pub(crate) fn read(found: &FoundFile, environment: &Environment) -> Layer {
    let path = found.clone().path();
    let mut layer = Layer::default();
    match file::read(&path) {
        Ok(root) => read_group(&mut TreeReader { path: &path, environment, layer: &mut layer }, "", &root),
        Err(problem) => layer.problems.push(problem),
    }
    seed_remote::close(&mut layer);
    if let FoundFile::Here(path) = found {
        guard(&mut layer, path);
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
        "pipes" | "providers" => seed::read(reader, pair),
        _ if is_group && !pair.name.is_empty() => read_group(reader, &pair.name, &pair.node),
        _ if known(&name) => put_key(reader, &name, pair),
        _ => reader.unknown(&name, pair.line, names()),
    }
}

fn put_key(reader: &mut TreeReader<'_>, name: &str, pair: &Pair) {
    let origin = reader.at(pair.line);
    match reader.words(&pair.node) {
        Ok(words) => {
            let words = rooted(reader.path, name, words);
            reader.layer.put(name, words, origin);
        }
        Err(what) => reader.layer.problems.push(Problem::at(&origin, name, what)),
    }
}

/// Files are named from where the configuration stands, not from where the command runs.
fn rooted(path: &Path, name: &str, words: Words) -> Words {
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

/// Refuses to trust anyone on the word of a file that nobody named: it may have come with a downloaded project.
fn guard(layer: &mut Layer, path: &Path) {
    let trusts = |name: &str, words: &Words| key(name).is_some_and(|key| key.trusts(words));
    let keys = layer.values.iter().filter(|(name, (words, _))| trusts(name, words));
    let keys = keys.map(|(name, (_, origin))| (*name, origin));
    let providers = layer.seed.place.iter().map(|origin| ("providers", origin));
    let rules = layer.rules.iter().filter(|(rule, _)| rule.change.says("redact_secrets"));
    let rules = rules.map(|(_, origin)| ("rules.redact_secrets", origin));
    let servers = layer.servers.iter().map(|(_, _, origin)| ("mcp.servers", origin));
    let tenants = layer.tenants.iter().map(|(_, origin)| ("tenants", origin));
    let trusted = keys.chain(rules).chain(servers).chain(providers).chain(tenants);
    let trusted = trusted.map(|it| ("decides whom to trust", it));
    let unmasked = unmasking(layer).map(|it| ("turns off masks", it));
    let hint =
        format!("if you trust the file, name it: --config ./{0}, or TERSELY_CONFIG=./{0}", path.display());
    let problem = |(deed, (name, origin)): (&str, (&str, &SettingOrigin))| {
        Problem::at(origin, name, format!("{deed}, in a file that you did not name")).hint(hint.clone())
    };
    let problems: Vec<_> = trusted.chain(unmasked).map(problem).collect();
    layer.problems.extend(problems);
}

/// What would leave secrets unmasked: a mode that changes nothing, a loss of nothing, for all results or in a rule, and
/// sessions that are held out.
fn unmasking(layer: &Layer) -> impl Iterator<Item = (&'static str, &SettingOrigin)> {
    let keys = layer.values.iter().filter(|(name, (words, _))| {
        let word = words.one().unwrap_or_default();
        match **name {
            "mode" => word.parse().is_ok_and(masks_nothing),
            "holdout" => word.parse() != Ok(HoldoutShare::default()),
            "loss" => word.parse() == Ok(Loss::None),
            _ => false,
        }
    });
    let rules = layer.rules.iter().filter(|(rule, _)| {
        let plan = rule.change.on(Plan::default());
        masks_nothing(plan.mode) || plan.loss == Loss::None
    });
    keys.map(|(name, (_, origin))| (*name, origin)).chain(rules.map(|(_, origin)| ("rules", origin)))
}

/// True when results go on as they came in this mode.
fn masks_nothing(mode: Mode) -> bool {
    mode <= Mode::Observe
}

fn known(name: &str) -> bool {
    names().any(|known| known == name)
}

fn names() -> impl Iterator<Item = &'static str> {
    let aliases = ALIASES.iter().map(|alias| alias.name);
    KEYS.iter().map(|key| key.name).chain(aliases).chain(["rules", "tenants", "mcp", "pipes", "providers"])
}
