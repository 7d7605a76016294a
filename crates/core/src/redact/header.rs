//! Finds credentials in `Authorization` headers, and signatures in URLs.

use std::ops::Range;

use crate::redact::field::{FieldFrame, ValueField};
use crate::redact::value::Grade;
use crate::redact::{basic, field, value};

/// The maximum length of credentials, in bytes.
const MAX_CREDENTIALS_BYTES: usize = 4096;

/// The credentials of an `Authorization` header whose value begins with `span`.
pub(super) fn credentials(text: &str, span: Range<usize>) -> Option<Range<usize>> {
    let value = &text[span.clone()];
    let scheme = value.split(' ').next()?;
    let known =
        ["bearer", "basic", "token", "apikey", "ssws"].iter().any(|word| word.eq_ignore_ascii_case(scheme));
    if !known {
        return (value::grade(value) == Grade::Random).then_some(span);
    }
    let from = span.start + scheme.len() + 1;
    let rest = text.get(from..)?;
    let length = rest.bytes().take(MAX_CREDENTIALS_BYTES).take_while(|&byte| field::is_bare(byte)).count();
    let code = &rest[..length];
    let secret = if scheme.eq_ignore_ascii_case("basic") {
        length >= 8 && value::is_generated(code) && !basic::is_placeholder(code)
    } else {
        value::grade(code) == Grade::Random
    };
    secret.then_some(from..from + length)
}

/// True for the signature of a URL or a request. Such a signature grants access.
pub(super) fn is_signature(text: &str, name: &Range<usize>, field: &ValueField) -> bool {
    let value = &text[field.span.clone()];
    let before = &text[..name.start];
    let named = text[name.clone()].contains(['-', '_']);
    let linked = ["?", "&", ";", "u0026", "%26", "%3F"].iter().any(|sign| before.ends_with(sign));
    let listed = before.ends_with(", ") && value.len() == 64;
    field.frame != FieldFrame::Quotes
        && value.len() >= 28
        && (named || linked || listed)
        && value::grade(value) == Grade::Random
}
