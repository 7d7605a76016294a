//! Recognises passing tests of jest, vitest, mocha, playwright and TAP: tests and files marked with a tick.

use crate::cut::family::test::PASSING;

/// Prefixes of failing tests.
const FAILING: [char; 5] = ['✕', '✗', '✘', '×', '●'];

const TICKS: [char; 3] = ['✓', '✔', '√'];

/// The description of `line`, if it belongs to a passing test.
pub(super) fn passing(line: &str) -> Option<&'static str> {
    let words = line.trim_start();
    if is_numbered_pass(words) || line.contains(" › ") && tick_kind(line).is_some() {
        return Some(PASSING);
    }
    if line.strip_prefix("PASS ").is_some_and(is_file) {
        return Some("files of passing tests");
    }
    is_unrun(line).then_some("tests not run")
}

/// The description of a line with a tick. Valid only in the output of a test runner, because other tools use ticks
/// too.
pub(super) fn tick_kind(line: &str) -> Option<&'static str> {
    let name = line.trim_start().strip_prefix(TICKS)?;
    // A tick in front of a file with failures does not mean a pass: `✓ x.test.ts (3 tests | 1 failed)`.
    (name.starts_with(' ') && name.trim().len() > 2 && !name.contains(" failed")).then_some(PASSING)
}

/// True when the text contains a runner's verdict.
pub(super) fn is_run(text: &str) -> bool {
    ["Test Suites:", "Tests:  ", "Test Files  ", " passing (", "ℹ pass ", "# pass "]
        .iter()
        .any(|verdict| text.contains(verdict))
}

/// True when `line` reports the outcome of a test.
pub(super) fn reports_outcome(line: &str) -> bool {
    let words = line.trim_start();
    let number = words.trim_start_matches(|char: char| char.is_ascii_digit());
    words.starts_with(FAILING)
        || number.len() < words.len() && number.starts_with(')')
        || passing(line).or_else(|| tick_kind(line)).is_some()
}

/// True for `ok 12 - name` and `ok 12 [chromium] › x.spec.ts`, unless the test is marked as skipped or to do.
fn is_numbered_pass(words: &str) -> bool {
    let Some(rest) = words.strip_prefix("ok ") else { return false };
    let rest = rest.trim_start();
    let name = rest.trim_start_matches(|char: char| char.is_ascii_digit());
    let named = name.starts_with(" - ") || name.starts_with(" [");
    name.len() < rest.len() && named && !name.contains(" # ")
}

/// True for `src/x.test.js (5.1 s)`.
fn is_file(rest: &str) -> bool {
    let path = rest.trim_start().split(' ').next().unwrap_or_default();
    path.contains('.') && path.ends_with(|char: char| char.is_ascii_alphabetic())
}

/// True for a test that did not run: `  -   3 [chromium] › x.spec.ts`.
fn is_unrun(line: &str) -> bool {
    let Some(rest) = line.trim_start().strip_prefix("- ") else { return false };
    let rest = rest.trim_start();
    let name = rest.trim_start_matches(|char: char| char.is_ascii_digit());
    name.len() < rest.len() && name.starts_with(" [") && name.contains(" › ")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn passing_tests_are_recognised() {
        for (line, expected) in [
            ("  ✓ adds numbers (2 ms)", Some(PASSING)),
            (" ✓ src/x.test.ts (12 tests) 34ms", Some(PASSING)),
            ("✔ adds (1.2ms)", Some(PASSING)),
            ("  ✓   1 [chromium] › x.spec.ts:1:2 › y", Some(PASSING)),
            ("ok 3 - adds", Some(PASSING)),
            ("PASS src/x.test.js (5.1 s)", Some("files of passing tests")),
            ("  -   3 [chromium] › x.spec.ts:1:2 › y", Some("tests not run")),
            ("ok 3 - adds # SKIP", None),
            ("not ok 3 - adds", None),
            (" ✓ src/x.test.ts (3 tests | 1 failed)", None),
            ("  ✕ adds", None),
            ("FAIL src/x.test.js", None),
            ("PASS: all", None),
            ("- 3 eggs", None),
            ("✓", None),
            ("", None),
        ] {
            assert_eq!(passing(line).or_else(|| tick_kind(line)), expected, "{line}");
        }
    }
}
