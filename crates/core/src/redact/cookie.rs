//! Finds secret cookies: `Cookie: sid=…; theme=dark`, `Set-Cookie: sid=…; Path=/`, `curl -b 'sid=…'`.

use std::ops::Range;

use crate::redact::code::SearchedPage;
use crate::redact::quote::Quote;
use crate::redact::sign::Sign;
use crate::redact::value::Grade;
use crate::redact::{field, value};

/// The maximum length of a header, in bytes.
const MAX_HEADER_BYTES: usize = 8192;

/// The secret cookies after the sign between a header's name and its value.
pub(super) fn find(page: &SearchedPage<'_>, sign: &Sign, name: &str) -> Vec<Range<usize>> {
    if is_header(name) { values(page, sign.span.end) } else { Vec::new() }
}

/// The secret cookies after the flag at `at`.
pub(super) fn flag(page: &SearchedPage<'_>, at: usize) -> Vec<Range<usize>> {
    let flag = ["-b ", "--cookie "].iter().find(|flag| page.text[at..].starts_with(**flag));
    flag.map_or_else(Vec::new, |flag| values(page, at + flag.len()))
}

fn is_header(name: &str) -> bool {
    ["cookie", "set-cookie"].iter().any(|header| header.eq_ignore_ascii_case(name))
}

/// The secret values in all cookie strings after `from`.
fn values(page: &SearchedPage<'_>, from: usize) -> Vec<Range<usize>> {
    // This is inside the last header, which was already searched.
    if page.is_in_cookies(from) {
        return Vec::new();
    }
    let jars = jars(page.text, from);
    page.pass_cookies(jars.last().map_or(from, |jar| jar.end));
    jars.into_iter().flat_map(|jar| secrets(page.text, jar)).collect()
}

/// Cookie strings, `a=b; c=d`: in quotes, in a list of quoted strings, or up to the end of the line.
fn jars(text: &str, from: usize) -> Vec<Range<usize>> {
    let bytes = text.as_bytes();
    let mut at = from + field::spaces(&bytes[from..]);
    at += usize::from(bytes.get(at) == Some(&b'['));
    let mut jars = Vec::new();
    while let Some((quote, start)) = Quote::open(bytes, at) {
        let Some(end) = quote.close(bytes, start, MAX_HEADER_BYTES) else { break };
        jars.push(start..end);
        // The closing quote is as long as the opening one.
        let next = end + (start - at);
        let Some(b',') = bytes.get(next) else { break };
        at = next + 1 + field::spaces(&bytes[next + 1..]);
    }
    if jars.is_empty() {
        let ends = |byte: &&u8| !matches!(byte, b'\n' | b'\r' | b'"' | b'\'' | b'`' | b'\\' | b'<' | b']');
        jars.push(at..at + bytes[at..].iter().take(MAX_HEADER_BYTES).take_while(ends).count());
    }
    jars
}

/// The secret values in one cookie string.
fn secrets(text: &str, jar: Range<usize>) -> Vec<Range<usize>> {
    let mut found = Vec::new();
    let mut at = jar.start;
    for cookie in text[jar].split(';') {
        if let Some((name, value)) = cookie.split_once('=') {
            let start = at + name.len() + 1;
            if is_secret(name.trim(), value.trim_end()) {
                found.push(start..start + value.trim_end().len());
            }
        }
        at += cookie.len() + 1;
    }
    found
}

/// Words that occur in the names of secret cookies.
const SECRET_NAMES: [&str; 12] =
    ["sess", "sid", "auth", "token", "jwt", "csrf", "xsrf", "remember", "login", "ticket", "secret", "sso"];

fn is_secret(name: &str, value: &str) -> bool {
    let name = name.to_ascii_lowercase();
    let grade = value::grade(value);
    let number = value.len() >= 12 && value.bytes().all(|byte| byte.is_ascii_digit());
    let opens = SECRET_NAMES.iter().any(|part| name.contains(part));
    match name.as_str() {
        "expires" | "path" | "domain" | "max-age" | "samesite" | "version" | "comment" => false,
        _ if opens => value.len() >= 6 && grade >= Grade::Twisted || number,
        _ => value.len() >= 16 && grade == Grade::Random,
    }
}
