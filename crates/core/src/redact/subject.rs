//! Finds the name in front of a sign: bare, in quotes, in brackets, in an element, or in front of a type.

use std::ops::Range;

use crate::redact::sign::{Sign, SignSpelling};
use crate::redact::{name, quote};

/// The maximum number of spaces between a name and its sign; such spaces align columns.
const MAX_SPACES: usize = 32;

/// The name in front of the sign.
pub(super) fn find(text: &str, sign: &Sign) -> Option<Range<usize>> {
    let bytes = text.as_bytes();
    let at = sign.span.start;
    let before = at.checked_sub(1)?;
    let end = match (bytes[before], sign.byte, bytes.get(sign.span.end)) {
        _ if sign.spelling != SignSpelling::Plain => quote::bare(&bytes[..at]).len(),
        (_, b':', Some(b'=' | b':'))
        | (b':', b':', _)
        | (_, b'=', Some(b'=' | b'>' | b'~'))
        | (b'=' | b'!' | b'<' | b'>' | b'~', b'=', _) => return None,
        (b':' | b'?', b'=', _) | (b'=', b'>', _) => before,
        (_, b'>', _) => return identifier(text, at).filter(|name| is_element(text, name) && name.end == at),
        _ => at,
    };
    let name = identifier(text, end)?;
    if matches!(&text[name.clone()], "str" | "string" | "String") && sign.byte == b'=' {
        return name_before_type(text, name.start);
    }
    Some(name)
}

/// The name that ends at `end`, in quotes, in brackets or bare.
fn identifier(text: &str, end: usize) -> Option<Range<usize>> {
    let bytes = &text.as_bytes()[..end];
    let spaces =
        bytes.iter().rev().take(MAX_SPACES).take_while(|&&byte| byte == b' ' || byte == b'\t').count();
    let bytes = &bytes[..end - spaces];
    let bytes = bytes.strip_suffix(b"]").unwrap_or(bytes);
    let bytes = quote::before(bytes);
    if !ends_well(bytes) {
        return None;
    }
    let length = bytes.iter().rev().take(name::MAX_NAME_BYTES).take_while(|&&byte| is_name(byte)).count();
    let start = bytes.len() - length;
    let start = start + escape(&bytes[..start], &bytes[start..]);
    Some(start..bytes.len())
}

/// The number of letters at the start of a name that belong to an escape in front of it: `\n`, `\u0026`, `%26`.
fn escape(before: &[u8], name: &[u8]) -> usize {
    let hex = |digits: &[u8]| digits.iter().all(u8::is_ascii_hexdigit);
    match (before.last(), name) {
        (Some(b'\\'), [b'u', a, b, c, d, ..]) if hex(&[*a, *b, *c, *d]) => 5,
        (Some(b'\\'), [b'n' | b'r' | b't', ..]) => 1,
        (Some(b'%'), [a, b, ..]) if hex(&[*a, *b]) => 2,
        _ => 0,
    }
}

/// True when the name ends like one that `name::class` recognises. This rules out most names quickly.
fn ends_well(bytes: &[u8]) -> bool {
    let digits = bytes.iter().rev().take_while(|byte| byte.is_ascii_digit() || **byte == b'_').count();
    let bytes = &bytes[..bytes.len() - digits.min(4)];
    let Some(last) = bytes.last_chunk::<3>().map(|last| last.map(|byte| byte.to_ascii_lowercase())) else {
        return false;
    };
    NAME_ENDS.contains(&&last) || bytes.ends_with(b"key-data")
}

/// The last three letters of names such as password, secret, key and token. Names that end in `str` are types.
const NAME_ENDS: [&[u8; 3]; 18] = [
    b"ord", b"swd", b"ase", b"ode", b"pwd", b"ass", b"ret", b"key", b"ken", b"ial", b"ion", b"ure", b"pat",
    b"uth", b"str", b"sig", b"lue", b"kie",
];

/// The name in front of a type: `KEY: &'static str`.
fn name_before_type(text: &str, end: usize) -> Option<Range<usize>> {
    let before = text[..end].trim_end_matches("'static ").trim_end_matches('&').trim_end_matches(' ');
    identifier(text, before.strip_suffix(':')?.len())
}

/// True when the name is the name of an XML element: `<password>`.
pub(super) fn is_element(text: &str, name: &Range<usize>) -> bool {
    ["<", "&lt;", "u003c", "u003C"].iter().any(|open| text[..name.start].ends_with(open))
}

/// True for the characters of names.
pub(super) fn is_name(byte: u8) -> bool {
    byte.is_ascii_alphanumeric() || matches!(byte, b'_' | b'-' | b'.')
}
