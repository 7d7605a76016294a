//! Finds passwords in URLs: `postgres://user:password@host`.

use std::ops::Range;

use crate::redact::value;
use crate::redact::value::Grade;

/// The maximum length of the authority part, in bytes.
const MAX_AUTHORITY_BYTES: usize = 512;

/// The password of the URL whose `://` is at `at`.
pub(super) fn find(text: &str, at: usize) -> Option<Range<usize>> {
    let rest = text[at..].strip_prefix("://")?;
    let scheme = at.checked_sub(1).is_some_and(|before| text.as_bytes()[before].is_ascii_alphanumeric());
    let web = ["http", "https", "git", "ssh"].iter().any(|name| text[..at].ends_with(name));
    let near = &rest[..rest.floor_char_boundary(MAX_AUTHORITY_BYTES)];
    let (login, host) = login(near)?;
    if !scheme || is_reserved(host) {
        return None;
    }
    let (start, secret) = match login.split_once(':') {
        Some((user, password)) => {
            let opens = is_password(user, password, host) || web && is_weak(user, password, host);
            (at + 3 + user.len() + 1, opens.then_some(password))
        }
        None => (at + 3, (web && is_token(login)).then_some(login)),
    };
    secret.map(|secret| start..start + secret.len())
}

fn is_password(user: &str, password: &str, host: &str) -> bool {
    let stock = user == password || (user, password) == ("scott", "tiger");
    !stock && !host.starts_with("sha256:") && value::opens(password)
}

/// The login in front of a URL's host, and the host. A password may contain characters that would otherwise end a URL
/// in a sentence or a list.
fn login(near: &str) -> Option<(&str, &str)> {
    let authority = |ends: fn(char) -> bool| &near[..near.find(ends).unwrap_or(near.len())];
    let plain = authority(ends);
    let is_port = |login: &str| {
        let after = login.split_once(':').map_or("", |(_, after)| after);
        after.trim_start_matches(|it: char| it.is_ascii_digit()).starts_with([',', '(', ')'])
    };
    plain.rsplit_once('@').or_else(|| {
        let whole = authority(|it| ends(it) && !matches!(it, ',' | '(' | ')'));
        whole.rsplit_once('@').filter(|(login, _)| plain.contains(':') && !is_port(login))
    })
}

/// True for a common word with digits at a host that is not local: people do choose such passwords.
fn is_weak(user: &str, password: &str, host: &str) -> bool {
    let name = host.split(':').next().unwrap_or_default();
    let is_reached = name.contains('.') && !name.starts_with("127.");
    let letters = password.bytes().filter(u8::is_ascii_alphabetic).count();
    let digits = password.bytes().filter(u8::is_ascii_digit).count();
    is_reached && user != password && letters >= 4 && digits >= 2 && value::is_word_like(password)
}

/// True for a token in place of a user name. 32 hexadecimal digits are not a token but a project's public key.
fn is_token(user: &str) -> bool {
    user.len() >= 20
        && value::grade(user) == Grade::Random
        && !(user.len() == 32 && user.bytes().all(|byte| byte.is_ascii_hexdigit()))
}

/// True for hosts that documentation uses.
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
