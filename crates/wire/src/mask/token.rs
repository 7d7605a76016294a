//! Steps over the strings of a text that is known to be JSON.

use std::ops::Range;

/// Steps over the string at `at`.
pub(super) fn step_string(body: &[u8], at: &mut usize) -> Range<usize> {
    let start = *at;
    *at += 1;
    while let Some(&byte) = body.get(*at) {
        match byte {
            b'"' => break,
            b'\\' => *at += 2,
            _ => *at += 1,
        }
    }
    *at = body.len().min(*at + 1);
    start..*at
}

/// True when the string before is a name: in JSON only that is followed by a colon.
pub(super) fn is_key(body: &[u8], at: usize) -> bool {
    body[at..].iter().find(|byte| !byte.is_ascii_whitespace()) == Some(&b':')
}
