//! Shortens the output of compilers and linters: keeps errors and the first warning of each kind in full; of further
//! warnings, keeps the line with message and location.

use std::collections::BTreeSet;

use crate::class::{CutClass, Omission};
use crate::cut::family::sheet::Sheet;
use crate::cut::family::step;
use crate::lines;
use crate::plan::{Loss, Mode};
use crate::stage::{Edit, Scene, Stage};
use crate::view::TextView;

/// The cut for gcc, clang, make, cmake, ninja, javac, golangci-lint and any tool that writes `path:12:5: warning:
/// text`.
pub(super) struct Compiler;

impl Stage for Compiler {
    fn name(&self) -> &'static str {
        "compiler"
    }

    fn mode(&self) -> Mode {
        Mode::Standard
    }

    fn leaves(&self) -> &'static [Omission] {
        &[(CutClass::Noise, step::WORDS), (CutClass::Further, &[SOURCE])]
    }

    fn apply(&self, scene: Scene<'_>, text: &TextView<'_>) -> Option<Edit> {
        if !text.contains_any(&SIGNS) {
            return None;
        }
        let lines: Vec<&str> = lines::split_inclusive(text).collect();
        let linted = lines.iter().rev().take(VERDICT_WITHIN_LINES).any(|line| is_verdict(line));
        let mut writer =
            Writer { sheet: Sheet::new(text), kinds: BTreeSet::new(), repeats: false, scene, linted };
        let mut at = 0;
        while at < lines.len() {
            at += writer.take(&lines[at..]);
        }
        Some(Edit { text: writer.sheet.finish()?, loss: Loss::Detail, note: String::new() })
    }
}

/// Strings by which such output is recognised quickly.
const SIGNS: [&str; 9] = [
    ": warning",
    ": C: ",
    ": W: ",
    " issues:",
    "] Building ",
    " -c ",
    "Entering directory",
    "  CC  ",
    "  CXX  ",
];

/// The number of lines at the end of the text in which a linter's verdict is searched for. Counts by rule follow the
/// verdict.
const VERDICT_WITHIN_LINES: usize = 200;

struct Writer<'a> {
    sheet: Sheet<'a>,
    /// The kinds of warnings shown in full so far.
    kinds: BTreeSet<String>,
    /// True when the last warning was of a kind that was shown before.
    repeats: bool,
    scene: Scene<'a>,
    /// True when the text ends with a linter's verdict. In that case all lines below a warning are source, whatever
    /// they look like.
    linted: bool,
}

const SOURCE: &str = "source and notes of repeated warnings";

impl<'a> Writer<'a> {
    /// Writes the item at the start of `lines`, and returns the number of lines in it.
    fn take(&mut self, lines: &[&'a str]) -> usize {
        let Some(head) = Head::of(lines[0]) else {
            self.plain(lines);
            return 1;
        };
        let len = 1 + self.body(&lines[1..]);
        let shown = usize::from(head != Head::Note);
        self.repeats = match head {
            Head::Error => false,
            Head::Note => self.repeats,
            Head::Warning(kind) => {
                self.scene.may_omit(CutClass::Further) && !self.kinds.insert(kind) && !names_error(lines[0])
            }
        };
        for (at, line) in lines[..len].iter().enumerate() {
            match self.repeats {
                true if at < shown => self.sheet.head(line),
                true => self.sheet.omit(line, SOURCE),
                false => self.sheet.keep(line),
            }
        }
        len
    }

    /// Writes a line that is not part of a diagnostic.
    fn plain(&mut self, lines: &[&'a str]) {
        let line = lines[0];
        let last = lines.get(1).is_none_or(|next| step::of(next).is_none());
        match step::of(line) {
            Some(what) if !last => self.sheet.omit(line, what),
            None if self.repeats && self.sheet.runs() && is_context(line) => return self.sheet.head(line),
            _ => self.sheet.keep(line),
        }
        self.repeats = false;
    }

    /// The number of lines at the start of `lines` that show the source of the diagnostic above them.
    fn body(&self, lines: &[&str]) -> usize {
        let mut at = 0;
        while let Some(line) = lines.get(at) {
            let caret = lines.get(at + 1).is_some_and(|next| is_caret(next));
            let shown = line.starts_with([' ', '\t']) && !line.trim().is_empty() && step::of(line).is_none();
            if Head::of(line).is_some() || !(shown || caret || self.linted && !is_verdict(line)) {
                break;
            }
            at += 1;
        }
        at
    }
}

/// The first line of a diagnostic.
#[derive(Debug, PartialEq, Eq)]
enum Head {
    Error,
    /// A note on the diagnostic above it.
    Note,
    /// A warning, with its kind.
    Warning(String),
}

impl Head {
    fn of(line: &str) -> Option<Self> {
        let (place, text) = line.trim_end().split_once(": ")?;
        if !is_place(place) {
            return None;
        }
        let (word, rest) = text.split_once([':', ' ']).unwrap_or((text, ""));
        match word {
            "warning" => Some(Self::Warning(kind(rest.trim_start()))),
            "note" | "info" | "help" => Some(Self::Note),
            "error" | "fatal" if is_error(text) => Some(Self::Error),
            "C" | "W" | "R" => cop(rest).map(|cop| Self::Warning(cop.to_owned())),
            "E" | "F" if cop(rest).is_some() => Some(Self::Error),
            _ => rule(text).map(|rule| Self::Warning(rule.to_owned())),
        }
    }
}

/// True for `path:12`, `path:12:5` and `path(12,5)`.
fn is_place(place: &str) -> bool {
    let digits = |byte: u8| byte.is_ascii_digit() || matches!(byte, b',' | b':');
    let path = if let Some(inner) = place.strip_suffix(')') {
        inner.rsplit_once('(').filter(|(_, spot)| !spot.is_empty() && spot.bytes().all(digits))
    } else {
        let path = place.trim_end_matches(|char: char| char.is_ascii_digit() || char == ':');
        place[path.len()..].strip_prefix(':').filter(|spot| !spot.is_empty()).map(|spot| (path, spot))
    };
    path.is_some_and(|(path, _)| {
        path.contains(['/', '\\', '.']) && !path.starts_with([' ', '\t', '-']) && !path.contains("://")
    })
}

/// True for `error: text`, `fatal error: text` and `error X123: text`.
fn is_error(text: &str) -> bool {
    let head = text.split(':').next().unwrap_or_default();
    head.len() < text.len() && head.split(' ').count() <= 2
}

/// The kind of a warning: the name of its rule if it has one, else its words without the names in them.
fn kind(text: &str) -> String {
    let first = text.strip_prefix('[').and_then(|rest| rest.split_once(']')).map(|(rule, _)| rule);
    let last = || text.strip_suffix(']').and_then(|rest| rest.rsplit_once('[')).map(|(_, rule)| rule);
    let code = || text.split_once(": ").map(|(code, _)| code).filter(|code| !code.contains(' '));
    match first.or_else(last).or_else(code) {
        Some(rule) => rule.to_owned(),
        None => text.split(['\'', '`', '"', '‘', '’']).step_by(2).collect(),
    }
}

/// The `RuboCop` rule in front of a message: `[Correctable] Style/StringLiterals: Prefer`.
fn cop(text: &str) -> Option<&str> {
    let text = text.trim_start();
    let text = text.strip_prefix("[Correctable] ").unwrap_or(text);
    text.split_once(": ").map(|(cop, _)| cop).filter(|cop| cop.contains('/') && !cop.contains(' '))
}

/// The name of the linter, in parentheses after a message.
fn rule(text: &str) -> Option<&str> {
    let (_, rule) = text.strip_suffix(')')?.rsplit_once(" (")?;
    let plain = !rule.is_empty() && rule.bytes().all(|byte| byte.is_ascii_lowercase() || byte == b'-');
    plain.then_some(rule)
}

/// True for `12 issues:`.
fn is_verdict(line: &str) -> bool {
    let count = line.trim_end().strip_suffix(" issues:");
    count.is_some_and(|count| !count.is_empty() && count.bytes().all(|byte| byte.is_ascii_digit()))
}

/// True for a line that consists of carets and tildes, which point into the line above.
fn is_caret(line: &str) -> bool {
    let line = line.trim();
    line.contains('^') && line.bytes().all(|byte| matches!(byte, b'^' | b'~' | b' '))
}

/// True when a warning contains the word "error". A reader could mistake it for an error, so its source is always
/// shown.
fn names_error(line: &str) -> bool {
    line.as_bytes().windows(5).any(|part| part.eq_ignore_ascii_case(b"error"))
}

/// True for a line of context that gcc prints above a diagnostic.
fn is_context(line: &str) -> bool {
    line.starts_with("In file included from ")
        || line.contains(": In function ")
        || line.contains(": At top level")
}

#[cfg(test)]
mod tests {
    use crate::cut::family::proof::{check, declines};

    use super::*;

    #[test]
    fn diagnostics_are_recognised() {
        let warning = |kind: &str| Some(Head::Warning(kind.to_owned()));
        for (line, expected) in [
            ("a.c:1:2: warning: unused variable 'x' [-Wunused]", warning("-Wunused")),
            ("A.java:7: warning: [rawtypes] found raw type: CutClass", warning("rawtypes")),
            ("C:\\a.cpp(3,4): warning C4996: 'x': old", warning("C4996")),
            ("a.c:1:2: warning: 'x' is 'y'", warning(" is ")),
            ("pkg/a.go:1:2: error returned from x (wrapcheck)", warning("wrapcheck")),
            ("a.c:1:2: error: bad", Some(Head::Error)),
            ("a.c:1:2: fatal error: bad", Some(Head::Error)),
            ("a.ts(1,2): error TS1: bad", Some(Head::Error)),
            ("a.c:1: note: declared here", Some(Head::Note)),
            ("a.c: In function 'f':", None),
            ("12:00:01: warning: x", None),
            ("https://x.y/z:80: warning: x", None),
            ("warning: x", None),
            ("é: warning", None),
            ("a.c:: warning: x", None),
            ("", None),
        ] {
            assert_eq!(Head::of(line), expected, "{line}");
        }
    }

    fn warning(line: usize) -> String {
        format!("src/a.c:{line}:5: warning: unused variable 'x{line}' [-Wunused]\n")
    }

    fn source(line: usize) -> String {
        format!("   {line} |     int x{line} = compute_the_value(of, some, things);\n     |         ^~\n")
    }

    #[test]
    fn repeated_warnings_keep_what_and_where() {
        let context = "src/a.c: In function 'g':\n";
        let text = format!(
            "{}{}{}{}{context}{}{}src/a.c:1:1: note: declared here\n2 warnings generated.\n",
            warning(1),
            source(1),
            warning(2),
            source(2),
            warning(3),
            source(3)
        );
        let expected = format!(
            "{}{}{}{context}{}[5 lines left out: source and notes of repeated warnings]\n2 warnings generated.\n",
            warning(1),
            source(1),
            warning(2),
            warning(3)
        );
        check(&Compiler, &text, &expected);
    }

    /// Behaviour 3.15: an error between warnings.
    #[test]
    fn an_error_among_warnings_stays_with_its_source() {
        let error =
            format!("src/a.c:9:1: error: expected ';'\n{}src/a.c:8:1: note: to match this\n", source(9));
        let text = format!("{}{}{}{}{error}x\n", warning(1), source(1), warning(2), source(2).repeat(2));
        let mark = "[4 lines left out: source and notes of repeated warnings]\n";
        let expected = format!("{}{}{}{mark}{error}x\n", warning(1), source(1), warning(2));
        check(&Compiler, &text, &expected);
    }

    #[test]
    fn source_below_a_linters_line_may_look_like_anything() {
        let head =
            |line: usize| format!("pkg/a.go:{line}: {line}-9 lines are duplicate of `b.go:1-9` (dupl)\n");
        let body = "func TestSomething(t *testing.T) {\n\n\tx := somethingElse(t, \"words\", 12)\n}\n";
        let text = format!("{}{body}{}{body}{}{body}3 issues:\n* dupl: 3\n", head(1), head(2), head(3));
        let expected = format!(
            "{}{body}{}{}[8 lines left out: source and notes of repeated warnings]\n3 issues:\n* dupl: 3\n",
            head(1),
            head(2),
            head(3)
        );
        check(&Compiler, &text, &expected);
    }

    #[test]
    fn the_last_command_before_other_words_stays() {
        let command = |name: &str| format!("gcc -O2 -Wall -Iinclude -c src/{name}.c -o build/{name}.o\n");
        let text = format!(
            "{}{}{}{}src/d.c:1:1: error: bad\nmake: *** [Makefile:3: d.o] Error 1\n",
            command("a"),
            command("b"),
            command("c"),
            command("d")
        );
        let expected = format!(
            "[3 lines left out: commands]\n{}src/d.c:1:1: error: bad\nmake: *** [Makefile:3: d.o] Error 1\n",
            command("d")
        );
        check(&Compiler, &text, &expected);
    }

    #[test]
    fn further_offences_of_a_cop_keep_what_and_where() {
        let offence = |line: usize, cop: &str| {
            format!(
                "lib/shop/cart.rb:{line}:5: C: [Correctable] {cop}: Prefer single-quoted strings.\n    puts \"a line of source that is quoted below it {line}\"\n         ^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^\n"
            )
        };
        let quotes = |line| offence(line, "Style/StringLiterals");
        let text =
            [quotes(1), quotes(2), quotes(3), offence(4, "Style/Other")].concat() + "\n4 offenses detected\n";
        let head = |line| quotes(line).lines().next().unwrap_or_default().to_owned() + "\n";
        let expected = format!(
            "{}{}{}[4 lines left out: source and notes of repeated warnings]\n{}\n4 offenses detected\n",
            quotes(1),
            head(2),
            head(3),
            offence(4, "Style/Other")
        );
        check(&Compiler, &text, &expected);
    }

    #[test]
    fn other_texts_are_left_alone() {
        for text in
            ["", "a: warning", "x -c y\n", " issues:\n: warning\n: \n:1: warning: é", "(): warning: x\n  y"]
        {
            declines(&Compiler, text);
        }
    }
}
