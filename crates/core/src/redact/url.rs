//! Passwords in addresses: `postgres://user:password@host`.

use std::ops::Range;

use crate::redact::value;
use crate::redact::value::Grade;

/// User, password and host are not longer together.
const LONGEST: usize = 512;

/// The password of the address whose `://` stands at `at`.
pub(super) fn find(text: &str, at: usize) -> Option<Range<usize>> {
    let rest = text[at..].strip_prefix("://")?;
    let scheme = at.checked_sub(1).is_some_and(|before| text.as_bytes()[before].is_ascii_alphanumeric());
    let web = ["http", "https", "git", "ssh"].iter().any(|name| text[..at].ends_with(name));
    let near = &rest[..rest.floor_char_boundary(LONGEST)];
    let authority = &near[..near.find(ends).unwrap_or(near.len())];
    let (login, host) = authority.rsplit_once('@')?;
    if !scheme || is_reserved(host) {
        return None;
    }
    let (start, secret) = match login.split_once(':') {
        Some((user, password)) => {
            (at + 3 + user.len() + 1, is_password(user, password, host).then_some(password))
        }
        None => (at + 3, (web && is_token(login)).then_some(login)),
    };
    secret.map(|secret| start..start + secret.len())
}

fn is_password(user: &str, password: &str, host: &str) -> bool {
    let stock = user == password || (user, password) == ("scott", "tiger");
    !stock && !host.starts_with("sha256:") && value::opens(password)
}

/// True for a token in a user's place; 32 digits of hex are a project's public key.
fn is_token(user: &str) -> bool {
    user.len() >= 20
        && value::grade(user) == Grade::Random
        && !(user.len() == 32 && user.bytes().all(|byte| byte.is_ascii_hexdigit()))
}

/// Hosts that documents use.
fn is_reserved(host: &str) -> bool {
    let name = host.split(':').next().unwrap_or_default();
    let top = name.rsplit('.').next().unwrap_or_default();
    let owned = ["example.com", "example.net", "example.org"]
        .iter()
        .any(|end| name.strip_suffix(end).is_some_and(|head| head.is_empty() || head.ends_with('.')));
    owned || ["test", "example", "invalid", "host", "hostname", "hostspec"].contains(&top)
}

fn ends(char: char) -> bool {
    char.is_whitespace()
        || matches!(char, '/' | '?' | '#' | '"' | '\'' | '`' | '<' | '>' | '\\' | ',' | '(' | ')')
}
