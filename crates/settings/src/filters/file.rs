//! Reads a filter and its tests from a file.

use std::path::Path;

use tersely_core::{FieldPath, FieldRules, Filter, FilterScope, LinePattern, LineRules};

use crate::did_you_mean::nearest;
use crate::node::{Pair, SettingNode, SettingValue};
use crate::problem::Problem;
use crate::toml;

/// The content of a filter's file.
#[derive(Debug, Clone)]
pub struct FilterFile {
    /// A one-line description of the filter.
    pub about: String,
    /// False if the file only disables another filter of the same name.
    pub enabled: bool,
    /// The filter.
    pub filter: Filter,
    /// Its tests.
    pub tests: Vec<FilterTest>,
}

/// An input text, and the output that the filter is expected to produce.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct FilterTest {
    /// The line on which the test begins.
    pub line: usize,
    /// The tool that was called.
    pub tool: String,
    /// The command that the tool ran; empty if none.
    pub command: String,
    /// The text before filtering.
    pub input: String,
    /// The expected text after filtering.
    pub output: String,
}

/// The hint for every problem in a filter's file.
pub(super) const HINT: &str = "fix the file; docs/filters.md lists what a filter can contain";

/// The maximum number of expressions or paths in one list.
const MAX_PATTERNS: usize = 64;

/// Reads a filter, or returns everything that is wrong with it.
pub(super) fn read(name: &str, path: &Path, text: &str) -> Result<FilterFile, Vec<Problem>> {
    let mut reader = FilterReader { path, problems: Vec::new() };
    let root = toml::read(text).map_err(|fault| {
        vec![Problem::of(format!("{}:{}", path.display(), fault.line), fault.what).hint(HINT)]
    })?;
    let file = reader.file(name, &root);
    if reader.problems.is_empty() { Ok(file) } else { Err(reader.problems) }
}

struct FilterReader<'a> {
    path: &'a Path,
    problems: Vec<Problem>,
}

impl FilterReader<'_> {
    fn file(&mut self, name: &str, root: &SettingNode) -> FilterFile {
        let mut file = FilterFile {
            about: String::new(),
            enabled: true,
            filter: Filter {
                left_out: "",
                scopes: Vec::new(),
                lines: LineRules::default(),
                fields: FieldRules::default(),
            },
            tests: Vec::new(),
        };
        for pair in self.table(root, "the file") {
            self.part(&mut file, pair);
        }
        if file.filter.left_out.is_empty() {
            // Filters live as long as the process, so leaking this text costs nothing.
            file.filter.left_out = format!("by filter {name}").leak();
        }
        if self.problems.is_empty() {
            self.whole(&file);
        }
        file
    }

    fn part(&mut self, file: &mut FilterFile, pair: &Pair) {
        match pair.name.as_str() {
            "about" => file.about = self.text(pair),
            "enabled" => file.enabled = self.text(pair) == "true",
            "left_out" => file.filter.left_out = self.text(pair).leak(),
            "match" => file.filter.scopes = self.scopes(pair),
            "lines" => file.filter.lines = self.lines(&pair.node),
            "json" => file.filter.fields = self.fields(&pair.node),
            "test" => file.tests = self.tests(pair),
            _ => self.unknown(pair, &["about", "enabled", "left_out", "match", "lines", "json", "test"]),
        }
    }

    /// Checks the filter as a whole, and reports what is missing.
    fn whole(&mut self, file: &FilterFile) {
        let filter = &file.filter;
        if file.enabled && (filter.scopes.is_empty() || filter.scopes.contains(&FilterScope::default())) {
            self.problem(1, "match", "name a tool or a command: a filter must not match everything");
        }
        if file.enabled && filter.lines.is_empty() && filter.fields.is_empty() {
            self.problem(1, "lines", "list what to omit, under [lines] or [json]");
        }
    }

    /// Reads one scope table, or a list of them. A call has to match only one.
    fn scopes(&mut self, pair: &Pair) -> Vec<FilterScope> {
        match &pair.node.value {
            SettingValue::List(_) => self.nodes(pair).iter().map(|node| self.scope(node)).collect(),
            _ => vec![self.scope(&pair.node)],
        }
    }

    fn scope(&mut self, node: &SettingNode) -> FilterScope {
        let mut scope = FilterScope::default();
        for pair in self.table(node, "match") {
            match pair.name.as_str() {
                "tool" => scope.tools = self.list(pair),
                "command" => scope.commands = self.list(pair),
                _ => self.unknown(pair, &["tool", "command"]),
            }
        }
        scope
    }

    fn lines(&mut self, node: &SettingNode) -> LineRules {
        let mut rules = LineRules::default();
        for pair in self.table(node, "lines") {
            match pair.name.as_str() {
                "keep" => rules.keep = self.patterns(pair),
                "drop" => rules.drop = self.patterns(pair),
                "replace" => rules.replace = self.replacements(pair),
                "cap" => rules.cap = self.cap(pair),
                _ => self.unknown(pair, &["keep", "drop", "replace", "cap"]),
            }
        }
        rules
    }

    fn fields(&mut self, node: &SettingNode) -> FieldRules {
        let mut rules = FieldRules::default();
        for pair in self.table(node, "json") {
            match pair.name.as_str() {
                "pick" => rules.pick = self.paths(pair),
                "drop" => rules.drop = self.paths(pair),
                _ => self.unknown(pair, &["pick", "drop"]),
            }
        }
        rules
    }

    fn patterns(&mut self, pair: &Pair) -> Vec<LinePattern> {
        self.each(pair, LinePattern::parse)
    }

    fn pattern(&mut self, pair: &Pair) -> Option<LinePattern> {
        let text = self.text(pair);
        LinePattern::parse(&text)
            .map_err(|what| self.problem(pair.line, &pair.name, format!("{text:?}: {what}")))
            .ok()
    }

    fn paths(&mut self, pair: &Pair) -> Vec<FieldPath> {
        self.each(pair, |text| FieldPath::parse(text).map_err(str::to_owned))
    }

    fn each<T>(&mut self, pair: &Pair, parse: impl Fn(&str) -> Result<T, String>) -> Vec<T> {
        let mut parsed = Vec::new();
        for text in self.list(pair) {
            match parse(&text) {
                Ok(one) => parsed.push(one),
                Err(what) => self.problem(pair.line, &pair.name, format!("{text:?}: {what}")),
            }
        }
        parsed
    }

    fn replacements(&mut self, pair: &Pair) -> Vec<(LinePattern, String)> {
        let mut all = Vec::new();
        for node in self.nodes(pair) {
            let (mut find, mut with) = (None, String::new());
            for part in self.table(node, "replace") {
                match part.name.as_str() {
                    "find" => find = self.pattern(part),
                    "with" => with = self.text(part),
                    _ => self.unknown(part, &["find", "with"]),
                }
            }
            match find {
                Some(find) => all.push((find, with)),
                None if self.problems.is_empty() => {
                    self.problem(node.line, "replace", "needs `find`, an expression");
                }
                None => {}
            }
        }
        all
    }

    fn cap(&mut self, pair: &Pair) -> Option<usize> {
        let cap = self.text(pair).parse().ok().filter(|cap| *cap > 0);
        if cap.is_none() {
            self.problem(pair.line, "cap", "expects a number of lines");
        }
        cap
    }

    fn tests(&mut self, pair: &Pair) -> Vec<FilterTest> {
        let nodes = self.nodes(pair);
        nodes.iter().map(|node| self.test(node)).collect()
    }

    fn test(&mut self, node: &SettingNode) -> FilterTest {
        let mut test = FilterTest { line: node.line, ..FilterTest::default() };
        for pair in self.table(node, "test") {
            match pair.name.as_str() {
                "tool" => test.tool = self.text(pair),
                "command" => test.command = self.text(pair),
                "input" => test.input = self.text(pair),
                "output" => test.output = self.text(pair),
                _ => self.unknown(pair, &["tool", "command", "input", "output"]),
            }
        }
        test
    }

    fn table<'n>(&mut self, node: &'n SettingNode, name: &str) -> &'n [Pair] {
        if let SettingValue::Table(pairs) = &node.value {
            return pairs;
        }
        self.problem(node.line, name, format!("expects a table, not {}", node.value.kind()));
        &[]
    }

    fn nodes<'n>(&mut self, pair: &'n Pair) -> &'n [SettingNode] {
        match &pair.node.value {
            SettingValue::List(nodes) if nodes.len() <= MAX_PATTERNS => nodes,
            SettingValue::List(_) => {
                self.problem(pair.line, &pair.name, format!("lists more than {MAX_PATTERNS}"));
                &[]
            }
            other => {
                self.problem(pair.line, &pair.name, format!("expects a list, not {}", other.kind()));
                &[]
            }
        }
    }

    /// The texts of a list. A single text counts as a list with one item.
    fn list(&mut self, pair: &Pair) -> Vec<String> {
        if let SettingValue::Text(text) = &pair.node.value {
            return vec![text.clone()];
        }
        let mut list = Vec::new();
        for node in self.nodes(pair) {
            match &node.value {
                SettingValue::Text(text) => list.push(text.clone()),
                other => {
                    self.problem(node.line, &pair.name, format!("expects strings, not {}", other.kind()));
                }
            }
        }
        list
    }

    fn text(&mut self, pair: &Pair) -> String {
        if let SettingValue::Text(text) = &pair.node.value {
            return text.clone();
        }
        self.problem(pair.line, &pair.name, format!("expects a value, not {}", pair.node.value.kind()));
        String::new()
    }

    fn unknown(&mut self, pair: &Pair, names: &[&'static str]) {
        let what = match nearest(&pair.name, names.iter().copied()) {
            Some(meant) => format!("unknown key; did you mean {meant}?"),
            None => format!("unknown key; use {}", names.join(", ")),
        };
        self.problem(pair.line, &pair.name, what);
    }

    fn problem(&mut self, line: usize, key: &str, what: impl std::fmt::Display) {
        let place = format!("{}:{line}: {key}", self.path.display());
        self.problems.push(Problem::of(place, what).hint(HINT));
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn faults(text: &str) -> String {
        let problems = read("x", Path::new("x.toml"), text).unwrap_err();
        problems.iter().map(Problem::to_string).collect::<Vec<_>>().join("\n")
    }

    #[test]
    fn a_filter_says_what_it_is_for_and_what_goes() {
        let text = "about = 'x'\nleft_out = 'noise'\n[match]\ncommand = 'a'\ntool = ['b', 'c']\n\
                    [lines]\ndrop = '^a'\ncap = 9\nreplace = [{ find = 'a', with = 'b' }]\n\
                    [json]\npick = ['a.b']\n[[test]]\ninput = 'i'\noutput = 'o'\ncommand = 'a'\n";
        let file = read("x", Path::new("x.toml"), text).unwrap();
        let FilterFile { about, enabled, filter, tests } = file;
        assert_eq!((&*about, enabled, filter.left_out), ("x", true, "noise"));
        assert_eq!((filter.scopes[0].tools.len(), filter.scopes[0].commands.len()), (2, 1));
        let counts = (filter.lines.drop.len(), filter.lines.replace.len(), filter.lines.cap);
        assert_eq!((counts, filter.fields.pick.len(), tests.len()), ((1, 1, Some(9)), 1, 1));
    }

    #[test]
    fn everything_that_is_wrong_is_said_at_once() {
        let text = "abuot = 'x'\n[match]\ncommand = 'a'\n[lines]\ndrop = ['a(']\ncap = 'few'\n[json]\ndrop = 'a..b'\n";
        assert_eq!(
            faults(text),
            "x.toml:1: abuot: unknown key; did you mean about?\n\
             x.toml:5: drop: \"a(\": unclosed group\n\
             x.toml:6: cap: expects a number of lines\n\
             x.toml:8: drop: \"a..b\": a name between dots is empty"
        );
        assert!(faults("[lines]\ncap = 9\n").contains("match: name a tool or a command"));
        assert!(faults("[match]\ntool = 'x'\n").contains("list what to omit"));
        assert!(faults("a = ").starts_with("x.toml:1: "));
    }
}
