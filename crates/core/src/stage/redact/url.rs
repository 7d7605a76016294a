//! Passwords in addresses: `postgres://user:password@host`.

use std::ops::Range;

use super::value;

/// User, password and host are not longer together.
const LONGEST: usize = 512;

/// The password of the address whose `://` stands at `at`.
pub(super) fn find(text: &str, at: usize) -> Option<Range<usize>> {
    let rest = text[at..].strip_prefix("://")?;
    let scheme = at.checked_sub(1).is_some_and(|before| text.as_bytes()[before].is_ascii_alphanumeric());
    let near = &rest[..rest.floor_char_boundary(LONGEST)];
    let authority = &near[..near.find(ends).unwrap_or(near.len())];
    let (login, host) = authority.rsplit_once('@')?;
    let (user, password) = login.split_once(':')?;
    let start = at + 3 + user.len() + 1;
    let real = scheme && !host.starts_with("sha256:") && user != password && value::opens(password);
    real.then_some(start..start + password.len())
}

fn ends(char: char) -> bool {
    char.is_whitespace()
        || matches!(char, '/' | '?' | '#' | '"' | '\'' | '`' | '<' | '>' | '\\' | ',' | '(' | ')')
}
