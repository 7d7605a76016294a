//! The vocabulary's own pattern for splitting a text into pieces, used for texts that are not ASCII.

use std::sync::LazyLock;

use regex::Regex;

/// Words that end in lower case, and words in upper case, each with one sign in front and a `'s` after it.
const PREFIX: &str = r"[^\r\n\p{L}\p{N}]?";
const CAPITALS: &str = r"[\p{Lu}\p{Lt}\p{Lm}\p{Lo}\p{M}]";
const SMALLS: &str = r"[\p{Ll}\p{Lm}\p{Lo}\p{M}]";
const SUFFIX: &str = r"(?i:'s|'t|'re|'ve|'m|'ll|'d)?";

static PATTERN: LazyLock<Option<Regex>> = LazyLock::new(|| {
    let rules = [
        format!("{PREFIX}{CAPITALS}*{SMALLS}+{SUFFIX}"),
        format!("{PREFIX}{CAPITALS}+{SMALLS}*{SUFFIX}"),
        r"\p{N}{1,3}".to_owned(),
        r" ?[^\s\p{L}\p{N}]+[\r\n/]*".to_owned(),
        r"\s*[\r\n]+".to_owned(),
        r"\s+".to_owned(),
    ];
    Regex::new(&format!(r"\A(?:{})", rules.join("|"))).ok()
});

/// The pieces of a text.
pub(super) fn split(text: &str) -> impl Iterator<Item = &str> {
    let mut rest = text;
    std::iter::from_fn(move || {
        let length =
            PATTERN.as_ref().and_then(|pattern| pattern.find(rest)).map_or(rest.len(), |it| it.end());
        let (piece, after) = rest.split_at(without_last(rest, length));
        rest = after;
        Some(piece).filter(|piece| !piece.is_empty())
    })
}

/// The length of a run of blanks without the last blank, which belongs to the next piece.
fn without_last(rest: &str, length: usize) -> usize {
    let piece = &rest[..length];
    let mut blanks = piece.chars().rev();
    let last = blanks.next().filter(|last| last.is_whitespace() && !matches!(last, '\r' | '\n'));
    match last.filter(|_| length < rest.len() && blanks.next().is_some_and(char::is_whitespace)) {
        Some(last) => length - last.len_utf8(),
        None => length,
    }
}
