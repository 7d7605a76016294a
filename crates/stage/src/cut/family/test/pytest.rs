//! Recognises lines of pytest, unittest and minitest: passing tests, files whose tests all passed, and files with
//! full coverage.

use crate::cut::family::test::PASSING;

/// The description of `line`, if it belongs to a passing test.
pub(super) fn passing(line: &str) -> Option<&'static str> {
    if is_verbose(line) || is_parallel(line) || is_unittest(line) {
        return Some(PASSING);
    }
    if is_dotted(line) {
        return Some("files of passing tests");
    }
    is_covered(line).then_some("files covered in full")
}

/// True for `tests/test_x.py::test_y PASSED   [ 12%]`.
fn is_verbose(line: &str) -> bool {
    let (line, _) = split_percent(line);
    line.ends_with(" PASSED") && line.contains("::")
}

/// True for `test_y (tests.X.test_y) ... ok` and `XTest#test_y = 0.01 s = .`
fn is_unittest(line: &str) -> bool {
    let unit = || line.starts_with("test") && line.contains(" (") && line.ends_with(") ... ok");
    unit() || line.ends_with(" s = .") && line.contains('#')
}

/// True for `[gw0] [ 12%] PASSED tests/test_x.py::test_y`.
fn is_parallel(line: &str) -> bool {
    line.starts_with("[gw") && line.contains("] PASSED ") && line.contains("::")
}

/// True for `tests/test_x.py .....   [ 12%]`.
fn is_dotted(line: &str) -> bool {
    let (line, percent) = split_percent(line);
    let dots = |(path, dots): (&str, &str)| {
        is_python(path) && !dots.is_empty() && dots.bytes().all(|byte| byte == b'.')
    };
    percent && line.split_once(' ').is_some_and(dots)
}

/// The line without the percentage at its end, and whether it has one.
fn split_percent(line: &str) -> (&str, bool) {
    let (before, count) =
        line.strip_suffix("%]").and_then(|line| line.rsplit_once('[')).unwrap_or((line, "x"));
    let percent = count.trim_start().bytes().all(|byte| byte.is_ascii_digit());
    if percent { (before.trim_end(), true) } else { (line, false) }
}

/// True for `src/x.py   120   0   100%`.
fn is_covered(line: &str) -> bool {
    let mut words = line.split_ascii_whitespace().rev();
    let full = words.next() == Some("100%");
    let counts = words.by_ref().take_while(|word| word.bytes().all(|byte| byte.is_ascii_digit())).count();
    full && (2..=4).contains(&counts) && line.split(' ').next().is_some_and(is_python)
}

fn is_python(path: &str) -> bool {
    path.strip_suffix(".py").is_some_and(|name| !name.is_empty())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn passing_tests_are_recognised() {
        for (line, expected) in [
            ("tests/a.py::b PASSED", Some(PASSING)),
            ("tests/a.py::b[x y] PASSED    [  3%]", Some(PASSING)),
            ("[gw1] [ 50%] PASSED tests/a.py::b", Some(PASSING)),
            ("tests/a.py .....   [100%]", Some("files of passing tests")),
            ("src/a.py     12     0   100%", Some("files covered in full")),
            ("test_b (tests.A.test_b) ... ok", Some(PASSING)),
            ("ATest#test_b = 0.00 s = .", Some(PASSING)),
            ("test_b (tests.A.test_b) ... FAIL", None),
            ("ATest#test_b = 0.00 s = F", None),
            ("tests/a.py ..F..   [100%]", None),
            ("tests/a.py ..s..   [100%]", None),
            ("tests/a.py::b FAILED [ 3%]", None),
            ("tests/a.py::b SKIPPED", None),
            ("src/a.py     12     3    75%   4-6", None),
            ("TOTAL     12     0   100%", None),
            ("é [é%]", None),
            ("%]", None),
            ("", None),
        ] {
            assert_eq!(passing(line), expected, "{line}");
        }
    }
}
