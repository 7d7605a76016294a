//! Recognises lines of passing `go test` runs: the start, pause, continuation and end of tests, their logs, and
//! packages that passed.

use std::collections::BTreeSet;

use crate::cut::family::test::PASSING;

/// The description of `line`, if it belongs to a passing test.
pub(super) fn passing(line: &str) -> Option<&'static str> {
    if let Some(rest) = line.strip_prefix("=== ") {
        return STATES.iter().find(|(state, _)| rest.starts_with(state)).map(|(_, what)| *what);
    }
    if names_passing_test(line) {
        return Some(PASSING);
    }
    is_untested(line).then_some("packages without tests")
}

/// Maximum number of passing tests whose names are shown. Without the names, a reader cannot find out whether a test
/// ran.
const MAX_NAMED_TESTS: usize = 100;

/// True when few enough tests passed that their names are kept.
pub(super) fn names_stay(text: &str) -> bool {
    text.matches(PASS).take(MAX_NAMED_TESTS + 1).count() <= MAX_NAMED_TESTS
}

/// True when `line` names a test that passed.
pub(super) fn names_passing_test(line: &str) -> bool {
    is_timed(line.trim_start_matches(' ').strip_prefix(PASS))
}

const PASS: &str = "--- PASS: ";

/// True for `?   \tx.io/y\t[no test files]`.
fn is_untested(line: &str) -> bool {
    line.starts_with("?   \t") && line.ends_with("[no test files]")
}

/// The description of the first of `lines`, if this line and the next one both report a passing package. So the last
/// line of such a run is kept.
pub(super) fn verdict(lines: &[&str]) -> Option<&'static str> {
    let [line, next, ..] = lines else { return None };
    (is_verdict(line) && (is_verdict(next) || is_untested(next.trim_end()))).then_some("packages that passed")
}

/// True for `ok  \tx.io/y\t0.2s`.
fn is_verdict(line: &str) -> bool {
    line.strip_prefix("ok  \t").is_some_and(|rest| rest.contains('\t') && !rest.starts_with('\t'))
}

const STATES: [(&str, &str); 3] =
    [("RUN   ", "tests begun"), ("PAUSE ", "tests paused"), ("CONT  ", "tests resumed")];

/// True for `TestX (0.01s)`.
fn is_timed(rest: Option<&str>) -> bool {
    rest.is_some_and(|rest| rest.contains(" (") && rest.ends_with("s)"))
}

/// Recognises the logs of passing tests, which are between the lines that start and end a test.
pub(super) struct GoLog<'a> {
    passed: BTreeSet<&'a str>,
    /// True while the lines belong to a passing test.
    open: bool,
}

impl<'a> GoLog<'a> {
    /// Finds the tests that passed. Names of tests that also failed or were skipped are excluded, because tests of
    /// several packages may share a name.
    pub(super) fn of(lines: &[&'a str]) -> Self {
        let ended = |sign: &'static str| lines.iter().filter_map(move |line| end(line, sign));
        let mut passed: BTreeSet<_> = ended(PASS).collect();
        if !passed.is_empty() {
            for name in ended("--- FAIL: ").chain(ended("--- SKIP: ")) {
                passed.remove(name);
            }
        }
        Self { passed, open: false }
    }

    /// The description of `line`, if a passing test logged it.
    pub(super) fn log_kind(&mut self, line: &str) -> Option<&'static str> {
        if let Some(rest) = line.strip_prefix("=== ") {
            let name = rest.split_once(' ').map_or("", |(_, name)| name.trim_start());
            self.open = self.passed.contains(name);
            // This line only gives the name of the test whose log follows.
            return (self.open && rest.starts_with("NAME ")).then_some("tests resumed");
        }
        if !line.starts_with("    ") || line.trim_start().starts_with("--- ") {
            self.open = false;
        }
        self.open.then_some("log of passing tests")
    }
}

/// The name of the test in `line`, if the line reports that the test ended with the outcome `sign`.
fn end<'a>(line: &'a str, sign: &str) -> Option<&'a str> {
    let rest = line.trim_start_matches(' ').strip_prefix(sign)?;
    rest.rsplit_once(" (").map(|(name, _)| name)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::cut::family::proof::{check, lines};
    use crate::cut::family::test::Test;

    #[test]
    fn passing_tests_are_recognised() {
        for (line, expected) in [
            ("=== RUN   TestX", Some("tests begun")),
            ("=== CONT  TestX/y", Some("tests resumed")),
            ("    --- PASS: TestX/y (0.00s)", Some(PASSING)),
            ("?   \tx.io/y\t[no test files]", Some("packages without tests")),
            ("--- FAIL: TestX (0.00s)", None),
            ("--- SKIP: TestX (0.00s)", None),
            ("FAIL\tx.io/y\t0.2s", None),
            ("=== é", None),
            ("", None),
        ] {
            assert_eq!(passing(line), expected, "{line}");
        }
    }

    #[test]
    fn the_last_verdict_stays() {
        let text: String = lines(9, |at| format!("ok  \tx.io/some/y{at}\t0.2s\n"));
        check(&Test, &text, "[8 lines left out: packages that passed]\nok  \tx.io/some/y8\t0.2s\n");
    }

    #[test]
    fn failures_stay_with_their_log() {
        let story = "    good_test.go:12: a long story of what went well, and when, and for whom\n".repeat(3);
        let passed = "--- PASS: TestGood (0.00s)\n=== RUN   TestAlsoGood\n--- PASS: TestAlsoGood (0.10s)\n";
        let good = format!("=== RUN   TestGood\n{story}{passed}");
        let bad =
            "    bad_test.go:3: want 1, got 2\n--- FAIL: TestBad (0.00s)\n=== NAME  TestBad\n    more\n";
        let text = format!("{good}=== RUN   TestBad\n{bad}{good}FAIL\nFAIL\tx.io/y\t0.2s\n");
        let expected = format!(
            "[4 lines left out: tests begun (1), log of passing tests (3)]\n{passed}=== RUN   TestBad\n{bad}\
             [4 lines left out: tests begun (1), log of passing tests (3)]\n{passed}FAIL\nFAIL\tx.io/y\t0.2s\n"
        );
        check(&Test, &text, &expected);
    }

    #[test]
    fn many_names_become_a_count() {
        let text = lines(101, |at| format!("--- PASS: Test{at} (0.00s)\n")) + "PASS\n";
        check(&Test, &text, "[101 lines left out: passing tests]\nPASS\n");
    }

    #[test]
    fn an_error_in_the_log_of_a_passing_test_stays() {
        let story = "    a_test.go:1: a long story of what went well, and when, and for whom\n".repeat(3);
        let text = format!(
            "=== RUN   TestX\n{story}    a_test.go:2: error: bad\n{story}--- PASS: TestX (0.00s)\nPASS\n"
        );
        let expected = "    a_test.go:2: error: bad\n[7 lines left out: tests begun (1), log of passing tests (6)]\n\
                        --- PASS: TestX (0.00s)\nPASS\n";
        check(&Test, &text, expected);
    }
}
