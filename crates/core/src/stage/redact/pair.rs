//! Secrets that the name before them gives away: `DB_PASSWORD=…`, `"apiKey": "…"`, `--token …`.

use std::ops::Range;

use super::field::{self, Field, Frame};
use super::name::{self, Class};
use super::value::{self, Grade};

/// Spaces that may stand around a sign: columns are aligned with them.
const SPACES: usize = 32;

/// The secret behind the sign at `at`: `:`, `=` or `>`.
pub(super) fn find(text: &str, at: usize) -> Option<Range<usize>> {
    let name = subject(text, at)?;
    let class = name::class(&text[name.clone()])?;
    let style = style(text, &name, at);
    let field = field::read(text, at + 1, style)?;
    if class == Class::Header {
        return header(text, field.span);
    }
    is_secret(text, class, style, &field).then_some(field.span)
}

/// The secret behind the flag at `at`: `--password …`, `-u name:…`.
pub(super) fn flag(text: &str, at: usize) -> Option<Range<usize>> {
    let bytes = text.as_bytes();
    if at > 0 && !bytes[at - 1].is_ascii_whitespace() && !matches!(bytes[at - 1], b'"' | b'\'') {
        return None;
    }
    let word = text[at..].trim_start_matches('-');
    let length = word.bytes().take(name::LONGEST).take_while(|&byte| is_name(byte)).count();
    let end = text.len() - word.len() + length;
    if bytes.get(end) != Some(&b' ') {
        return None;
    }
    let field = field::read(text, end, Style::Loose)?;
    if matches!(&word[..length], "u" | "user") {
        let login = &text[field.span.clone()];
        let colon = login.find(':').filter(|&colon| colon > 1 && !login.contains(['\\', '/']))?;
        let password = field.span.start + colon + 1..field.span.end;
        return (value::grade(&login[colon + 1..]) >= Grade::Twisted).then_some(password);
    }
    let class = name::class(&word[..length])?;
    is_secret(text, class, Style::Loose, &field).then_some(field.span)
}

/// True when a whole text is a secret by the name that it stands under.
pub(super) fn is_named(name: &str, text: &str) -> bool {
    let field = Field { span: 0..text.len(), frame: Frame::Quotes };
    let class = if name.len() <= name::LONGEST { name::class(name) } else { None };
    match class {
        Some(Class::Header) => header(text, 0..text.len()).is_some(),
        Some(class) => is_secret(text, class, Style::Loose, &field),
        None => false,
    }
}

/// How a name and its value are written.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Style {
    /// `NAME=value`, alone on its line.
    Setting,
    /// `name=value`.
    Tight,
    /// Anything else.
    Loose,
}

fn style(text: &str, name: &Range<usize>, sign: usize) -> Style {
    let bytes = text.as_bytes();
    let tight =
        bytes[sign] == b'=' && name.end == sign && bytes.get(sign + 1).is_some_and(|byte| *byte != b' ');
    let capital = bytes[name.clone()].iter().all(|byte| !byte.is_ascii_lowercase());
    let line = text[..name.start].trim_end_matches("export ").trim_end_matches("ENV ");
    let alone = line.is_empty() || line.ends_with('\n') || line.ends_with("\\n");
    match (tight, capital && alone) {
        (true, true) => Style::Setting,
        (true, false) => Style::Tight,
        (false, _) => Style::Loose,
    }
}

/// The name that the sign at `at` follows.
fn subject(text: &str, at: usize) -> Option<Range<usize>> {
    let bytes = text.as_bytes();
    let before = at.checked_sub(1)?;
    let end = match (bytes[before], bytes[at], bytes.get(at + 1)) {
        (_, b':', Some(b'=' | b':'))
        | (b':', b':', _)
        | (_, b'=', Some(b'=' | b'>' | b'~'))
        | (b'=' | b'!' | b'<' | b'>' | b'~', b'=', _) => return None,
        (b':' | b'?', b'=', _) | (b'=', b'>', _) => before,
        (_, b'>', _) => return element(text, at),
        _ => at,
    };
    let name = identifier(text, end)?;
    if matches!(&text[name.clone()], "str" | "string" | "String") && bytes[at] == b'=' {
        return annotated(text, name.start);
    }
    Some(name)
}

/// The name before `end`, in quotes, in brackets or bare.
fn identifier(text: &str, end: usize) -> Option<Range<usize>> {
    let bytes = &text.as_bytes()[..end];
    let spaces = bytes.iter().rev().take(SPACES).take_while(|&&byte| byte == b' ' || byte == b'\t').count();
    let bytes = &bytes[..end - spaces];
    let bytes = bytes.strip_suffix(b"]").unwrap_or(bytes);
    let bytes = bytes.strip_suffix(b"\"").or_else(|| bytes.strip_suffix(b"'")).unwrap_or(bytes);
    let bytes = bytes.strip_suffix(b"\\").unwrap_or(bytes);
    if !ends_well(bytes) {
        return None;
    }
    let length = bytes.iter().rev().take(name::LONGEST).take_while(|&&byte| is_name(byte)).count();
    let start = bytes.len() - length;
    // The letter of an escaped line end is no part of the name behind it.
    let escaped = start > 0 && bytes[start - 1] == b'\\';
    let start = start + usize::from(escaped && matches!(bytes[start], b'n' | b'r' | b't'));
    Some(start..bytes.len())
}

/// True when the last letters are those of a name that `name::class` knows, so that most are passed at a glance.
fn ends_well(bytes: &[u8]) -> bool {
    let digits = bytes.iter().rev().take_while(|byte| byte.is_ascii_digit() || **byte == b'_').count();
    let bytes = &bytes[..bytes.len() - digits.min(4)];
    let Some(last) = bytes.len().checked_sub(3).map(|from| &bytes[from..]) else { return false };
    ENDS.iter().any(|end| last.eq_ignore_ascii_case(*end))
}

/// Last letters of passwords, secrets, keys, tokens and their kin; names that end in `str` are types.
const ENDS: [&[u8; 3]; 15] = [
    b"ord", b"swd", b"ase", b"ode", b"pwd", b"ass", b"ret", b"key", b"ken", b"ial", b"ion", b"ure", b"pat",
    b"uth", b"str",
];

/// The name of the element that the bracket at `at` closes: `<password>`.
fn element(text: &str, at: usize) -> Option<Range<usize>> {
    let name = identifier(text, at)?;
    let opened = name.start > 0 && text.as_bytes()[name.start - 1] == b'<' && name.end == at;
    opened.then_some(name)
}

/// The name before a type that ends at `end`: `KEY: &'static str`.
fn annotated(text: &str, end: usize) -> Option<Range<usize>> {
    let before = text[..end].trim_end_matches("'static ").trim_end_matches('&').trim_end_matches(' ');
    identifier(text, before.strip_suffix(':')?.len())
}

/// The credentials of an `Authorization` header whose value begins with `span`.
fn header(text: &str, span: Range<usize>) -> Option<Range<usize>> {
    let value = &text[span.clone()];
    let scheme = value.split(' ').next()?;
    let known =
        ["bearer", "basic", "token", "apikey", "ssws"].iter().any(|word| word.eq_ignore_ascii_case(scheme));
    if !known {
        return (value::grade(value) == Grade::Random).then_some(span);
    }
    let from = span.start + scheme.len() + 1;
    let rest = text.get(from..)?;
    let length = rest.bytes().take_while(|&byte| field::is_bare(byte)).count();
    let basic = scheme.eq_ignore_ascii_case("basic") && length >= 8 && value::is_made(&rest[..length]);
    (basic || value::grade(&rest[..length]) == Grade::Random).then_some(from..from + length)
}

/// True when a value under a name of this class, written so, is a secret.
fn is_secret(text: &str, class: Class, style: Style, field: &Field) -> bool {
    let value = &text[field.span.clone()];
    let grade = value::grade(value);
    let code = field.frame == Frame::Code;
    let random = grade == Grade::Random && !(code && value.len() < 16);
    let word = || value.len() >= 8 && value.bytes().all(|byte| byte.is_ascii_alphabetic());
    match class {
        Class::Token => random && !value::is_uuid(value),
        Class::Key => random || style == Style::Setting && grade >= Grade::Twisted && value.len() >= 8,
        Class::Password if style == Style::Setting && grade == Grade::Words => word(),
        Class::Password => random || grade == Grade::Twisted && !code,
        Class::Header => false,
    }
}

fn is_name(byte: u8) -> bool {
    byte.is_ascii_alphanumeric() || matches!(byte, b'_' | b'-' | b'.')
}
