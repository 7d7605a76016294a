//! Finds `Basic` credentials: base64 of `user:password`.

use std::ops::Range;

use crate::redact::value;
use crate::redact::value::Grade;

/// The maximum length of credentials, in bytes.
const MAX_CREDENTIALS_BYTES: usize = 1024;

/// The credentials after the word `Basic` at `at`.
pub(super) fn find(text: &str, at: usize) -> Option<Range<usize>> {
    let rest = text.get(at..)?;
    let scheme = rest.get(..6)?;
    if !scheme.eq_ignore_ascii_case("basic ") {
        return None;
    }
    let length = length(&rest.as_bytes()[6..]);
    is_login(&rest.as_bytes()[6..6 + length]).then_some(at + 6..at + 6 + length)
}

/// The length of the base64 at the start of `bytes`.
fn length(bytes: &[u8]) -> usize {
    let holds = |byte: &&u8| byte.is_ascii_alphanumeric() || matches!(byte, b'+' | b'/' | b'=' | b'-' | b'_');
    bytes.iter().take(MAX_CREDENTIALS_BYTES).take_while(holds).count()
}

/// True for placeholder credentials, encoded or not.
pub(super) fn is_placeholder(code: &str) -> bool {
    opens(code.as_bytes()) == Some(false) || value::grade(code) == Grade::Placeholder
}

/// True for the base64 of a user and a password.
fn is_login(code: &[u8]) -> bool {
    opens(code) == Some(true)
}

/// Whether the password is real rather than a placeholder; `None` if there is no password.
fn opens(code: &[u8]) -> Option<bool> {
    let login = String::from_utf8(decode(code)?).ok().filter(|login| !login.contains(char::is_control))?;
    let (user, password) = login.split_once(':')?;
    Some(user != password && value::opens(password))
}

fn decode(code: &[u8]) -> Option<Vec<u8>> {
    let code = code.strip_suffix(b"=").unwrap_or(code);
    let code = code.strip_suffix(b"=").unwrap_or(code);
    let mut out = Vec::new();
    for group in code.chunks(4) {
        let mut bits = 0_u32;
        for &byte in group {
            bits = bits << 6 | digit(byte)?;
        }
        bits <<= 6 * (4 - group.len());
        let [_, whole @ ..] = bits.to_be_bytes();
        out.extend(whole.iter().take(group.len().saturating_sub(1)));
    }
    Some(out)
}

fn digit(byte: u8) -> Option<u32> {
    let value = match byte {
        b'A'..=b'Z' => byte - b'A',
        b'a'..=b'z' => byte - b'a' + 26,
        b'0'..=b'9' => byte - b'0' + 52,
        b'+' | b'-' => 62,
        b'/' | b'_' => 63,
        _ => return None,
    };
    Some(u32::from(value))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_login_is_told_from_a_placeholder() {
        for (code, expected) in [
            ("YXBwOlN3MHJkZmlzaCE=", true),
            ("YXBwOlN3MHJkZmlzaCE", true),
            ("dXNlcjpwYXNz", false),
            ("dXNlcjo=", false),
            ("c2V0dGluZ3M=", false),
            ("authentication", false),
            ("", false),
        ] {
            assert_eq!(is_login(code.as_bytes()), expected, "{code}");
        }
    }
}
