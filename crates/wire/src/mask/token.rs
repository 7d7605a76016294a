//! Skips the strings of a text that is known to be JSON.

use std::ops::Range;

use tersely_json::string;

/// Skips the string at `at`, and returns its range; a string without a closing quote extends to the end of the text.
pub(super) fn step_string(body: &[u8], at: &mut usize) -> Range<usize> {
    let start = *at;
    *at = string::end(body, start).unwrap_or(body.len());
    start..*at
}

/// True when the string that ends at `at` is the name of a member: in JSON, only names precede a colon.
pub(super) fn is_key(body: &[u8], at: usize) -> bool {
    body[at..].iter().find(|byte| !byte.is_ascii_whitespace()) == Some(&b':')
}
