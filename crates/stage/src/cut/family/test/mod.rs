//! Shortens the output of test runners: counts passing tests and keeps everything else.

mod go;
mod js;
pub(super) mod junit;
mod pytest;

use crate::class::{CutClass, Omission};
use crate::cut::family::sheet::Sheet;
use crate::lines;
use crate::plan::{Loss, Mode};
use crate::stage::{Edit, Scene, Stage};
use crate::view::TextView;

/// The cut for pytest, go test, jest, vitest, mocha, playwright and TAP.
pub(super) struct Test;

impl Stage for Test {
    fn name(&self) -> &'static str {
        "test"
    }

    fn mode(&self) -> Mode {
        Mode::Standard
    }

    fn leaves(&self) -> &'static [Omission] {
        &[(CutClass::Noise, WORDS)]
    }

    fn apply(&self, _: Scene<'_>, text: &TextView<'_>) -> Option<Edit> {
        if !text.contains_any(&SIGNS) {
            return None;
        }
        let lines: Vec<&str> = lines::split_inclusive(text).collect();
        let mut log = go::GoLog::of(&lines);
        let ticks = js::is_run(text);
        let named = go::names_stay(text);
        let mut sheet = Sheet::new(text);
        for (at, line) in lines.iter().enumerate() {
            let bare = line.trim_end();
            let logged = log.log_kind(bare);
            let what = passing(bare).filter(|_| !(named && go::names_passing_test(bare)));
            let what = what.or(logged).or_else(|| go::verdict(&lines[at..]));
            let what = what.or_else(|| ticks.then(|| js::tick_kind(bare))?);
            match what {
                Some(what) => sheet.omit(line, what),
                None if sheet.runs() && is_title(&lines[at..]) => sheet.head(line),
                None => sheet.keep(line),
            }
        }
        Some(Edit { text: sheet.finish()?, loss: Loss::Detail, note: String::new() })
    }
}

/// Strings by which a test run is recognised quickly.
const SIGNS: [&str; 13] = [
    "PASS",
    "=== RUN",
    "ok  \t",
    "✓",
    "✔",
    "√",
    "%]",
    "\nok 1 ",
    "100%",
    "[no test files]",
    "  ok ",
    ") ... ok",
    " s = .",
];

/// All descriptions of lines that belong to passing tests.
const WORDS: &[&str] = &[
    PASSING,
    "files covered in full",
    "files of passing tests",
    "log of passing tests",
    "packages that passed",
    "packages without tests",
    "tests begun",
    "tests not run",
    "tests paused",
    "tests resumed",
];

const PASSING: &str = "passing tests";

/// The description of `line`, if it belongs to a passing test.
fn passing(line: &str) -> Option<&'static str> {
    go::passing(line).or_else(|| pytest::passing(line)).or_else(|| js::passing(line))
}

/// True when `lines` begin with titles, and the test below these titles passes.
fn is_title(lines: &[&str]) -> bool {
    let mut near = lines.iter().take(MAX_TITLE_LINES).map(|line| line.trim_end());
    let below = near.find(|line| !line.is_empty() && !line.starts_with(' ') || js::reports_outcome(line));
    below.is_some_and(|line| js::passing(line).or_else(|| js::tick_kind(line)).is_some())
}

/// Maximum number of titles and blank lines above a test.
const MAX_TITLE_LINES: usize = 6;

#[cfg(test)]
mod tests {
    use super::*;
    use crate::cut::family::proof::{check, declines, lines};

    #[test]
    fn titles_of_groups_stay_above_one_mark() {
        let tests: String = lines(4, |at| format!("    ✓ does the thing that is number {at} ({at} ms)\n"));
        let text = format!(
            "  parser\n{tests}\n  writer\n{tests}    ✕ fails\n{tests}\nTests:  1 failed, 12 passed\n"
        );
        let expected = "  parser\n\n  writer\n[8 lines left out: passing tests]\n    ✕ fails\n\
                        [4 lines left out: passing tests]\n\nTests:  1 failed, 12 passed\n";
        check(&Test, &text, expected);
    }

    /// Behaviour 3.15: an error between passing tests.
    #[test]
    fn an_error_among_passing_tests_stays() {
        let tests: String = lines(6, |at| format!("tests/test_x.py::test_y[{at}] PASSED [ {at}%]\n"));
        let text =
            format!("{tests}tests/test_x.py::test_z FAILED [ 9%]\nE  ValueError: é\r\n{tests}1 failed\n");
        let mark = "[6 lines left out: passing tests]\n";
        check(&Test, &text, &text.replace(&tests, mark));
    }

    /// A tick alone does not identify a test, because other tools use ticks too.
    #[test]
    fn ticks_need_a_verdict() {
        declines(&Test, &lines(9, |at| format!("  ✓ a step of some job that is number {at}\n")));
    }

    #[test]
    fn other_texts_are_left_alone() {
        for text in ["", "PASS\n", "✓ done\n", "  ok \n\nok 1 - x\n", "100%\n100%\n", "ok  \t\nok  \té\n"]
        {
            declines(&Test, text);
        }
    }
}
