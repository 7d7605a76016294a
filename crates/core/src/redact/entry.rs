//! Finds secrets whose name is itself a value: `{"name": "DB_PASSWORD", "value": "…"}`, `<add key="ApiKey"
//! value="…"/>`.

use crate::redact::name;
use crate::redact::name::Class;

/// The maximum number of bytes between a name and `value`.
const MAX_GAP_BYTES: usize = 200;

/// The class of an entry's name, given the start of its `value`.
pub(super) fn class(text: &str, at: usize) -> Option<Class> {
    let near = &text[text.ceil_char_boundary(at.saturating_sub(MAX_GAP_BYTES))..at];
    let mut words = near.rsplit(|char: char| !is_name(char)).filter(|word| has_letters(word));
    let last = words.next()?;
    // In XML, the element with the name is closed before the element with the value opens.
    let closed = near.rsplit_once("</").is_some_and(|(_, tail)| tail.starts_with(last));
    let (name, label) = if closed { (words.next()?, words.next()?) } else { (last, words.next()?) };
    is_label(label).then(|| name::class(name)).flatten()
}

fn is_name(char: char) -> bool {
    char.is_ascii_alphanumeric() || matches!(char, '_' | '-' | '.')
}

/// True for words; false for line numbers and the dashes of lists.
fn has_letters(word: &str) -> bool {
    word.bytes().any(|byte| byte.is_ascii_alphabetic())
}

/// True for `name`, `key`, `Name`, `ParameterKey`.
fn is_label(word: &str) -> bool {
    word.len() >= 3
        && ["name", "key"].iter().any(|label| {
            let start = word.len().saturating_sub(label.len());
            word.get(start..).is_some_and(|end| end.eq_ignore_ascii_case(label))
        })
        && word.len() <= 16
}
