//! Reads, inserts and removes one setting in a client's JSON or TOML file.

use std::path::Path;

use tersely_terminal::fault::CommandFault;

use crate::edit::patch::{Patch, apply};
use crate::edit::scan::TextFault;
use crate::edit::{member, top};

/// The format of a settings file.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum SettingsShape {
    /// JSON, with or without comments.
    Json,
    /// TOML.
    Toml,
}

/// A setting: its path in a file, and its value, which is a string or, as text, a JSON object.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct SettingPlace {
    /// The keys on the path to the setting.
    pub path: Vec<String>,
    /// Its value.
    pub value: String,
}

/// Why a file cannot be changed.
#[derive(Debug, PartialEq, Eq)]
pub(crate) struct SettingFault(String);

impl SettingsShape {
    /// The format of a file, by its extension.
    pub(crate) fn of(file: &Path) -> Self {
        if file.extension().is_some_and(|end| end == "toml") { Self::Toml } else { Self::Json }
    }

    /// The current value of a setting. A value that is not a string is returned as written in the file.
    pub(crate) fn value(self, text: &str, path: &[String]) -> Result<Option<String>, SettingFault> {
        let found = match self {
            Self::Json => member::value(text, path).map(|spelled| {
                spelled.map(|spelled| serde_json::from_str(spelled).unwrap_or_else(|_| spelled.to_owned()))
            }),
            Self::Toml => top::find(text, key(path))
                .map(|top| top.map(|top| top.value.unwrap_or_else(|| "not a string".to_owned()))),
        };
        found.map_err(|fault| SettingFault::at(text, &fault))
    }

    /// The text with a new setting, and the bytes that were inserted for it. Returns an error if the insertion could
    /// not be undone exactly.
    pub(crate) fn put(self, text: &str, place: &SettingPlace) -> Result<(String, String), SettingFault> {
        self.insert(text, place, &serde_json::Value::from(place.value.as_str()).to_string())
    }

    /// The same for a value that is not a string but JSON, and is inserted as it is spelled.
    pub(crate) fn put_spelled(
        self,
        text: &str,
        place: &SettingPlace,
    ) -> Result<(String, String), SettingFault> {
        self.insert(text, place, &place.value)
    }

    fn insert(self, text: &str, place: &SettingPlace, value: &str) -> Result<(String, String), SettingFault> {
        let patch = match self {
            Self::Json => member::put(text, &place.path, value),
            Self::Toml => Ok(top::put(text, key(&place.path), value)),
        };
        let patch = patch.map_err(|fault| SettingFault::at(text, &fault))?;
        let added = patch.text.clone();
        let with = apply(text, &mut [patch]);
        let is_there = self.value(&with, &place.path)?.as_ref() == Some(&place.value);
        let back = self.cut(&with, &place.path, &added)?;
        if is_there && back.is_some_and(|back| apply(&with, &mut [back]) == text) {
            return Ok((with, added));
        }
        Err(SettingFault("it is written in a way that could not be undone".to_owned()))
    }

    /// The patch that removes a setting, given the bytes that were inserted for it. `None` if the setting cannot be
    /// removed without changing others.
    pub(crate) fn cut(self, text: &str, path: &[String], added: &str) -> Result<Option<Patch>, SettingFault> {
        let cut = match self {
            Self::Json => member::cut(text, path, added),
            Self::Toml => top::cut(text, key(path), added),
        };
        cut.map_err(|fault| SettingFault::at(text, &fault))
    }
}

/// True if two values are the same: the same text, or the same JSON object however it is written, because clients
/// rewrite their files.
pub(crate) fn is_same_value(one: &str, other: &str) -> bool {
    let object = |text: &str| serde_json::from_str::<serde_json::Map<_, serde_json::Value>>(text).ok();
    one == other || object(one).is_some_and(|one| Some(one) == object(other))
}

fn key(path: &[String]) -> &str {
    path.first().map_or("", String::as_str)
}

impl SettingPlace {
    /// A setting with this path and value.
    pub fn new(path: &[&str], value: impl Into<String>) -> Self {
        Self { path: path.iter().map(|key| (*key).to_owned()).collect(), value: value.into() }
    }

    /// The name of the setting in messages.
    #[must_use]
    pub fn name(&self) -> String {
        self.path.join(".")
    }
}

impl SettingFault {
    fn at(text: &str, fault: &TextFault) -> Self {
        Self(fault.words(text))
    }

    /// The text of the error.
    pub(crate) fn words(&self) -> &str {
        &self.0
    }
}

impl TextFault {
    /// A message for the user: what is wrong, and where.
    pub(crate) fn words(&self, text: &str) -> String {
        let before = text.get(..self.at).unwrap_or_default();
        let line = before.matches('\n').count() + 1;
        let last = before.rsplit('\n').next().unwrap_or_default().trim_start_matches('\u{feff}');
        format!("line {line}, column {}: expected {}", last.chars().count() + 1, self.expected)
    }

    /// The error that the command returns.
    pub(crate) fn fault(&self, path: &Path, text: &str) -> CommandFault {
        let message = format!("{}: {}", path.display(), self.words(text));
        CommandFault::unable(message, "fix it there; nothing was changed")
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::edit::list_item;

    /// A pseudo-random number generator that returns the same numbers every time.
    struct Dice(u64);

    impl Dice {
        fn of(&mut self, sides: usize) -> usize {
            self.0 = self.0.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
            usize::try_from(self.0 >> 33).unwrap_or_default() % sides
        }

        fn one<'t>(&mut self, of: &[&'t str]) -> &'t str {
            of[self.of(of.len())]
        }
    }

    const GAPS: [&str; 9] = ["", "", " ", "\n  ", "\r\n\t", " // why {\n", "/* \"env\": */", "\n\n", "\t"];

    fn json(dice: &mut Dice, depth: usize) -> String {
        if depth > 3 || dice.of(4) == 0 {
            return dice.one(&["1", "null", "\"u\"", "[1, {}, ]", "\"}\\\"\"", "[]", "true"]).to_owned();
        }
        let mut names: Vec<_> = ["env", "provider", "a", "options", "B", "\\u0061b"].into();
        let mut text = format!("{{{}", dice.one(&GAPS));
        let count = dice.of(4);
        for at in 0..count {
            let name = names.remove(dice.of(names.len()));
            let comma = if at + 1 < count || dice.of(4) == 0 { "," } else { "" };
            let (before, value, after) = (dice.one(&GAPS), json(dice, depth + 1), dice.one(&GAPS));
            let (first, last) = (dice.one(&GAPS), dice.one(&GAPS));
            text = format!("{text}\"{name}\"{before}:{first}{value}{after}{comma}{last}");
        }
        text + "}"
    }

    fn toml(dice: &mut Dice) -> String {
        const LINES: [&str; 7] =
            ["# why", "a = 1", "[t]\nk = \"u\"", "", "  b = '''\n[x]\n'''", "'k ' = 2", "[[l]]"];
        let end = dice.one(&["\n", "\r\n"]);
        let mut lines: Vec<_> = LINES.iter().filter(|_| dice.of(2) == 0).copied().collect();
        lines.sort_by_key(|line| line.starts_with('['));
        lines.join(end) + dice.one(&["", end])
    }

    /// Inserts settings one after the other, removes them in reverse order, and returns the number inserted.
    fn there_and_back(shape: SettingsShape, text: &str, places: &[SettingPlace]) -> usize {
        let mut with = text.to_owned();
        let mut put = Vec::new();
        for place in places {
            if let Ok((more, added)) = shape.put(&with, place) {
                assert_eq!(shape.value(&more, &place.path), Ok(Some(place.value.clone())), "{text:?}");
                (with, put) = (more, [put, vec![(place, added)]].concat());
            }
        }
        let count = put.len();
        for (place, added) in put.into_iter().rev() {
            let cut = shape.cut(&with, &place.path, &added).expect("it is read").expect("a place");
            with = apply(&with, &mut [cut]);
        }
        assert_eq!(with, text);
        count
    }

    /// Inserts an item into lists, removes it from the last one first, and returns the number inserted.
    fn items_there_and_back(text: &str, paths: &[Vec<String>]) -> usize {
        const ITEM: &str = r#"{ "matcher": "a|b", "hooks": [{ "n": 1 }] }"#;
        let mut with = text.to_owned();
        let mut put = Vec::new();
        for path in paths {
            if let Ok((more, added)) = list_item::put(&with, path, ITEM) {
                assert!(matches!(list_item::find(&more, path, ITEM), Ok(Some(_))), "{text:?}");
                (with, put) = (more, [put, vec![(path, added)]].concat());
            }
        }
        let count = put.len();
        for (path, added) in put.into_iter().rev() {
            let cut = list_item::cut(&with, path, ITEM, &added).expect("it is read").expect("a place");
            with = apply(&with, &mut [cut]);
            assert_eq!(list_item::find(&with, path, ITEM), Ok(None), "{text:?}");
        }
        assert_eq!(with, text);
        count
    }

    #[test]
    fn items_of_lists_come_and_go_in_any_file() {
        let mut dice = Dice(11);
        let paths = [&["env", "A"][..], &["provider", "a", "options"], &["env"], &["z"]];
        let paths = paths.map(|path| SettingPlace::new(path, "").path);
        let mut put = 0;
        for _ in 0..5_000 {
            let lead = dice.one(&["", "\u{feff}", "// first\n", "\n"]);
            let text = format!("{lead}{}{}", json(&mut dice, 0), dice.one(&["", "\n", "\r\n// last"]));
            put += items_there_and_back(&text, &paths);
        }
        assert!(put > 5_000, "{put}: too few files were fit to be changed");
    }

    #[test]
    fn whatever_a_file_is_every_byte_comes_back() {
        let mut dice = Dice(7);
        let nested = [&["env", "A"][..], &["env", "C"], &["provider", "a", "options", "baseURL"], &["z"]];
        let nested = nested.map(|path| SettingPlace::new(path, "http://127.0.0.1:8787/v1"));
        let top = [SettingPlace::new(&["k"], "u\"\\\n"), SettingPlace::new(&["m"], "é")];
        let mut put = (0, 0);
        for _ in 0..5_000 {
            let lead = dice.one(&["", "\u{feff}", "// first\n", "\n"]);
            let text = format!("{lead}{}{}", json(&mut dice, 0), dice.one(&["", "\n", "\r\n// last"]));
            put.0 += there_and_back(SettingsShape::Json, &text, &nested);
            put.1 += there_and_back(SettingsShape::Toml, &toml(&mut dice), &top);
        }
        assert!(put.0 > 5_000 && put.1 > 9_000, "{put:?}: too few files were fit to be changed");
    }
}
