//! What was typed in one place: a file, the environment, or the flags.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

use tersely_engine::Rule;

use super::env::{self, Environment, Meaning};
use super::field::{Field, Words, switch};
use super::file::{self, Found};
use super::flags::{FLAGS, Flags};
use super::key::{ALIASES, GROUPS, KEYS, Key};
use super::near::nearest;
use super::node::{Node, Pair, Value};
use super::origin::Origin;
use super::problem::Problem;
use super::substitute::substitute;
use super::{rule, seed};

/// What one place says, and what is wrong there.
#[derive(Debug, Default)]
pub(crate) struct Layer {
    pub values: BTreeMap<&'static str, (Words, Origin)>,
    pub rules: Vec<(Rule, Origin)>,
    /// Files of certificates to trust whatever else is said.
    pub trusted: Vec<(PathBuf, Origin)>,
    pub problems: Vec<Problem>,
    pub notices: Vec<String>,
}

/// What a file says.
pub(crate) fn file(found: &Found, environment: &Environment) -> Layer {
    let path = found.clone().path();
    let mut layer = Layer::default();
    match file::read(&path) {
        Ok(root) => Reader { path: &path, environment, layer: &mut layer }.group("", &root),
        Err(problem) => layer.problems.push(problem),
    }
    if let Found::Here(path) = found {
        layer.guard(path);
    }
    layer
}

/// What the environment says.
pub(crate) fn environment(environment: &Environment) -> Layer {
    let mut layer = Layer::default();
    let set = |name: &str| environment.get(name).filter(|value| !value.is_empty()).cloned();
    for name in KEYS.iter().map(|key| key.name).chain(ALIASES.iter().map(|alias| alias.name)) {
        let variable = env::variable(name);
        if let Some(value) = set(&variable) {
            layer.put(name, Words::One(value), Origin::Environment(variable));
        }
    }
    for (name, meaning) in &env::OTHERS {
        if let Some(value) = set(name) {
            layer.other(name, meaning, value);
        }
    }
    layer.strangers(environment);
    layer
}

/// What the flags say.
pub(crate) fn flags(flags: &Flags) -> Layer {
    let mut layer = Layer::default();
    for (name, key, value) in FLAGS {
        if let Some(value) = value(flags) {
            layer.put(key, Words::One(value.clone()), Origin::Flag(name));
        }
    }
    layer
}

impl Layer {
    /// Notes what was typed for a key, under its own name or another; twice in one place cannot be meant.
    pub(crate) fn put(&mut self, name: &str, words: Words, origin: Origin) {
        let alias = ALIASES.iter().find(|alias| alias.name == name);
        let Some(key) = key(alias.map_or(name, |alias| alias.key)) else { return };
        let scaled = match alias {
            Some(alias) => words.times(alias.times),
            None => Ok(words),
        };
        match (scaled, self.values.get(key.name)) {
            (Err(what), _) => self.problems.push(Problem::at(&origin, name, what)),
            (_, Some((_, before))) => {
                let what = format!("sets {} a second time, after {before}", key.name);
                self.problems.push(Problem::at(&origin, name, what).hint("keep one of the two"));
            }
            (Ok(words), None) => drop(self.values.insert(key.name, (words, origin))),
        }
    }

    fn other(&mut self, name: &str, meaning: &Meaning, value: String) {
        let origin = Origin::Environment(name.to_owned());
        match meaning {
            Meaning::Key(key) if self.values.contains_key(key) => {}
            Meaning::Key(key) => self.put(key, Words::One(value), origin),
            Meaning::On(key, why) => match switch(&value) {
                Err(what) => self.problems.push(Problem::at(&origin, key, what)),
                Ok(false) => {}
                Ok(true) => {
                    self.notices.push(format!("{name}: {why}"));
                    self.values.entry(key).or_insert((Words::One(value), origin));
                }
            },
            Meaning::Trust => self.trusted.push((PathBuf::from(value), origin)),
            Meaning::Nothing(why) => self.notices.push(format!("{name} has no effect: {why}")),
        }
    }

    /// Tells of variables that are nearly ours. They are no faults: a cluster sets `TERSELY_PORT` and the like by itself.
    fn strangers(&mut self, environment: &Environment) {
        let ours = env::variables();
        for name in environment.keys().filter(|name| name.starts_with("TERSELY_") && !ours.contains(name)) {
            if let Some(meant) = nearest(name, ours.iter().map(String::as_str)) {
                self.notices.push(format!("{name} has no effect; did you mean {meant}?"));
            }
        }
    }

    /// Refuses to trust anyone on the word of a file that nobody named: it may have come with a downloaded project.
    fn guard(&mut self, path: &Path) {
        let keys = self.values.iter().filter(|(name, _)| key(name).is_some_and(Key::trusts));
        let keys = keys.map(|(name, (_, origin))| (*name, origin));
        let rules = self.rules.iter().filter(|(rule, _)| rule.change.redact.is_some());
        let rules = rules.map(|(_, origin)| ("rules.redact_secrets", origin));
        for (name, origin) in keys.chain(rules) {
            let what = "says whom to trust, in a file that was not named";
            let hint =
                format!("if you trust it, name it: --config ./{0}, or TERSELY_CONFIG=./{0}", path.display());
            self.problems.push(Problem::at(origin, name, what).hint(hint));
        }
    }
}

/// Reads one file's tree into a layer.
pub(crate) struct Reader<'a> {
    path: &'a Path,
    environment: &'a Environment,
    pub layer: &'a mut Layer,
}

impl Reader<'_> {
    fn group(&mut self, group: &str, node: &Node) {
        let Value::Table(pairs) = &node.value else {
            let what = format!("is a group of keys, not {}", node.value.kind());
            return self.problem(node.line, if group.is_empty() { "the file" } else { group }, what);
        };
        for pair in pairs {
            self.pair(group, pair);
        }
    }

    fn pair(&mut self, group: &str, pair: &Pair) {
        let name = if group.is_empty() { pair.name.clone() } else { format!("{group}.{}", pair.name) };
        let is_group = group.is_empty() && GROUPS.iter().any(|(name, _)| *name == pair.name);
        match name.as_str() {
            _ if matches!(pair.node.value, Value::Nothing) => {}
            "rules" => rule::read(self, &pair.node),
            "pipes" | "providers" => seed::read(self, pair),
            _ if is_group && !pair.name.is_empty() => self.group(&pair.name, &pair.node),
            _ if known(&name) => self.key(&name, pair),
            _ => self.unknown(&name, pair.line, names()),
        }
    }

    fn key(&mut self, name: &str, pair: &Pair) {
        let origin = self.at(pair.line);
        match self.words(&pair.node) {
            Ok(words) => self.layer.put(name, self.rooted(name, words), origin),
            Err(what) => self.layer.problems.push(Problem::at(&origin, name, what)),
        }
    }

    /// What was typed, with variables replaced.
    pub(crate) fn words(&self, node: &Node) -> Result<Words, String> {
        let text = |node: &Node| match &node.value {
            Value::Text(text) => substitute(text, self.environment),
            other => Err(format!("takes a value, not {}", other.kind())),
        };
        match &node.value {
            Value::List(list) => list.iter().map(text).collect::<Result<_, _>>().map(Words::Many),
            _ => text(node).map(Words::One),
        }
    }

    /// Files are named from where the configuration stands, not from where the command runs.
    fn rooted(&self, name: &str, words: Words) -> Words {
        let folder = self.path.parent().unwrap_or(Path::new(""));
        let join = |word: &String| folder.join(word.trim()).display().to_string();
        match (key(name).map(|key| key.field), words) {
            (Some(Field::Files(_)), Words::One(text)) => {
                Words::Many(text.split(',').map(|word| join(&word.to_owned())).collect())
            }
            (Some(Field::Files(_)), Words::Many(list)) => Words::Many(list.iter().map(join).collect()),
            (_, words) => words,
        }
    }

    /// Says that no key has this name, and which one may have been meant.
    pub(crate) fn unknown<'a>(&mut self, name: &str, line: usize, names: impl IntoIterator<Item = &'a str>) {
        let what = match nearest(name, names) {
            Some(meant) => format!("unknown key; did you mean {meant}?"),
            None => "unknown key".to_owned(),
        };
        self.problem(line, name, what);
    }

    /// Says what is wrong with a key.
    pub(crate) fn problem(&mut self, line: usize, key: &str, what: impl std::fmt::Display) {
        let origin = self.at(line);
        self.layer.problems.push(Problem::at(&origin, key, what));
    }

    /// Where a line of the file is.
    pub(crate) fn at(&self, line: usize) -> Origin {
        file::at(self.path, line)
    }
}

fn key(name: &str) -> Option<&'static Key> {
    KEYS.iter().find(|key| key.name == name)
}

fn known(name: &str) -> bool {
    names().any(|known| known == name)
}

fn names() -> impl Iterator<Item = &'static str> {
    let aliases = ALIASES.iter().map(|alias| alias.name);
    KEYS.iter().map(|key| key.name).chain(aliases).chain(["rules", "pipes", "providers"])
}
