//! Cookies: `Cookie: sid=…; theme=dark`, `Set-Cookie: sid=…; Path=/`, `curl -b 'sid=…'`.

use std::ops::Range;

use crate::redact::code::SearchedPage;
use crate::redact::quote::Quote;
use crate::redact::sign::Sign;
use crate::redact::value::Grade;
use crate::redact::{field, value};

/// A header of more bytes than this is none.
const LONGEST: usize = 8192;

/// The secrets of the cookies behind the sign, which follows a name.
pub(super) fn find(page: &SearchedPage<'_>, sign: &Sign, name: &str) -> Vec<Range<usize>> {
    if is_header(name) { values(page, sign.span.end) } else { Vec::new() }
}

/// The secrets of the cookies behind the flag at `at`.
pub(super) fn flag(page: &SearchedPage<'_>, at: usize) -> Vec<Range<usize>> {
    let given = ["-b ", "--cookie "].iter().find(|flag| page.text[at..].starts_with(**flag));
    given.map_or_else(Vec::new, |flag| values(page, at + flag.len()))
}

fn is_header(name: &str) -> bool {
    ["cookie", "set-cookie"].iter().any(|header| header.eq_ignore_ascii_case(name))
}

/// The values that open something, in every jar behind `from`.
fn values(page: &SearchedPage<'_>, from: usize) -> Vec<Range<usize>> {
    // What the last header holds was read with it.
    if page.is_in_cookies(from) {
        return Vec::new();
    }
    let jars = jars(page.text, from);
    page.pass_cookies(jars.last().map_or(from, |jar| jar.end));
    jars.into_iter().flat_map(|jar| opening(page.text, jar)).collect()
}

/// `a=b; c=d`: in quotes, in a list of quotes, or up to the line's end.
fn jars(text: &str, from: usize) -> Vec<Range<usize>> {
    let bytes = text.as_bytes();
    let mut at = from + field::spaces(&bytes[from..]);
    at += usize::from(bytes.get(at) == Some(&b'['));
    let mut jars = Vec::new();
    while let Some((quote, start)) = Quote::open(bytes, at) {
        let Some(end) = quote.close(bytes, start, LONGEST) else { break };
        jars.push(start..end);
        // The closing quote is spelled as the opening one.
        let next = end + (start - at);
        let Some(b',') = bytes.get(next) else { break };
        at = next + 1 + field::spaces(&bytes[next + 1..]);
    }
    if jars.is_empty() {
        let ends = |byte: &&u8| !matches!(byte, b'\n' | b'\r' | b'"' | b'\'' | b'`' | b'\\' | b'<' | b']');
        jars.push(at..at + bytes[at..].iter().take(LONGEST).take_while(ends).count());
    }
    jars
}

fn opening(text: &str, jar: Range<usize>) -> Vec<Range<usize>> {
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

/// Names of cookies that open something, or parts of them.
const OPENING: [&str; 12] =
    ["sess", "sid", "auth", "token", "jwt", "csrf", "xsrf", "remember", "login", "ticket", "secret", "sso"];

fn is_secret(name: &str, value: &str) -> bool {
    let name = name.to_ascii_lowercase();
    let grade = value::grade(value);
    let number = value.len() >= 12 && value.bytes().all(|byte| byte.is_ascii_digit());
    let opens = OPENING.iter().any(|part| name.contains(part));
    match name.as_str() {
        "expires" | "path" | "domain" | "max-age" | "samesite" | "version" | "comment" => false,
        _ if opens => value.len() >= 6 && grade >= Grade::Twisted || number,
        _ => value.len() >= 16 && grade == Grade::Random,
    }
}
