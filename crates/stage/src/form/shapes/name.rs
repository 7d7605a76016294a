//! Names shapes by words of their own that tell them apart, so that a name says what its lines say.
//!
//! A word of trouble is always part of the name, and no line begins with a name: what is written short is told at a glance
//! from what stands as it came.

use std::collections::{HashMap, HashSet};

use crate::form::shapes::shape::LineShape;

/// Longer words are no names.
const MAX_NAME: usize = 20;

/// Words of a shape that are tried.
const MAX_WORDS: usize = 16;

/// Shorter words say too little.
const SHORT: usize = 3;

/// Words that say nothing by themselves, or something else than their line does.
const LITTLE: [&str; 34] = [
    "and", "are", "been", "but", "each", "false", "for", "from", "had", "has", "have", "into", "its", "key",
    "line", "none", "not", "null", "other", "than", "that", "the", "then", "there", "this", "true", "was",
    "were", "when", "which", "will", "with", "yes", "you",
];

/// Words of trouble.
const TROUBLE: [&str; 12] = [
    "warn", "warning", "error", "errors", "fail", "failed", "failure", "fatal", "panic", "critical",
    "denied", "refused",
];

/// A name for each shape that has a word for one; none of those `taken`, with which lines begin. Shapes of one kin have one name, and numbers.
pub(super) fn names(shapes: &[(usize, &LineShape)], mut taken: HashSet<String>) -> Vec<Option<String>> {
    let words: Vec<Vec<&str>> = shapes.iter().map(|(_, shape)| candidates(shape)).collect();
    let mut counts: WordKins = HashMap::new();
    for ((kin, _), words) in shapes.iter().zip(&words) {
        for word in words {
            counts.entry(word.to_ascii_lowercase()).or_default().insert(*kin);
        }
    }
    let mut of_kin: HashMap<usize, String> = HashMap::new();
    let mut found = Vec::new();
    for ((kin, _), words) in shapes.iter().zip(&words) {
        let of_kin_too = of_kin.get(kin).filter(|name| is_of(name, words));
        let first = of_kin_too.map_or_else(|| proposals(words, &counts), |name| vec![name.clone()]);
        let name = numbered(&first).find(|name| !taken.contains(name));
        taken.extend(name.clone());
        if let Some(name) = &name {
            of_kin.entry(*kin).or_insert_with(|| name.clone());
        }
        found.push(name);
    }
    found
}

/// True when all words of a name stand in the shape: the name of its kin may speak of what only that one has.
fn is_of(name: &str, words: &[&str]) -> bool {
    name.trim_end_matches(|sign: char| sign.is_ascii_digit()).split('-').all(|part| words.contains(&part))
}

/// The kins whose shapes have a word.
type WordKins = HashMap<String, HashSet<usize>>;

/// Names for a shape with these words, the best first: a word that no other shape has, then pairs that few have, each with
/// a word of trouble before it.
fn proposals(words: &[&str], counts: &WordKins) -> Vec<String> {
    let count = |word: &str| counts.get(&word.to_ascii_lowercase()).map_or(0, HashSet::len);
    let mut own: Vec<(usize, &str)> = words.iter().copied().enumerate().take(MAX_WORDS).collect();
    own.sort_by_key(|(_, word)| (count(word), !is_plain(word)));
    own.dedup_by_key(|(_, word)| *word);
    let trouble = words.iter().copied().find(|word| is_trouble(word));
    let with = |word: &str| match trouble {
        Some(trouble) if trouble != word => format!("{trouble}-{word}"),
        _ => word.to_owned(),
    };
    let alone = own.iter().filter(|(_, word)| count(word) == 1).map(|(_, word)| with(word));
    let pair = |(one, other): (&(usize, &str), &(usize, &str))| {
        let [first, second] = if one.0 < other.0 { [one.1, other.1] } else { [other.1, one.1] };
        if trouble.is_some() { with(other.1) } else { format!("{first}-{second}") }
    };
    let pairs = own.iter().zip(own.iter().skip(1)).map(pair);
    let mut names: Vec<_> = alone.chain(pairs).collect();
    if names.is_empty() {
        names.extend(words.first().map(|word| with(word)));
    }
    names
}

/// The names, then the first with a number.
fn numbered(names: &[String]) -> impl Iterator<Item = String> {
    let first = names.first().into_iter();
    names.iter().cloned().chain(first.flat_map(|name| (2..100).map(move |number| format!("{name}{number}"))))
}

fn is_trouble(word: &str) -> bool {
    TROUBLE.iter().any(|trouble| trouble.eq_ignore_ascii_case(word))
}

/// Words that may be names, in their order.
fn candidates(shape: &LineShape) -> Vec<&str> {
    let pieces = shape.text().flat_map(pieces);
    let says_little = |word: &str| LITTLE.iter().any(|little| little.eq_ignore_ascii_case(word));
    let sound = |word: &&str| (SHORT..=MAX_NAME).contains(&word.len()) && !says_little(word);
    pieces.filter(sound).collect()
}

/// True for a word of small letters.
fn is_plain(word: &str) -> bool {
    word.len() < 9 && word.bytes().all(|byte| byte.is_ascii_lowercase())
}

/// The words of letters in a text, without paths.
fn pieces(text: &str) -> impl Iterator<Item = &str> {
    // What none of is there does not name a line: `0 failed`.
    let mut none = false;
    let counted = move |piece: &&str| !std::mem::replace(&mut none, *piece == "0");
    let whole = text.split_whitespace().filter(counted).filter(|piece| !piece.contains('/'));
    let parts = whole.flat_map(|piece| piece.split(|c: char| !(c.is_ascii_alphanumeric() || c == '_')));
    parts.filter(|word| word.starts_with(|c: char| c.is_ascii_alphabetic()))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::form::shapes::shape::BRACKETS;

    fn check(shapes: &[(usize, &str)], taken: &[&str], expected: &[&str]) {
        let parsed: Vec<_> = shapes
            .iter()
            .map(|(kin, text)| (*kin, LineShape::parse(BRACKETS[0], &format!("x: {text}")).unwrap()))
            .collect();
        let shapes: Vec<_> = parsed.iter().map(|(kin, shape)| (*kin, shape)).collect();
        let found = names(&shapes, taken.iter().map(|&name| name.to_owned()).collect());
        let found: Vec<_> = found.iter().flatten().collect();
        assert_eq!(found, expected);
    }

    #[test]
    fn names_tell_shapes_apart() {
        let shapes = [(0, "session opened for {1}"), (1, "session closed for {1}")];
        check(&shapes, &[], &["opened", "closed"]);
        check(&shapes, &["opened"], &["session-opened", "closed"]);
        check(&[(0, "took {1} of {2}"), (0, "took {1} of 7")], &[], &["took", "took2"]);
        check(&[(0, "sent res {1}"), (0, "sent req {1}")], &[], &["sent", "sent2"]);
        check(&[(0, "res: {1}"), (0, "req: {1}")], &[], &["res", "req"]);
    }

    #[test]
    fn trouble_is_part_of_the_name() {
        check(&[(0, "WARN disk {1} is slow"), (1, "INFO disk {1} is fast")], &[], &["WARN-slow", "fast"]);
        check(&[(0, "{1} passed, 0 failed")], &[], &["passed"]);
    }

    #[test]
    fn what_no_word_tells_of_has_no_name() {
        check(&[(0, "--- | {1}"), (1, "=== | {1}"), (2, "Yes: {1}")], &[], &[]);
    }
}
