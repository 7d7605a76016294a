//! Secrets whose name is a value itself: `{"name": "DB_PASSWORD", "value": "…"}`, `<add key="ApiKey" value="…"/>`.

use crate::redact::name;
use crate::redact::name::Class;

/// What stands between a name and `value` is not longer.
const BEFORE: usize = 200;

/// The class of the name that the entry whose `value` begins at `at` gives itself.
pub(super) fn class(text: &str, at: usize) -> Option<Class> {
    let near = &text[text.ceil_char_boundary(at.saturating_sub(BEFORE))..at];
    let mut words = near.rsplit(|char: char| !is_name(char)).filter(|word| is_told(word));
    let last = words.next()?;
    // In XML the name's own element is closed before the value's begins.
    let closed = near.rsplit_once("</").is_some_and(|(_, tail)| tail.starts_with(last));
    let (name, label) = if closed { (words.next()?, words.next()?) } else { (last, words.next()?) };
    is_label(label).then(|| name::class(name)).flatten()
}

fn is_name(char: char) -> bool {
    char.is_ascii_alphanumeric() || matches!(char, '_' | '-' | '.')
}

/// True for words; a gutter's line numbers and a list's dashes are none.
fn is_told(word: &str) -> bool {
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
