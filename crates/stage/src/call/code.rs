//! Detects source code by its text, for results whose command does not show what they are.
//!
//! Looks at how the first lines begin and end. The rules avoid mistaking tool output for source; they may miss a table
//! of constants or a page of prose in a comment.

use crate::lines;
use crate::prefix::PrefixSet;

/// The maximum number of lines inspected, and the minimum number needed to decide.
const MAX_LINES: usize = 400;
const MIN_LINES: usize = 5;

/// Prefixes of lines that declare an item.
static DECLARES: PrefixSet = PrefixSet::new(&[
    "#!",
    "#[",
    "#define",
    "#include",
    "@",
    "abstract ",
    "async ",
    "class ",
    "const ",
    "def ",
    "defmodule ",
    "defp ",
    "enum ",
    "export ",
    "extern ",
    "final ",
    "fn ",
    "from ",
    "fun ",
    "func ",
    "function ",
    "impl ",
    "import ",
    "int ",
    "interface ",
    "let ",
    "local ",
    "mod ",
    "module ",
    "module.exports",
    "my ",
    "namespace ",
    "object ",
    "override ",
    "package ",
    "private ",
    "protected ",
    "pub ",
    "public ",
    "require",
    "source ",
    "static ",
    "struct ",
    "sub ",
    "template",
    "trait ",
    "type ",
    "typedef ",
    "use ",
    "using ",
    "val ",
    "var ",
    "void ",
]);

/// Prefixes of statements.
static DOES: PrefixSet = PrefixSet::new(&[
    "assert", "await ", "break", "case ", "catch", "continue", "default:", "do ", "done", "echo ", "elif ",
    "else", "except", "expect", "fi", "finally", "for ", "for(", "if ", "if(", "match ", "new ", "print(",
    "puts ", "raise ", "return", "self.", "super", "switch", "then", "this.", "throw ", "try", "unless ",
    "while ", "while(", "with ", "yield ",
]);

/// Prefixes of comments and of closing lines.
static CLOSES: PrefixSet =
    PrefixSet::new(&["}", ")", "]", "//", "/*", "*/", "* ", "#", "\"\"\"", "'''", "--", "<!--"]);

/// Suffixes of source lines, and strings that occur within them.
const ENDS: &[&str] = &[";", "{", "}", "(", "[", "):", "=>", "->", "&&", "||", ",", "\\"];
const HOLDS: &[&str] = &[" = ", " := ", " == ", "=>", " -> ", "+=", "()"];

/// Suffixes of statements, and prefixes of comments, in many languages.
const STATEMENTS: &[&str] = &[";", "{", "}", "*/"];
static COMMENTS: PrefixSet =
    PrefixSet::new(&["//", "/*", "* ", "*/", "#include", "#define", "#if", "#endif"]);

/// Severity levels that begin lines of logs and reports.
const LEVELS: &[&str] = &["INFO", "WARN", "ERROR", "DEBUG", "error", "warning", "note", "Error"];

/// True when `text` looks like source code.
pub(crate) fn is_code(text: &str) -> bool {
    let lines: Vec<&str> =
        lines::lines(text).map(str::trim).filter(|line| !line.is_empty()).take(MAX_LINES).collect();
    // JSON and markup contain braces and brackets too.
    let is_document = text.trim_start().starts_with(['{', '[', '<']);
    if lines.len() < MIN_LINES || is_document {
        return false;
    }
    if lines.iter().any(|line| is_change(line)) {
        return false;
    }
    let share = |count: usize| count * 100 / lines.len();
    if share(lines.iter().filter(|line| is_report(line)).count()) >= 4 {
        return false;
    }
    let tally = LineTally::of(&lines);
    let (declares, words) = (share(tally.declarations), share(tally.words));
    let kinds = tally.declaring_words.count_ones();
    let all = kinds + tally.doing_words.count_ones();
    match share(tally.code) {
        line if line >= 60 && declares >= 2 && kinds >= 2 => true,
        line if line >= 70 && share(tally.statements) >= 50 => true,
        line if line >= 80 && all >= 3 && words >= 8 => true,
        line => line >= 45 && kinds >= 2 && all >= 5 && words >= 12,
    }
}

/// How many lines look like source code, and in which way.
#[derive(Default)]
struct LineTally {
    /// Lines that look like code at all.
    code: usize,
    /// Lines that declare an item, and lines that do so or begin with a statement's word.
    declarations: usize,
    words: usize,
    /// Lines that end like statements, or are comments.
    statements: usize,
    /// The words of each kind that begin at least one line.
    declaring_words: u64,
    doing_words: u64,
}

impl LineTally {
    fn of(lines: &[&str]) -> Self {
        let mut tally = Self::default();
        for line in lines {
            let (declares, does) = (DECLARES.of(line), DOES.of(line));
            let is_word = declares | does != 0;
            let is_code = is_word || CLOSES.begin(line) || ends(line, ENDS) || holds_code(line);
            tally.code += usize::from(is_code);
            tally.declarations += usize::from(declares != 0);
            tally.words += usize::from(is_word);
            tally.statements += usize::from(ends(line, STATEMENTS) || COMMENTS.begin(line));
            tally.declaring_words |= declares;
            tally.doing_words |= does;
        }
        tally
    }
}

fn ends(line: &str, words: &[&str]) -> bool {
    words.iter().any(|word| line.ends_with(word))
}

/// True when a line holds one of [`HOLDS`], each of which has one of three signs.
fn holds_code(line: &str) -> bool {
    line.bytes().any(|byte| matches!(byte, b'=' | b'(' | b'>'))
        && HOLDS.iter().any(|part| line.contains(part))
}

fn is_change(line: &str) -> bool {
    line.starts_with("diff --git ") || line.starts_with("@@ -")
}

/// True when a line begins with a number, a time, a severity level, or a location in a file.
fn is_report(line: &str) -> bool {
    let word = line.split_whitespace().next().unwrap_or_default();
    let (_, after) = word.split_once(':').unwrap_or_default();
    let bare = word.trim_start_matches(['[', '(', '<']);
    let digits = bare.bytes().take_while(u8::is_ascii_digit).count();
    let timed = digits >= 2 && bare[digits..].starts_with(['-', '/', ':', '.']);
    digits == word.len() && line.len() > digits
        || timed
        || after.starts_with(|char: char| char.is_ascii_digit())
        || LEVELS.iter().any(|level| bare.strip_prefix(level).is_some_and(|rest| !rest.starts_with(is_name)))
}

fn is_name(char: char) -> bool {
    char.is_alphanumeric() || char == '_'
}

#[cfg(test)]
mod tests {
    use std::fs;
    use std::path::Path;

    use tersely_testing::generate::Choices;

    use super::*;

    const GO: &str = "package main\n\nimport \"fmt\"\n\nfunc main() {\n\tif err := run(); err != nil {\n\t\tfmt.Println(err)\n\t}\n}\n";
    const PYTHON: &str = "import os\n\n\nclass Shop:\n    \"\"\"Sells.\"\"\"\n\n    def price(self, name):\n        return self.prices[name]\n";

    #[test]
    fn source_of_many_languages_is_known() {
        let sql = "{\n  \"a\": 1,\n  \"b\": {\n    \"c\": 2\n  },\n  \"d\": 3\n}\n";
        for (text, expected) in [
            (GO, true),
            (PYTHON, true),
            ("use std::fs;\n\npub fn a() -> u8 {\n    1\n}\n\nfn b() {}\n", true),
            ("import a from 'a';\nexport const b = () => {\n  return a;\n};\nlet c = 1;\n", true),
            ("package a;\n\npublic class B {\n  private int c;\n  void d() { }\n}\n", true),
            (sql, false),
            (
                "2026-01-01 10:00:00 INFO started {\n2026-01-01 10:00:01 INFO import done;\n2026-01-01 x\na\nb",
                false,
            ),
            ("src/a.rs:3:5: error: x;\nsrc/a.rs:4:5: error: y;\nsrc/b.rs:1: if x;\nd;\ne;", false),
            ("total 4\n-rw-r--r-- 1 a a 10 a.rs\n-rw-r--r-- 1 a a 10 b.rs\nx\ny\nz", false),
            ("Compiling a v1\nFinished dev\nRunning tests\ntest a ... ok\ntest b ... ok\n", false),
            ("diff --git a/a.go b/a.go\n@@ -1 +1 @@\n-import a;\n+import b;\n func c() {\n }\n", false),
            ("", false),
        ] {
            assert_eq!(is_code(text), expected, "{text}");
        }
    }

    /// In the corpus, no tool output is mistaken for source code.
    #[test]
    fn tool_output_is_distinguished_from_source() {
        let outputs = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../corpus/outputs");
        let families =
            ["build", "ci", "csv", "html", "json-api", "json-rows", "logs", "mcp", "search", "shell"];
        for family in families.into_iter().chain(["traces", "xml", "yaml"]) {
            for entry in fs::read_dir(outputs.join(family)).expect("a family").flatten() {
                let text = fs::read_to_string(entry.path()).unwrap_or_default();
                assert!(!is_code(&text), "{}", entry.path().display());
            }
        }
    }

    /// One look at each line counts what one look for each question would.
    #[test]
    fn a_tally_is_what_its_lines_are() {
        let begins = |line: &str, words: &PrefixSet| words.begin(line);
        for seed in 0..3000_u64 {
            let seed = &mut { seed };
            let pieces = [
                "fn ", "if ", "# ", "return", "x", " = ", "=>", "()", ";", "{", "//", "(", "import ", ">",
                "=",
            ];
            let line =
                |seed: &mut u64| -> String { (0..seed.pick(5)).map(|_| pieces[seed.pick(15)]).collect() };
            let lines: Vec<String> = (0..seed.pick(8)).map(|_| line(seed).trim().to_owned()).collect();
            let lines: Vec<&str> = lines.iter().map(String::as_str).collect();
            let tally = LineTally::of(&lines);
            let count = |holds: &dyn Fn(&str) -> bool| lines.iter().filter(|line| holds(line)).count();
            let is_word = |line: &str| begins(line, &DECLARES) || begins(line, &DOES);
            let is_held = |line: &str| HOLDS.iter().any(|part| line.contains(part));
            assert_eq!(tally.declarations, count(&|line| begins(line, &DECLARES)), "{lines:?}");
            assert_eq!(tally.words, count(&is_word), "{lines:?}");
            let is_code =
                |line: &str| is_word(line) || begins(line, &CLOSES) || ends(line, ENDS) || is_held(line);
            assert_eq!(tally.code, count(&is_code), "{lines:?}");
            assert_eq!(tally.statements, count(&|line| ends(line, STATEMENTS) || begins(line, &COMMENTS)));
            assert!(tally.doing_words.count_ones() as usize <= tally.words * 2);
        }
    }
}
