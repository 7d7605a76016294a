//! Shortens diagnostics of rustc, and of linters with the same format: keeps the first warning of each kind in full,
//! and the message and location of further warnings. Errors are kept in full, except for notes that were already
//! shown.

use std::collections::BTreeSet;

use crate::class::CutClass;
use crate::cut::family::sheet::Sheet;
use crate::stage::Scene;

/// The kinds of warnings and the notes shown so far.
pub(super) struct Diagnostics {
    /// True when further warnings of the same kind are shortened.
    is_brief: bool,
    warnings: BTreeSet<String>,
    notes: BTreeSet<String>,
}

pub(super) const SOURCE: &str = "source and notes of repeated warnings";
pub(super) const NOTES: &str = "notes given above";

impl Diagnostics {
    /// Starts without any diagnostics.
    pub(super) fn new(scene: Scene<'_>) -> Self {
        Self {
            is_brief: scene.may_omit(CutClass::Further),
            warnings: BTreeSet::new(),
            notes: BTreeSet::new(),
        }
    }

    /// Writes the warning or error at the start of `lines`. Returns the number of its lines, or 0 if there is none.
    pub(super) fn take<'a>(&mut self, sheet: &mut Sheet<'a>, lines: &[&'a str]) -> usize {
        if !is_head(lines) {
            return 0;
        }
        let ends = |at: &usize| lines[*at].trim().is_empty() || is_head(&lines[*at..]);
        let len = (1..lines.len()).find(ends).unwrap_or(lines.len());
        let warning = !lines[0].starts_with(ERROR);
        if warning && self.is_brief && !self.warnings.insert(kind(lines[0])) {
            return repeat(sheet, lines, len);
        }
        self.write(sheet, &lines[..len]);
        len
    }

    /// Writes a diagnostic without the notes that were already shown.
    fn write<'a>(&mut self, sheet: &mut Sheet<'a>, lines: &[&'a str]) {
        let mut at = 0;
        while at < lines.len() {
            let ends = |next: &usize| is_note(lines[*next]);
            let end = (at + 1..lines.len()).find(ends).unwrap_or(lines.len());
            let part = &lines[at..end];
            let known = is_note(part[0]) && !self.notes.insert(words(part));
            for line in part {
                if known {
                    sheet.drop(line, NOTES);
                } else {
                    sheet.keep(line);
                }
            }
            at = end;
        }
    }
}

const WARNING: &str = "warning";
const ERROR: &str = "error";

/// True when `lines` begin with a message and its location.
fn is_head(lines: &[&str]) -> bool {
    let [head, place, ..] = lines else { return false };
    let rest = head.strip_prefix(WARNING).or_else(|| head.strip_prefix(ERROR));
    (rest.is_some_and(|rest| rest.starts_with([':', '['])) || rule(head).is_some())
        && place.trim_start().starts_with("--> ")
}

/// The name of the rule at the start of a linter's message: `E501 Line too long`.
fn rule(head: &str) -> Option<&str> {
    let code = head.split(' ').next()?;
    let digits = code.trim_start_matches(|sign: char| sign.is_ascii_uppercase());
    let numbered = digits.len() >= 3 && digits.bytes().all(|byte| byte.is_ascii_digit());
    (numbered && digits.len() < code.len() && code.len() < head.trim_end().len()).then_some(code)
}

/// Writes the message and the location of a repeated warning, and omits its other lines and the blank line after it.
fn repeat<'a>(sheet: &mut Sheet<'a>, lines: &[&'a str], len: usize) -> usize {
    let blank = lines.get(len).is_some_and(|line| line.trim().is_empty());
    let end = len + usize::from(blank);
    for (at, line) in lines[..end].iter().enumerate() {
        if at < 2 {
            sheet.head(line);
        } else {
            sheet.omit(line, SOURCE);
        }
    }
    end
}

/// The kind of a warning: its rule, or else its message without the names in backticks.
fn kind(head: &str) -> String {
    if let Some(rule) = rule(head) {
        return rule.to_owned();
    }
    head.trim_end().split('`').step_by(2).collect()
}

/// True for the first line of a note or a help message.
fn is_note(line: &str) -> bool {
    let line = line.trim_start();
    let line = line.strip_prefix("= ").unwrap_or(line);
    line.starts_with("note: ") || line.starts_with("help: ")
}

/// The text of a note without its indentation, which varies with the width of the line-number column.
fn words(part: &[&str]) -> String {
    part.iter().flat_map(|line| [line.trim(), "\n"]).collect()
}

#[cfg(test)]
mod tests {
    use crate::cut::family::cargo::Cargo;
    use crate::cut::family::proof::check;

    fn warning(name: &str, line: usize) -> String {
        format!(
            "warning: unused variable: `{name}`\n --> src/x.rs:{line}:9\n  |\n{line} |     let {name} = some_function_call();\n  \
             |         ^ help: if this is intentional, prefix it with an underscore: `_{name}`\n\n"
        )
    }

    #[test]
    fn repeated_warnings_keep_what_and_where() {
        let text = format!("     Running x\n{}{}{}x\n", warning("a", 1), warning("b", 2), warning("c", 3));
        let expected = format!(
            "     Running x\n{}warning: unused variable: `b`\n --> src/x.rs:2:9\nwarning: unused variable: `c`\n \
             --> src/x.rs:3:9\n[8 lines left out: source and notes of repeated warnings]\nx\n",
            warning("a", 1)
        );
        check(&Cargo, &text, &expected);
    }

    /// Ruff's messages for the same rule may have different words.
    #[test]
    fn further_examples_of_a_rule_keep_what_and_where() {
        let message = |line: usize| {
            format!(
                "E501 Line too long ({line} > 88)\n  --> ci/a.py:{line}:89\n   |\n{line} |     session.run(\"ruff\", \"check\", \"--no-cache\")\n   |                            ^^^^^^^^\n\n"
            )
        };
        let text = format!("{}{}{}Found 3 errors.\n", message(101), message(102), message(103));
        let expected = format!(
            "{}E501 Line too long (102 > 88)\n  --> ci/a.py:102:89\nE501 Line too long (103 > 88)\n  --> ci/a.py:103:89\n\
             [8 lines left out: source and notes of repeated warnings]\nFound 3 errors.\n",
            message(101)
        );
        check(&Cargo, &text, &expected);
    }

    #[test]
    fn errors_stay_but_for_notes_given_before() {
        let notes = "    = help: the following other types implement trait `Foo`:\n              \
                     `Bar`\n              `Baz`\n";
        let error = |line: usize| {
            format!(
                "error[E0277]: cannot x\n  --> src/x.rs:{line}:1\n   |\n{line} | x();\n   | ^ bad\n   |\n"
            )
        };
        let text = format!("     Running x\n{}{notes}\n{}{notes}\n", error(1), error(2));
        let expected = format!(
            "     Running x\n{}{notes}\n{}[3 lines left out: notes given above]\n\n",
            error(1),
            error(2)
        );
        check(&Cargo, &text, &expected);
    }

    /// Behaviour 3.15: an error between warnings.
    #[test]
    fn an_error_among_warnings_stays() {
        let error = "error[E0308]: mismatched types\n --> src/x.rs:5:1\n  |\n5 | x\n  | ^ expected `u8`\n\n";
        let text =
            format!("     Running x\n{}{}{error}{}", warning("a", 1), warning("b", 2), warning("c", 3));
        let mark = "[4 lines left out: source and notes of repeated warnings]\n";
        let expected = format!(
            "     Running x\n{}warning: unused variable: `b`\n --> src/x.rs:2:9\n{mark}{error}\
             warning: unused variable: `c`\n --> src/x.rs:3:9\n{mark}",
            warning("a", 1)
        );
        check(&Cargo, &text, &expected);
    }
}
