//! One layer of settings: a file, the environment, or the flags.

use std::collections::BTreeMap;
use std::path::PathBuf;

use tersely_engine::Rule;
use tersely_gateway::{McpServer, TenantSettings};

use super::did_you_mean::nearest;
use super::env::{self, Environment, VariableMeaning};
use super::flags::{FLAGS, Flags};
use super::foreign_compressor::ForeignCompressor;
use super::key_table::{ALIASES, KEYS, SettingKey};
use super::origin::SettingOrigin;
use super::problem::Problem;
use super::words::{Words, switch};

/// The values of one layer, and what is wrong with it.
#[derive(Debug, Default)]
pub struct Layer {
    pub values: BTreeMap<&'static str, (Words, SettingOrigin)>,
    pub rules: Vec<(Rule, SettingOrigin)>,
    pub servers: Vec<(String, McpServer, SettingOrigin)>,
    pub tenants: Vec<(TenantSettings, SettingOrigin)>,
    /// Files of additional certificates to trust.
    pub trusted: Vec<(PathBuf, SettingOrigin)>,
    /// Compressor settings from another gateway's file.
    pub foreign: ForeignCompressor,
    /// Keys that only a file chosen by the user may set.
    pub barred: Vec<(String, SettingOrigin)>,
    pub problems: Vec<Problem>,
    pub notices: Vec<String>,
}

/// The layer of the environment.
pub(crate) fn environment(environment: &Environment) -> Layer {
    let mut layer = Layer::default();
    let set = |name: &str| environment.get(name).filter(|value| !value.is_empty()).cloned();
    for name in KEYS.iter().map(|key| key.name).chain(ALIASES.iter().map(|alias| alias.name)) {
        let variable = env::variable(name);
        if let Some(value) = set(&variable) {
            layer.put(name, Words::One(value), SettingOrigin::Environment(variable));
        }
    }
    let (protocol, known) = env::PROTOCOL;
    let foreign = set(protocol).filter(|value| value != known);
    for (name, meaning) in &env::OTHERS {
        let Some(value) = set(name) else { continue };
        match &foreign {
            Some(other) if name.starts_with(env::COLLECTOR) => {
                layer.notices.push(format!("{name} has no effect: {protocol} is {other}, not {known}"));
            }
            _ => layer.other(name, meaning, value),
        }
    }
    layer.strangers(environment);
    layer
}

/// The layer of the flags.
pub(crate) fn flags(flags: &Flags) -> Layer {
    let mut layer = Layer::default();
    for (name, key, value) in FLAGS {
        if let Some(value) = value(flags) {
            layer.put(key, Words::One(value.clone()), SettingOrigin::Flag(name));
        }
    }
    layer
}

impl Layer {
    /// The layer's problems, including one for each key that it may not set.
    pub fn faults(&mut self) -> Vec<Problem> {
        let barred = std::mem::take(&mut self.barred);
        let problems = barred.into_iter().map(|(name, origin)| Problem::not_allowed_here(&name, &origin));
        problems.chain(std::mem::take(&mut self.problems)).collect()
    }

    /// Records the value of a key, which may be given by an alias. Setting a key twice in one layer is a problem.
    pub fn put(&mut self, name: &str, words: Words, origin: SettingOrigin) {
        let alias = ALIASES.iter().find(|alias| alias.name == name);
        let Some(key) = key(alias.map_or(name, |alias| alias.key)) else { return };
        let scaled = match alias {
            Some(alias) => words.times(alias.times),
            None => Ok(words),
        };
        match (scaled, self.values.get(key.name)) {
            (Err(what), _) => self.problems.push(Problem::at(&origin, name, what)),
            (_, Some((_, before))) => {
                let what = format!("sets {} a second time; {before} already sets it", key.name);
                self.problems.push(Problem::at(&origin, name, what).hint("remove one of the two"));
            }
            (Ok(words), None) => drop(self.values.insert(key.name, (words, origin))),
        }
    }

    fn other(&mut self, name: &str, meaning: &VariableMeaning, value: String) {
        let origin = SettingOrigin::Environment(name.to_owned());
        match meaning {
            VariableMeaning::Key(key) if self.values.contains_key(key) => {}
            VariableMeaning::Key(key) => self.put(key, Words::One(value), origin),
            VariableMeaning::Millis(key) if self.values.contains_key(key) => {}
            VariableMeaning::Millis(key) => self.put(key, Words::One(format!("{value}ms")), origin),
            VariableMeaning::Toon => self.toon(value, origin),
            VariableMeaning::On(key, why) => match switch(&value) {
                Err(what) => self.problems.push(Problem::at(&origin, key, what)),
                Ok(false) => {}
                Ok(true) => {
                    self.notices.push(format!("{name}: {why}"));
                    self.values.entry(key).or_insert((Words::One(value), origin));
                }
            },
            VariableMeaning::Trust => self.trusted.push((PathBuf::from(value), origin)),
            VariableMeaning::Nothing(why) => self.notices.push(format!("{name} has no effect: {why}")),
        }
    }

    /// Handles the switch for TOON: switching it on also selects TOON as the form, unless a form is set.
    fn toon(&mut self, value: String, origin: SettingOrigin) {
        if self.values.contains_key("prompts.enabled") {
            return;
        }
        if switch(value.trim()) == Ok(true) && !self.values.contains_key("prompts.form") {
            self.put("prompts.form", "toon".into(), origin.clone());
        }
        self.put("prompts.enabled", Words::One(value), origin);
    }

    /// Adds notices about variables that resemble ours. They are not problems: a cluster sets `TERSELY_PORT` and
    /// similar variables by itself.
    fn strangers(&mut self, environment: &Environment) {
        let ours = env::variables();
        for name in environment.keys().filter(|name| name.starts_with("TERSELY_") && !ours.contains(name)) {
            if let Some(meant) = nearest(name, ours.iter().map(String::as_str)) {
                self.notices.push(format!("{name} has no effect; did you mean {meant}?"));
            }
        }
    }
}

/// Finds a key by its name.
pub(crate) fn key(name: &str) -> Option<&'static SettingKey> {
    KEYS.iter().find(|key| key.name == name)
}
