//! Finds secrets by their vendor's prefix.

use std::ops::Range;

use crate::redact::rules::{HOOKS, SecretRule, TOKENS, Tail};
use crate::redact::{shape, value};

/// The secret that begins with the word at `at`.
pub(super) fn find(text: &str, at: usize) -> Option<Range<usize>> {
    let rest = &text.as_bytes()[at..];
    let (&first, &second) = (rest.first()?, rest.get(1)?);
    let near = |rule: &&SecretRule| rule.0.as_bytes()[1] == second;
    let own = RULE_INDEX.rules(first).filter(near).find_map(|rule| Some(at..at + tail(rest, rule)?.end));
    own.filter(|_| !is_digest(&text.as_bytes()[..at]))
        .or_else(|| hook(rest, at))
        .or_else(|| shape::find(text, at))
}

/// True inside the base64 of a digest, such as `sha256=…`. A digest may by chance contain the prefix of a secret.
fn is_digest(before: &[u8]) -> bool {
    let run = before.iter().rev().take(88).take_while(|&&byte| Tail::Word.holds(byte)).count();
    let head = &before[..before.len() - run];
    let hash =
        |name: &[u8]| [&b"sha1"[..], b"sha256", b"sha384", b"sha512"].iter().any(|hash| name.ends_with(hash));
    // In `sha512-…`, `-` belongs to the run of base64 characters; in other digests, `=` is the separator.
    head.strip_suffix(b"=").is_some_and(hash) || before[before.len() - run..].starts_with(b"sha512-")
}

/// The secret part of a webhook URL that begins at `at`.
fn hook(rest: &[u8], at: usize) -> Option<Range<usize>> {
    if !matches!(rest[0], b'h' | b'd') {
        return None;
    }
    let tail = HOOKS.iter().find_map(|rule| tail(rest, rule))?;
    Some(at + tail.start..at + tail.end)
}

/// The range of a rule's tail, if the text begins with its prefix.
fn tail(rest: &[u8], rule: &SecretRule) -> Option<Range<usize>> {
    let &(prefix, kind, min, max) = rule;
    let tail = rest.strip_prefix(prefix.as_bytes())?;
    let length = tail.iter().take(max + 1).take_while(|&&byte| kind.holds(byte)).count();
    let length = length - tail[..length].iter().rev().take_while(|&&byte| byte == b'.').count();
    let whole = tail.get(length).is_none_or(|byte| !byte.is_ascii_alphanumeric() && *byte != b'_');
    let fits = (min..=max).contains(&length) && whole;
    let made = || {
        std::str::from_utf8(&tail[..length])
            .is_ok_and(|tail| value::is_generated(tail) && !value::is_identifier(tail))
    };
    (fits && made()).then_some(prefix.len()..prefix.len() + length)
}

impl Tail {
    fn holds(self, byte: u8) -> bool {
        match self {
            Self::Hex => byte.is_ascii_hexdigit(),
            Self::Upper => byte.is_ascii_uppercase() || byte.is_ascii_digit(),
            Self::Alnum => byte.is_ascii_alphanumeric(),
            Self::Word => byte.is_ascii_alphanumeric() || matches!(byte, b'_' | b'-'),
            Self::Dotted => Self::Word.holds(byte) || byte == b'.',
            Self::Base64 => Self::Word.holds(byte) || matches!(byte, b'+' | b'/' | b'='),
            Self::Path => Self::Word.holds(byte) || byte == b'/',
        }
    }
}

/// An index of the rules by first letter, in the table's order, so that a word is compared only with rules that may
/// match.
struct RuleIndex {
    /// Indices into the table.
    order: [usize; TOKENS.len()],
    /// The index in `order` at which the rules for each letter begin.
    start: [usize; 257],
}

static RULE_INDEX: RuleIndex = RuleIndex::of();

impl RuleIndex {
    const fn of() -> Self {
        let mut index = Self { order: [0; TOKENS.len()], start: [0; 257] };
        let (mut letter, mut count) = (0, 0);
        while letter < 256 {
            let mut rule = 0;
            while rule < TOKENS.len() {
                if TOKENS[rule].0.as_bytes()[0] as usize == letter {
                    index.order[count] = rule;
                    count += 1;
                }
                rule += 1;
            }
            letter += 1;
            index.start[letter] = count;
        }
        index
    }

    fn rules(&self, letter: u8) -> impl Iterator<Item = &'static SecretRule> {
        let letter = usize::from(letter);
        self.order[self.start[letter]..self.start[letter + 1]].iter().map(|&rule| &TOKENS[rule])
    }
}
