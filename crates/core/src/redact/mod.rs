//! Finds and masks secrets, before anything is counted, stored or sent.
//!
//! All other bytes stay unchanged. A secret is recognised by its vendor's prefix, by the lengths of its parts or by the
//! words around it. A hash, a UUID or a placeholder has none of these and is not masked.

mod basic;
mod code;
mod command;
mod cookie;
mod entry;
mod field;
mod header;
mod name;
mod pair;
mod pem;
mod phrase;
mod plain;
mod quote;
mod rules;
mod shape;
mod sign;
mod style;
mod subject;
mod token;
mod url;
mod value;

use std::borrow::Cow;
use std::ops::Range;

use code::SearchedPage;
use plain::PlainValue;
use sign::Sign;

/// The text with `[REDACTED_SECRET]` and `[REDACTED_PRIVATE_KEY]` in place of its secrets.
#[must_use]
pub fn redact(text: &str) -> Cow<'_, str> {
    let secrets = find(text);
    if secrets.is_empty() { Cow::Borrowed(text) } else { Cow::Owned(mask(text, &secrets)) }
}

/// The ranges of the secrets in `text`, each with its mask. `name` is the name of the text, if it has one, such as a
/// JSON key: a text with the name of a secret is masked as a whole.
#[must_use]
pub fn secrets(name: Option<&str>, text: &str) -> Vec<(Range<usize>, &'static str)> {
    let found = find(text);
    if found.is_empty() && name.is_some_and(|name| pair::is_named(name, text)) {
        return vec![(0..text.len(), FoundSecret::token(0..text.len()).mask())];
    }
    found.into_iter().map(|secret| (secret.span.clone(), secret.mask())).collect()
}

/// The range of a secret in a text.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct FoundSecret {
    pub(crate) span: Range<usize>,
    pub(crate) kind: SecretKind,
}

/// The kind of a secret, which determines its mask.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum SecretKind {
    Token,
    PrivateKey,
}

impl FoundSecret {
    fn token(span: Range<usize>) -> Self {
        Self { span, kind: SecretKind::Token }
    }

    /// The text that replaces a secret of this kind.
    fn mask(&self) -> &'static str {
        match self.kind {
            SecretKind::Token => "[REDACTED_SECRET]",
            SecretKind::PrivateKey => "[REDACTED_PRIVATE_KEY]",
        }
    }
}

/// All secrets in a text, in order and without overlaps.
pub(crate) fn find(text: &str) -> Vec<FoundSecret> {
    // Colour codes may split a secret, so the search ignores them.
    match PlainValue::of(text) {
        None => scan(text),
        Some(plain) => scan(&plain.text)
            .into_iter()
            .map(|secret| FoundSecret { span: plain.span(secret.span), ..secret })
            .collect(),
    }
}

/// The text with each secret masked.
pub(crate) fn mask(text: &str, secrets: &[FoundSecret]) -> String {
    let mut out = String::with_capacity(text.len());
    let mut at = 0;
    for secret in secrets {
        out.push_str(&text[at..secret.span.start]);
        out.push_str(secret.mask());
        at = secret.span.end;
    }
    out.push_str(&text[at..]);
    out
}

fn scan(text: &str) -> Vec<FoundSecret> {
    let page = SearchedPage::new(text);
    let mut secrets = Vec::new();
    let mut at = 0;
    while let Some(&byte) = text.as_bytes().get(at) {
        let word = byte.is_ascii_alphanumeric();
        if !word && !announces(byte) {
            at += 1;
            continue;
        }
        let found = if word { self::word(text, at).into_iter().collect() } else { sign(&page, at, byte) };
        at = match found.last() {
            Some(last) => last.span.end.max(at + 1),
            None if word => at + run(&text.as_bytes()[at..]),
            None => at + 1,
        };
        for secret in found {
            push(&mut secrets, secret);
        }
    }
    secrets
}

/// Adds a secret without the part that the previous one already covers. Such overlaps occur because some secrets are
/// recognised by a sign in their middle.
fn push(secrets: &mut Vec<FoundSecret>, mut secret: FoundSecret) {
    let from = secrets.last().map_or(0, |last| last.span.end);
    secret.span.start = secret.span.start.max(from);
    if !secret.span.is_empty() {
        secrets.push(secret);
    }
}

/// The secret that begins with the word at `at`.
fn word(text: &str, at: usize) -> Option<FoundSecret> {
    let bytes = text.as_bytes();
    // After a backslash the first letters belong to an escape such as `\n` or `\u003d`.
    let escape = match bytes[..at] {
        [.., b'\\'] if matches!(bytes[at], b'n' | b'r' | b't') => 1,
        [.., b'\\'] if bytes[at] == b'u' => 5,
        _ => 0,
    };
    let at = at + escape;
    let here = text.is_char_boundary(at);
    here.then(|| token::find(text, at).or_else(|| phrase::find(text, at))).flatten().map(FoundSecret::token)
}

/// True for the first byte of a sign that may precede a secret.
fn announces(byte: u8) -> bool {
    matches!(byte, b':' | b'=' | b'>' | b'-' | b'~' | b'%' | b'&' | b'\\')
}

/// The secrets that the sign at `at` precedes.
fn sign(page: &SearchedPage<'_>, at: usize, byte: u8) -> Vec<FoundSecret> {
    let text = page.text;
    let one = match byte {
        b':' => url::find(text, at).or_else(|| shape::telegram(text, at)).or_else(|| shape::pgpass(text, at)),
        b'~' => shape::azure(text, at),
        b'-' => return dash(page, at),
        _ => None,
    };
    if let Some(span) = one {
        return vec![FoundSecret::token(span)];
    }
    let Some(sign) = Sign::at(text.as_bytes(), at) else { return Vec::new() };
    let Some(name) = subject::find(text, &sign) else { return Vec::new() };
    let found = match (pair::find(page, &sign, &name), byte) {
        (Some(span), _) => vec![span],
        (None, b':' | b'=' | b'%' | b'\\') => cookie::find(page, &sign, &text[name]),
        (None, _) => Vec::new(),
    };
    found.into_iter().map(FoundSecret::token).collect()
}

fn dash(page: &SearchedPage<'_>, at: usize) -> Vec<FoundSecret> {
    let text = page.text;
    if text[at..].starts_with("-----BEGIN ") {
        return pem::find(text, at)
            .map(|span| FoundSecret { span, kind: SecretKind::PrivateKey })
            .into_iter()
            .collect();
    }
    if let Some(span) = shape::mailchimp(text, at) {
        return vec![FoundSecret::token(span)];
    }
    if at > 0 && !matches!(text.as_bytes()[at - 1], b' ' | b'\t' | b'\n' | b'\r' | b'"' | b'\'') {
        return Vec::new();
    }
    let one = pair::flag(page, at).or_else(|| command::find(text, at));
    let found = one.map_or_else(|| cookie::flag(page, at), |span| vec![span]);
    found.into_iter().map(FoundSecret::token).collect()
}

/// The length of the word at the start of `bytes`.
fn run(bytes: &[u8]) -> usize {
    bytes.iter().take_while(|byte| byte.is_ascii_alphanumeric() || **byte == b'_').count()
}
