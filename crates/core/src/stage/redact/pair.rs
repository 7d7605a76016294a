//! Secrets that the name before them gives away: `DB_PASSWORD=…`, `"apiKey": "…"`, `--token …`.

use std::ops::Range;

use super::code::{self, Page};
use super::field::{self, Field, Frame};
use super::name::{self, Class};
use super::sign::{Sign, Spelling};
use super::value::{self, Grade};
use super::{basic, entry, quote};

/// Spaces that may stand around a sign: columns are aligned with them.
const SPACES: usize = 32;

/// The secret behind the sign.
pub(super) fn find(page: &Page<'_>, sign: &Sign) -> Option<Range<usize>> {
    let text = page.text;
    let name = subject(text, sign).filter(|name| !is_foreign(text, name, sign))?;
    let word = &text[name.clone()];
    let class = if is_value(word) { entry::class(text, name.start)? } else { name::class(word)? };
    let style = style(text, &name, sign);
    let mut field = field::read(text, sign.span.end, style)?;
    if field.frame != Frame::Quotes && sign.spelling != Spelling::Plain {
        field = cut(text, sign.spelling, field.span)?;
    }
    let place = Place { name: name.start, class, style };
    match class {
        Class::Header => header(text, field.span),
        Class::Signature => is_signature(text, &name, &field).then_some(field.span),
        _ if is_element(text, &name) && !is_closed(&text[field.span.end..]) => None,
        _ => is_secret(page, &place, &field).then_some(field.span),
    }
}

/// True for names of no secret, whatever they end with: parts of `AWS::IAM::AccessKey` and of `arn:…:secret:…`,
/// the end of a text in quotes, a badge's token.
fn is_foreign(text: &str, name: &Range<usize>, sign: &Sign) -> bool {
    let (before, after) = (&text[..name.start], &text.as_bytes()[sign.span.end..]);
    let ends = matches!((before.as_bytes().last(), after.first()), (Some(b'"' | b'\''), Some(quote)) if before.as_bytes().last() == Some(quote));
    before.ends_with("::")
        || before.ends_with(':') && sign.byte == b':'
        || before.ends_with(".svg?")
        || ends && name.end == sign.span.start
}

/// The bare value, ended where the spelling of its sign says that the next one begins; none when that is its sign again.
fn cut(text: &str, spelling: Spelling, span: Range<usize>) -> Option<Field> {
    let value = &text[span.clone()];
    let ends = |at: usize| match value.get(at..at + 3) {
        _ if value[at..].starts_with('&') => true,
        Some(sign) => ["%26", "%22", "%27", "%20", "%2C", "%3B", "%7D", "%0A"].contains(&sign),
        None => false,
    };
    let mut signs = value.match_indices(['%', '&']).map(|(at, _)| at);
    let named =
        |at: usize| value[at..].starts_with("%3D") && value[at + 3..].starts_with(char::is_alphabetic);
    let end = signs.find(|&at| ends(at) || spelling == Spelling::Percent && named(at));
    let end = end.filter(|&at| !ends(at)).map_or(Some(end.unwrap_or(value.len())), |_| None)?;
    Some(Field { span: span.start..span.start + end, frame: Frame::Line })
}

fn is_element(text: &str, name: &Range<usize>) -> bool {
    ["<", "&lt;", "u003c", "u003C"].iter().any(|open| text[..name.start].ends_with(open))
}

fn is_closed(after: &str) -> bool {
    ["</", "<\\/", "&lt;/", "\\u003c/", "\\u003C/"].iter().any(|close| after.starts_with(close))
}

/// The secret behind the flag at `at`: `--password …`, `-u name:…`.
pub(super) fn flag(page: &Page<'_>, at: usize) -> Option<Range<usize>> {
    let text = page.text;
    let bytes = text.as_bytes();
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
    let place = Place { name: at, class, style: Style::Loose };
    is_secret(page, &place, &field).then_some(field.span)
}

/// True when a whole text is a secret by the name that it stands under.
pub(super) fn is_named(name: &str, text: &str) -> bool {
    let field = Field { span: 0..text.len(), frame: Frame::Quotes };
    let class = if name.len() <= name::LONGEST { name::class(name) } else { None };
    match class {
        Some(Class::Header) => header(text, 0..text.len()).is_some(),
        Some(class) => is_secret(&Page::new(text), &Place { name: 0, class, style: Style::Loose }, &field),
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

fn style(text: &str, name: &Range<usize>, sign: &Sign) -> Style {
    let bytes = text.as_bytes();
    let next = bytes.get(sign.span.end);
    let tight = sign.byte == b'=' && name.end == sign.span.start && next.is_some_and(|byte| *byte != b' ');
    let capital = bytes[name.clone()].iter().all(|byte| !byte.is_ascii_lowercase());
    match (tight, tight && capital && is_set(text, name.start, sign.span.end)) {
        (true, true) => Style::Setting,
        (true, false) => Style::Tight,
        (false, _) => Style::Loose,
    }
}

/// True for a setting of the environment: alone on its line, or a word among words, with no grammar in its value.
fn is_set(text: &str, name: usize, value: usize) -> bool {
    let before = &text[..name];
    let line = before.trim_end_matches("export ").trim_end_matches("ENV ");
    let alone = line.is_empty() || line.ends_with('\n') || line.ends_with("\\n");
    let word = before.ends_with([' ', '\t', '"', '\'']);
    alone
        || word
            && !text.as_bytes()[value..]
                .iter()
                .take(256)
                .take_while(|&&byte| field::is_open(byte))
                .any(|&byte| b"()[]{},;".contains(&byte))
}

/// The name that the sign follows.
pub(super) fn subject(text: &str, sign: &Sign) -> Option<Range<usize>> {
    let bytes = text.as_bytes();
    let at = sign.span.start;
    let before = at.checked_sub(1)?;
    let end = match (bytes[before], sign.byte, bytes.get(sign.span.end)) {
        _ if sign.spelling != Spelling::Plain => at - (at - quote::bare(&bytes[..at]).len()),
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
    let bytes = quote::before(bytes);
    if !ends_well(bytes) {
        return None;
    }
    let length = bytes.iter().rev().take(name::LONGEST).take_while(|&&byte| is_name(byte)).count();
    let start = bytes.len() - length;
    let start = start + escape(&bytes[..start], &bytes[start..]);
    Some(start..bytes.len())
}

/// The letters that a name begins with and that belong to an escape before it: `\n`, `\u0026`, `%26`.
fn escape(before: &[u8], name: &[u8]) -> usize {
    let hex = |digits: &[u8]| digits.iter().all(u8::is_ascii_hexdigit);
    match (before.last(), name) {
        (Some(b'\\'), [b'u', a, b, c, d, ..]) if hex(&[*a, *b, *c, *d]) => 5,
        (Some(b'\\'), [b'n' | b'r' | b't', ..]) => 1,
        (Some(b'%'), [a, b, ..]) if hex(&[*a, *b]) => 2,
        _ => 0,
    }
}

/// True when the last letters are those of a name that `name::class` knows, so that most are passed at a glance.
fn ends_well(bytes: &[u8]) -> bool {
    let digits = bytes.iter().rev().take_while(|byte| byte.is_ascii_digit() || **byte == b'_').count();
    let bytes = &bytes[..bytes.len() - digits.min(4)];
    let Some(last) = bytes.len().checked_sub(3).map(|from| &bytes[from..]) else { return false };
    ENDS.iter().any(|end| last.eq_ignore_ascii_case(*end)) || bytes.ends_with(b"key-data")
}

/// Last letters of passwords, secrets, keys, tokens and their kin; names that end in `str` are types.
const ENDS: [&[u8; 3]; 18] = [
    b"ord", b"swd", b"ase", b"ode", b"pwd", b"ass", b"ret", b"key", b"ken", b"ial", b"ion", b"ure", b"pat",
    b"uth", b"str", b"sig", b"lue", b"kie",
];

/// True for `value`, the half of an entry whose other half is its name.
fn is_value(word: &str) -> bool {
    ["value", "Value", "ParameterValue"].contains(&word)
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
    let code = &rest[..length];
    let secret = if scheme.eq_ignore_ascii_case("basic") {
        length >= 8 && value::is_made(code) && !basic::is_placeholder(code)
    } else {
        value::grade(code) == Grade::Random
    };
    secret.then_some(from..from + length)
}

/// True for the signature of an address or a request, which opens what it signs.
fn is_signature(text: &str, name: &Range<usize>, field: &Field) -> bool {
    let value = &text[field.span.clone()];
    let before = &text[..name.start];
    let named = text[name.clone()].contains(['-', '_']);
    let linked = ["?", "&", ";", "u0026", "%26", "%3F"].iter().any(|sign| before.ends_with(sign));
    let listed = before.ends_with(", ") && value.len() == 64;
    field.frame != Frame::Quotes
        && value.len() >= 28
        && (named || linked || listed)
        && value::grade(value) == Grade::Random
}

/// Where a value stands, and what its name promises.
struct Place {
    /// Where the name begins.
    name: usize,
    class: Class,
    style: Style,
}

/// True when a value in such a place is a secret.
fn is_secret(page: &Page<'_>, place: &Place, field: &Field) -> bool {
    let value = &page.text[field.span.clone()];
    let setting = place.style == Style::Setting;
    if field.frame != Frame::Quotes && !setting && code::is_expression(page.text, place.style, &field.span) {
        return false;
    }
    let grade = value::grade(value);
    let code = field.frame == Frame::Code;
    let random = grade == Grade::Random && !(code && value.len() < 16);
    let made_up = || field.frame == Frame::Quotes && page.makes_up(place.name, value);
    let random = random && (place.class == Class::Password || !value::is_named(value));
    match place.class {
        Class::Token => random && !value::is_uuid(value) && value.bytes().all(is_token),
        Class::Key => random || setting && grade >= Grade::Twisted && value.len() >= 8,
        Class::Password if setting && grade == Grade::Words => value.len() >= 8 && value.bytes().all(is_word),
        Class::Password => random || grade == Grade::Twisted && !code && !made_up(),
        Class::Header | Class::Signature => false,
    }
}

/// True for what tokens are written with.
fn is_token(byte: u8) -> bool {
    byte.is_ascii_alphanumeric() || b"-._~+/=%:!|@".contains(&byte)
}

/// True for letters, and signs that people end or join words with.
fn is_word(byte: u8) -> bool {
    byte.is_ascii_alphabetic() || b"!?-_".contains(&byte)
}

fn is_name(byte: u8) -> bool {
    byte.is_ascii_alphanumeric() || matches!(byte, b'_' | b'-' | b'.')
}
