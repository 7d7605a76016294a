//! Finds secrets without a prefix of their own, by the lengths and characters of their parts.

use std::ops::Range;

use crate::redact::value::Grade;
use crate::redact::{basic, value};

/// The secret that begins with the word at `at`.
pub(super) fn find(text: &str, at: usize) -> Option<Range<usize>> {
    let rest = &text[at..];
    if matches!(text.as_bytes()[..at], [.., letter, b'-'] if is_word(letter)) {
        return None;
    }
    let end = match rest.as_bytes()[0] {
        b'e' => web_token(rest),
        b'M' | b'N' | b'O' => discord(rest),
        b's' => open_ai(rest),
        b'p' => airtable(rest),
        b'a' => return terraform(text, at),
        b'b' | b'B' => return bearer(text, at).or_else(|| basic::find(text, at)),
        b'r' => resend(rest),
        _ => None,
    };
    end.map(|end| at..at + end)
}

/// `1234567890:AA…`: a Telegram bot token.
pub(super) fn telegram(text: &str, at: usize) -> Option<Range<usize>> {
    let bytes = text.as_bytes();
    if bytes.get(at + 1) != Some(&b'A') {
        return None;
    }
    let tail = run(&bytes[at + 1..], is_word);
    if tail != 35 {
        return None;
    }
    let start = (8..=10).find_map(|digits| before(bytes, at, digits, |byte| byte.is_ascii_digit()))?;
    Some(start..at + 1 + tail)
}

/// `host:5432:database:user:…`: the password in a line of `.pgpass`.
pub(super) fn pgpass(text: &str, at: usize) -> Option<Range<usize>> {
    let rest = text[at..].strip_prefix(":5432:")?;
    let near = rest.get(..rest.floor_char_boundary(256))?;
    let line = near.split([' ', '\n', '\r', '"', '\'', '\\']).next()?;
    let mut fields = line.splitn(3, ':');
    let (database, user, password) = (fields.next()?, fields.next()?, fields.next()?);
    let start = at + 6 + database.len() + user.len() + 2;
    (value::opens(password) && !user.is_empty()).then_some(start..start + password.len())
}

/// `….8Q~…`: an Azure client secret.
pub(super) fn azure(text: &str, at: usize) -> Option<Range<usize>> {
    let bytes = text.as_bytes();
    let start = at.checked_sub(5)?;
    let sound = matches!(bytes[start..at], [a, b, c, digit, b'Q']
        if is_tilded(a) && is_tilded(b) && is_tilded(c) && digit.is_ascii_digit());
    let tail = run(&bytes[at + 1..], is_tilded);
    (sound && (31..=34).contains(&tail)).then_some(start..at + 1 + tail)
}

/// `…-us12`: a Mailchimp key.
pub(super) fn mailchimp(text: &str, at: usize) -> Option<Range<usize>> {
    let bytes = text.as_bytes();
    let rest = bytes[at..].strip_prefix(b"-us")?;
    let digits = run(rest, |byte| byte.is_ascii_digit());
    let start = before(bytes, at, 32, |byte| byte.is_ascii_hexdigit())?;
    (1..=2).contains(&digits).then_some(start..at + 3 + digits)
}

/// A JSON Web Token, `eyJ….eyJ….…`: header, claims, signature.
fn web_token(rest: &str) -> Option<usize> {
    let bytes = rest.as_bytes();
    let header = part(bytes)?;
    let claims = part(&bytes[header..])?;
    let signature = run(&bytes[header + claims..], is_word);
    (signature >= 16).then_some(header + claims + signature)
}

/// The length of one part, `eyJ….`.
fn part(bytes: &[u8]) -> Option<usize> {
    let length = if bytes.starts_with(b"eyJ") { run(bytes, is_word) } else { 0 };
    (length >= 12 && bytes.get(length) == Some(&b'.')).then_some(length + 1)
}

/// A Discord bot token: id, time and proof.
fn discord(rest: &str) -> Option<usize> {
    let bytes = rest.as_bytes();
    let first = run(bytes, is_word);
    let second = run(bytes.get(first + 1..)?, is_word);
    let third = run(bytes.get(first + second + 2..)?, is_word);
    let dotted = bytes[first] == b'.' && bytes[first + second + 1] == b'.';
    let length = first + second + third + 2;
    let sized = (24..=28).contains(&first) && second == 6 && (27..=40).contains(&third);
    (dotted && sized && value::grade(&rest[..length]) == Grade::Random).then_some(length)
}

/// `sk-` and random characters: an `OpenAI` key.
fn open_ai(rest: &str) -> Option<usize> {
    let tail = rest.strip_prefix("sk-")?;
    let length = run(tail.as_bytes(), is_word);
    let made = length >= 20 && value::grade(&tail[..length]) == Grade::Random;
    made.then_some(3 + length)
}

/// `pat….` and 64 hex digits: an Airtable token.
fn airtable(rest: &str) -> Option<usize> {
    let bytes = rest.strip_prefix("pat")?.as_bytes();
    let first = run(bytes, |byte| byte.is_ascii_alphanumeric());
    let hex = run(bytes.get(first + 1..)?, |byte| byte.is_ascii_hexdigit());
    (first == 14 && bytes[first] == b'.' && hex == 64).then_some(3 + first + 1 + hex)
}

/// `re_`, eight letters, `_` and the key itself: a Resend key.
fn resend(rest: &str) -> Option<usize> {
    let bytes = rest.strip_prefix("re_")?.as_bytes();
    let first = run(bytes, |byte| byte.is_ascii_alphanumeric());
    let last = run(bytes.get(first + 1..)?, |byte| byte.is_ascii_alphanumeric());
    let whole = bytes.get(first + 1 + last).is_none_or(|byte| !is_word(*byte));
    let sized = first == 8 && bytes[first] == b'_' && (22..=30).contains(&last) && whole;
    let made = || value::grade(&rest[12..12 + last]) == Grade::Random;
    (sized && made()).then_some(12 + last)
}

/// `….atlasv1.…`: a Terraform Cloud token.
fn terraform(text: &str, at: usize) -> Option<Range<usize>> {
    let rest = text[at..].strip_prefix("atlasv1.")?;
    let head = text.as_bytes()[..at].strip_suffix(b".")?;
    let start = before(head, head.len(), 14, |byte| byte.is_ascii_alphanumeric())?;
    let tail = run(rest.as_bytes(), is_word);
    (tail >= 50).then_some(start..at + 8 + tail)
}

/// The random token after the word `Bearer` at `at`, in any context.
fn bearer(text: &str, at: usize) -> Option<Range<usize>> {
    let (scheme, rest) = text[at..].split_at_checked(7)?;
    if !scheme.eq_ignore_ascii_case("bearer ") {
        return None;
    }
    let length = run(rest.as_bytes(), |byte| is_word(byte) || b".~+/=".contains(&byte));
    let made = length >= 16 && value::grade(rest[..length].trim_end_matches('.')) == Grade::Random;
    made.then_some(at + 7..at + 7 + length)
}

/// The start of the word that ends at `end`, if the word has exactly `length` bytes.
fn before(bytes: &[u8], end: usize, length: usize, holds: impl Fn(u8) -> bool) -> Option<usize> {
    let start = end.checked_sub(length)?;
    let whole = match &bytes[..start] {
        [.., b'\\', b'n' | b'r' | b't'] | [.., b'\\', b'u', _, _, _, _] | [] => true,
        [.., byte] => !byte.is_ascii_alphanumeric(),
    };
    (whole && bytes[start..end].iter().all(|&byte| holds(byte))).then_some(start)
}

fn run(bytes: &[u8], holds: impl Fn(u8) -> bool) -> usize {
    bytes.iter().take(4096).take_while(|&&byte| holds(byte)).count()
}

fn is_word(byte: u8) -> bool {
    byte.is_ascii_alphanumeric() || matches!(byte, b'_' | b'-')
}

fn is_tilded(byte: u8) -> bool {
    is_word(byte) || matches!(byte, b'~' | b'.')
}
