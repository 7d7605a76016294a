//! Finds secrets by the name in front of them: `DB_PASSWORD=…`, `"apiKey": "…"`, `--token …`.

use std::ops::Range;

use crate::redact::code::SearchedPage;
use crate::redact::field::{FieldFrame, ValueField};
use crate::redact::name::Class;
use crate::redact::sign::{Sign, SignSpelling};
use crate::redact::style::PairStyle;
use crate::redact::value::Grade;
use crate::redact::{code, entry, field, header, name, subject, value};

/// The secret after `sign`, which follows a name.
pub(super) fn find(page: &SearchedPage<'_>, sign: &Sign, name: &Range<usize>) -> Option<Range<usize>> {
    let text = page.text;
    if is_foreign(text, name, sign) {
        return None;
    }
    let word = &text[name.clone()];
    let class = if is_value(word) { entry::class(text, name.start)? } else { name::class(word)? };
    let style = style(text, name, sign);
    let mut field = field::read(text, sign.span.end, style)?;
    if field.frame != FieldFrame::Quotes && sign.spelling != SignSpelling::Plain {
        field = cut_at_escape(text, field.span);
    }
    let place = Place { name: name.start, class, style };
    match class {
        Class::Header => header::credentials(text, field.span),
        Class::Signature => header::is_signature(text, name, &field).then_some(field.span),
        _ if subject::is_element(text, name) && !is_closed(&text[field.span.end..]) => None,
        _ => is_secret(page, &place, &field).then_some(field.span),
    }
}

/// True for names that end like the name of a secret but do not name one: parts of `AWS::IAM::AccessKey` and of
/// `arn:…:secret:…`, the end of a quoted text, the token in a badge's URL.
fn is_foreign(text: &str, name: &Range<usize>, sign: &Sign) -> bool {
    let (before, after) = text.split_at(name.start);
    let after = &after[sign.span.end - name.start..];
    let quoted =
        |quote: char| before.ends_with(quote) && after.starts_with(quote) && name.end == sign.span.start;
    ["::", ".svg?"].iter().any(|end| before.ends_with(end))
        || before.ends_with(':') && sign.byte == b':'
        || quoted('"')
        || quoted('\'')
}

/// A bare value after an escaped sign; it ends at the next `&` or percent-encoded separator.
fn cut_at_escape(text: &str, span: Range<usize>) -> ValueField {
    let value = &text[span.clone()];
    let ends = |at: &usize| {
        ["&", "%26", "%22", "%27", "%20", "%2C", "%3B", "%7D", "%0A"]
            .iter()
            .any(|end| value[*at..].starts_with(end))
    };
    let length = value.match_indices(['%', '&']).map(|(at, _)| at).find(ends).unwrap_or(value.len());
    ValueField { span: span.start..span.start + length, frame: FieldFrame::Line }
}

/// True when `after` begins with the end of an XML element.
fn is_closed(after: &str) -> bool {
    ["</", "<\\/", "&lt;/", "\\u003c/", "\\u003C/"].iter().any(|close| after.starts_with(close))
}

/// The secret after the flag at `at`: `--password …`, `-u name:…`.
pub(super) fn flag(page: &SearchedPage<'_>, at: usize) -> Option<Range<usize>> {
    let text = page.text;
    let bytes = text.as_bytes();
    let word = text[at..].trim_start_matches('-');
    let length = word.bytes().take(name::MAX_NAME_BYTES).take_while(|&byte| subject::is_name(byte)).count();
    let end = text.len() - word.len() + length;
    if bytes.get(end) != Some(&b' ') {
        return None;
    }
    let field = field::read(text, end, PairStyle::Loose)?;
    if matches!(&word[..length], "u" | "user") {
        let login = &text[field.span.clone()];
        let colon = login.find(':').filter(|&colon| colon > 1 && !login.contains(['\\', '/']))?;
        let password = field.span.start + colon + 1..field.span.end;
        return (value::grade(&login[colon + 1..]) >= Grade::Twisted).then_some(password);
    }
    let class = name::class(&word[..length])?;
    let place = Place { name: at, class, style: PairStyle::Loose };
    is_secret(page, &place, &field).then_some(field.span)
}

/// True when a whole text is a secret because of its name.
pub(super) fn is_named(name: &str, text: &str) -> bool {
    let field = ValueField { span: 0..text.len(), frame: FieldFrame::Quotes };
    let class = if name.len() <= name::MAX_NAME_BYTES { name::class(name) } else { None };
    match class {
        Some(Class::Header) => header::credentials(text, 0..text.len()).is_some(),
        Some(class) => {
            is_secret(&SearchedPage::new(text), &Place { name: 0, class, style: PairStyle::Loose }, &field)
        }
        None => false,
    }
}

fn style(text: &str, name: &Range<usize>, sign: &Sign) -> PairStyle {
    let bytes = text.as_bytes();
    let next = bytes.get(sign.span.end);
    let tight = sign.byte == b'=' && name.end == sign.span.start && next.is_some_and(|byte| *byte != b' ');
    let capital = bytes[name.clone()].iter().all(|byte| !byte.is_ascii_lowercase());
    match (tight, tight && capital && is_set(text, name.start, sign.span.end)) {
        (true, true) => PairStyle::Setting,
        (true, false) => PairStyle::Tight,
        (false, _) => PairStyle::Loose,
    }
}

/// True for an environment variable: alone on its line, or a word between other words whose value has no punctuation of
/// code.
fn is_set(text: &str, name: usize, value: usize) -> bool {
    let before = &text[..name];
    let line = before.trim_end_matches("export ").trim_end_matches("ENV ");
    let alone = line.is_empty() || line.ends_with('\n') || line.ends_with("\\n");
    let word = before.ends_with([' ', '\t', '"', '\'']);
    let value = text.as_bytes()[value..].iter().take(256).take_while(|&&byte| field::is_open(byte));
    alone || word && !value.into_iter().any(|byte| b"()[]{},;".contains(byte))
}

/// True for `value`, the key of an entry whose other key is `name`.
fn is_value(word: &str) -> bool {
    ["value", "Value", "ParameterValue"].contains(&word)
}

/// The place of a value, and the class of its name.
struct Place {
    /// The start of the name.
    name: usize,
    class: Class,
    style: PairStyle,
}

/// True when a value in this place is a secret.
fn is_secret(page: &SearchedPage<'_>, place: &Place, field: &ValueField) -> bool {
    let value = &page.text[field.span.clone()];
    let setting = place.style == PairStyle::Setting;
    if field.frame != FieldFrame::Quotes
        && !setting
        && code::is_expression(page.text, place.style, &field.span)
    {
        return false;
    }
    let grade = value::grade(value);
    let code = field.frame == FieldFrame::Code;
    let random = grade == Grade::Random && !(code && value.len() < 16);
    let is_invented = || field.frame == FieldFrame::Quotes && page.is_invented(place.name, value);
    let random = random && (place.class == Class::Password || !value::is_identifier(value));
    match place.class {
        Class::Token => random && !value::is_uuid(value) && value.bytes().all(is_token),
        Class::Key => random || setting && grade >= Grade::Twisted && value.len() >= 8,
        Class::Password if setting && grade == Grade::Words => value.len() >= 8 && value.bytes().all(is_word),
        Class::Password => random || grade == Grade::Twisted && !code && !is_invented(),
        Class::Header | Class::Signature => false,
    }
}

/// True for the characters of tokens.
fn is_token(byte: u8) -> bool {
    byte.is_ascii_alphanumeric() || b"-._~+/=%:!|@".contains(&byte)
}

/// True for letters, and for punctuation that ends or joins words.
fn is_word(byte: u8) -> bool {
    byte.is_ascii_alphabetic() || b"!?-_".contains(&byte)
}
