//! Recognises source code: variables, types, calls, and made-up passwords in tests.

use std::cell::{Cell, OnceCell};
use std::ops::Range;

use crate::redact::style::PairStyle;
use crate::redact::value;

/// A text, and facts about it that are computed when first needed.
pub(super) struct SearchedPage<'t> {
    pub(super) text: &'t str,
    tests: OnceCell<bool>,
    /// The end of the last cookie header, so that parts of it are not mistaken for another header.
    cookies: Cell<usize>,
}

/// Strings that indicate tests in common languages.
const TEST_SIGNS: &[&str] = &[
    "def test_",
    "import pytest",
    "import unittest",
    "self.assert",
    "#[test]",
    "#[cfg(test)]",
    "::test]",
    "assert_eq!(",
    "func Test",
    "@Test\n",
    "@Test ",
    "assertEquals(",
    "assertThat(",
    "describe(",
    "expect(",
    " it('",
    " it(\"",
    "[Fact]",
    "[TestMethod]",
    "TEST_F(",
    "RSpec.",
];

impl<'t> SearchedPage<'t> {
    pub(super) fn new(text: &'t str) -> Self {
        Self { text, tests: OnceCell::new(), cookies: Cell::new(0) }
    }

    /// True when `at` is inside the last cookie header.
    pub(super) fn is_in_cookies(&self, at: usize) -> bool {
        at < self.cookies.get()
    }

    pub(super) fn pass_cookies(&self, end: usize) {
        self.cookies.set(end);
    }

    /// True when the text contains tests.
    fn has_tests(&self) -> bool {
        *self.tests.get_or_init(|| TEST_SIGNS.iter().any(|mark| self.text.contains(mark)))
    }

    /// True when the password whose name is at `name` is only an example in code: words in quotes in a test, in an
    /// assertion or in a function's arguments.
    pub(super) fn is_invented(&self, name: usize, password: &str) -> bool {
        is_worded(password) && (self.has_tests() || is_argument(self.text, name))
    }
}

/// True for `hunter2`, false for `Gr8x!Kq9`: made-up passwords begin with a word.
fn is_worded(password: &str) -> bool {
    password.split(|char: char| !char.is_ascii_alphabetic()).any(|word| word.len() >= 3)
}

/// The maximum length of a list of arguments, in bytes.
const MAX_ARGUMENTS_BYTES: usize = 300;

/// True for an argument of a function or an assertion. Debug output of a type does not count, because it contains real
/// values.
fn is_argument(text: &str, name: usize) -> bool {
    let near = &text[text.ceil_char_boundary(name.saturating_sub(MAX_ARGUMENTS_BYTES))..name];
    let mut depth = 0;
    for (at, char) in near.char_indices().rev() {
        match char {
            ')' | '}' | ']' => depth += 1,
            '(' | '{' | '[' if depth > 0 => depth -= 1,
            '(' => return is_function(&near[..at]),
            '{' | '[' | ';' => return false,
            _ => {}
        }
    }
    false
}

fn is_function(before: &str) -> bool {
    let line = before.rsplit('\n').next().unwrap_or_default();
    let name = before.rsplit(|char: char| !char.is_alphanumeric() && char != '_').next().unwrap_or_default();
    let asserted = ["assert", "expect"].iter().any(|word| line.contains(word));
    asserted || name.starts_with(|char: char| char.is_ascii_lowercase() || char == '_')
}

/// True when a bare value is a variable, a type or an expression.
pub(super) fn is_expression(text: &str, style: PairStyle, span: &Range<usize>) -> bool {
    let (value, after) = (&text[span.clone()], &text[span.end..]);
    let types = || style == PairStyle::Loose && is_type(value, after);
    is_computed(value)
        || is_path(value.trim_end_matches(['!', '?'])) && (after.starts_with(['(', '[']) || types())
}

const OPERATORS: [&str; 7] = ["?.", "===", "??", "!=", "&&", "||", "=!"];

fn is_computed(value: &str) -> bool {
    let variable = value.strip_prefix('$').is_some_and(|name| {
        name.starts_with(|char: char| char.is_ascii_alphabetic() || char == '_') && is_path(name)
    });
    variable || OPERATORS.iter().any(|sign| value.contains(sign))
}

/// True for names joined by dots or similar separators.
fn is_path(value: &str) -> bool {
    let joined =
        |char: char| char.is_ascii_alphanumeric() || matches!(char, '_' | '.' | ':' | '-' | '>' | '&');
    value.chars().all(joined) && !value.starts_with(|char: char| char.is_ascii_digit())
}

/// True for a type: its last name is capitalised, or another type follows as an alternative.
fn is_type(value: &str, after: &str) -> bool {
    let last = value.rsplit(['.', ':', '&']).next().unwrap_or_default();
    let named = last.trim_start_matches('_').starts_with(|char: char| char.is_ascii_uppercase());
    let marked = last.ends_with(['!', '?']) && !last.contains(|char: char| char.is_ascii_digit());
    let goes_on = after.trim_start_matches(' ').starts_with(['|', '<', ',', ';', ')', '=']);
    let goes_on = marked || goes_on && !after.starts_with("</");
    named && (goes_on || value.contains('.')) && value::is_worded(last)
}
