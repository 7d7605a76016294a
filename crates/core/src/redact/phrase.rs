//! Finds secrets by the phrase in front of them: `machine h login u password …`, `IDENTIFIED BY '…'`.

use std::ops::Range;

use crate::redact::field::FieldFrame;
use crate::redact::style::PairStyle;
use crate::redact::value::Grade;
use crate::redact::{field, value};

/// The maximum number of bytes in front of the password on a line of `.netrc`.
const MAX_PREFIX_BYTES: usize = 256;

/// The secret after the phrase that begins with the word at `at`.
pub(super) fn find(text: &str, at: usize) -> Option<Range<usize>> {
    match text.as_bytes().get(at)? {
        b'p' | b'P' => netrc(text, at).or_else(|| value_after(text, at, "password ", FieldFrame::Quotes)),
        b'i' | b'I' => value_after(text, at, "identified by ", FieldFrame::Quotes),
        b'r' => value_after(text, at, "requirepass ", FieldFrame::Line),
        b'm' => value_after(text, at, "masterauth ", FieldFrame::Line),
        b'a' => value_after(text, at, "aws_secret_access_key ", FieldFrame::Line)
            .or_else(|| value_after(text, at, "aws_session_token ", FieldFrame::Line)),
        _ => None,
    }
}

/// The value after `words`, if it is delimited by `frame`.
fn value_after(text: &str, at: usize, words: &str, frame: FieldFrame) -> Option<Range<usize>> {
    let matches = text.get(at..at + words.len())?.eq_ignore_ascii_case(words);
    let field = matches.then(|| field::read(text, at + words.len(), PairStyle::Loose))??;
    let opens = value::grade(&text[field.span.clone()]) >= Grade::Twisted;
    (field.frame == frame && opens).then_some(field.span)
}

/// The password of a machine in `.netrc`.
fn netrc(text: &str, at: usize) -> Option<Range<usize>> {
    let rest = text.get(at..)?.strip_prefix("password")?;
    let gap = gap(rest);
    let owner = if gap > 0 { owner(text, at)? } else { return None };
    let start = at + "password".len() + gap;
    let length =
        text.as_bytes()[start..].iter().take(MAX_PREFIX_BYTES).take_while(|&&byte| is_word(byte)).count();
    let password = text.get(start..start + length)?;
    let opens = match owner {
        Owner::Login => value::opens(password),
        Owner::Prose => value::grade(password) >= Grade::Twisted,
    };
    opens.then_some(start..start + length)
}

/// The owner of a password, according to the words in front of it.
enum Owner {
    /// A user of a machine.
    Login,
    /// A machine, or a phrase that reads like one: `the default password`.
    Prose,
}

/// The length of the white space at the start of `text`; an escaped line end counts as white space.
fn gap(text: &str) -> usize {
    let rest = text.trim_start_matches([' ', '\t', '\r', '\n']);
    let rest = rest.strip_prefix("\\n").map_or(rest, |rest| rest.trim_start_matches([' ', '\t']));
    text.len() - rest.len()
}

fn is_word(byte: u8) -> bool {
    !byte.is_ascii_whitespace() && !matches!(byte, b'"' | b'\'' | b'`' | b'\\')
}

/// The owner of the password at `at`: `machine host` or `default`, with or without `login user`.
fn owner(text: &str, at: usize) -> Option<Owner> {
    let before = &text[text.ceil_char_boundary(at.saturating_sub(MAX_PREFIX_BYTES))..at];
    let before = before.replace("\\n", " ");
    let mut words = before.split_whitespace().rev();
    let mut next = || words.next().unwrap_or_default();
    let (owner, host, machine) = match (next(), next()) {
        (_, "login" | "account") => (Owner::Login, next(), next()),
        (host, machine) => (Owner::Prose, host, machine),
    };
    // The line may be the value of an assignment, or quoted.
    let machine = machine.rsplit(['=', '"', '\'']).next() == Some("machine");
    (host == "default" || machine && !host.is_empty()).then_some(owner)
}
