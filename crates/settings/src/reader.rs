//! Reads values from one file's tree, and reports problems with their lines.

use std::path::Path;

use super::did_you_mean::nearest;
use super::env::Environment;
use super::file;
use super::layer::Layer;
use super::node::{Pair, SettingNode, SettingValue};
use super::origin::SettingOrigin;
use super::problem::Problem;
use super::substitute::{literal, substitute};
use super::words::Words;

/// Reads one file's tree into a layer.
pub struct TreeReader<'a> {
    pub path: &'a Path,
    /// The variables that replace `${NAME}`; `None` for a file that the user did not choose.
    pub environment: Option<&'a Environment>,
    pub layer: &'a mut Layer,
}

impl TreeReader<'_> {
    /// A value with variables replaced.
    pub fn words(&self, node: &SettingNode) -> Result<Words, String> {
        let text = |node: &SettingNode| match &node.value {
            SettingValue::Text(text) => match self.environment {
                Some(environment) => substitute(text, environment),
                None => literal(text),
            },
            other => Err(format!("expects a value, not {}", other.kind())),
        };
        match &node.value {
            SettingValue::List(list) => list.iter().map(text).collect::<Result<_, _>>().map(Words::Many),
            _ => text(node).map(Words::One),
        }
    }

    /// The value as a single word.
    pub fn one(&self, pair: &Pair) -> Result<String, String> {
        self.words(&pair.node)?.one().map(str::to_owned)
    }

    /// The keys of a group; anything else is a problem.
    pub fn table<'n>(&mut self, name: &str, node: &'n SettingNode) -> Option<&'n [Pair]> {
        match &node.value {
            SettingValue::Table(pairs) => Some(pairs),
            SettingValue::Nothing => None,
            other => {
                self.problem(node.line, name, format!("expects a group of keys, not {}", other.kind()));
                None
            }
        }
    }

    /// Reports an unknown key, and suggests a similar known key.
    pub fn unknown<'a>(&mut self, name: &str, line: usize, names: impl IntoIterator<Item = &'a str>) {
        let what = match nearest(name, names) {
            Some(meant) => format!("unknown key; did you mean {meant}?"),
            None => "unknown key".to_owned(),
        };
        self.problem(line, name, what);
    }

    /// Reports a problem with a key.
    pub fn problem(&mut self, line: usize, key: &str, what: impl std::fmt::Display) {
        let origin = self.at(line);
        self.layer.problems.push(Problem::at(&origin, key, what));
    }

    /// The origin of a value on this line of the file.
    pub fn at(&self, line: usize) -> SettingOrigin {
        file::at(self.path, line)
    }
}
