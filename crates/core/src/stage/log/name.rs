//! Names shapes by words of their own that tell them apart, so that a name says what its lines say.
//!
//! A word of trouble is always part of the name: what was an error at its place stays one.

use std::collections::{HashMap, HashSet};

use super::shape::Shape;

/// Longer words are no names.
const MAX_NAME: usize = 24;

/// Words of a shape that are tried in pairs.
const MAX_WORDS: usize = 16;

/// Shorter words are joined by the next.
const SHORT: usize = 3;

/// What words of trouble begin with.
const TROUBLE: [&str; 7] = ["error", "fail", "fatal", "panic", "exception", "critical", "warn"];

/// A name for each shape; `None` for those that no words tell apart.
pub(super) fn names(shapes: &[&Shape]) -> Vec<Option<String>> {
    let words: Vec<Vec<&str>> = shapes.iter().map(|shape| candidates(shape)).collect();
    let sets: Vec<HashSet<&str>> = words.iter().map(|words| words.iter().copied().collect()).collect();
    let mut counts: HashMap<&str, usize> = HashMap::new();
    sets.iter().flatten().for_each(|word| *counts.entry(word).or_default() += 1);
    let found: Vec<_> =
        words.iter().map(|words| own(words, &counts).or_else(|| pair(words, &sets))).collect();
    let mut taken: HashSet<String> = found.iter().flatten().cloned().collect();
    let mut seen = HashSet::new();
    let names = found.into_iter().zip(&words).map(|(name, words)| match name {
        Some(name) => Some(name).filter(|name| seen.insert(name.clone())),
        None => rare(words, &counts).filter(|name| taken.insert(name.clone())),
    });
    names.collect()
}

/// The first word that no other shape has, behind a word of trouble or else the first that few have.
fn own(words: &[&str], counts: &HashMap<&str, usize>) -> Option<String> {
    let count = |word: &str| counts.get(word).copied().unwrap_or_default();
    let many = counts.values().max().map_or(1, |most| most / 2).max(1);
    let at = words.iter().position(|word| count(word) == 1)?;
    let own = match words.get(at + 1) {
        // A word such as "no" says nothing without the next.
        Some(next) if words[at].len() < SHORT => &format!("{} {next}", words[at]),
        _ => words[at],
    };
    let first = words.iter().find(|word| is_trouble(word));
    let first = first.or_else(|| words[..at].iter().find(|word| count(word) <= many));
    Some(first.filter(|first| **first != words[at]).map_or(own.to_owned(), |first| join(first, own)))
}

/// The first two words that no other shape has both of, those of trouble first.
fn pair(words: &[&str], sets: &[HashSet<&str>]) -> Option<String> {
    let mut words = words[..words.len().min(MAX_WORDS)].to_vec();
    words.sort_by_key(|word| !is_trouble(word));
    let pairs =
        words.iter().enumerate().flat_map(|(at, one)| words[at + 1..].iter().map(move |two| (*one, *two)));
    let own = |(one, two): &(&str, &str)| {
        one != two && sets.iter().filter(|set| set.contains(one) && set.contains(two)).count() == 1
    };
    pairs.into_iter().find(own).map(|(one, two)| join(one, two))
}

/// The first word, and the one that fewest shapes have.
fn rare(words: &[&str], counts: &HashMap<&str, usize>) -> Option<String> {
    let first = words.iter().find(|word| is_trouble(word)).or(words.first())?;
    let rare = words.iter().min_by_key(|word| counts.get(**word).copied().unwrap_or_default())?;
    Some(join(first, rare))
}

fn join(one: &str, two: &str) -> String {
    if one == two { one.to_owned() } else { format!("{one} {two}") }
}

fn is_trouble(word: &str) -> bool {
    let lower = word.to_ascii_lowercase();
    let plain = word.bytes().all(|byte| byte.is_ascii_alphabetic());
    plain
        && (word.ends_with("Error")
            || word.ends_with("Exception")
            || TROUBLE.iter().any(|trouble| lower.starts_with(trouble)))
}

/// Words that may be names: the first, then plain words and codes, then those with signs in them.
fn candidates(shape: &Shape) -> Vec<&str> {
    let mut words: Vec<&str> = shape.text().flat_map(pieces).collect();
    words.retain(|word| word.bytes().any(|byte| byte.is_ascii_alphabetic()));
    if let Some(rest) = words.get_mut(1..) {
        rest.sort_by_key(|word| !is_plain(word));
    }
    words.iter().map(|word| trim(word)).filter(|word| word.len() > 1 && word.len() <= MAX_NAME).collect()
}

/// True for a word of letters, and for a code such as `E0308`.
fn is_plain(word: &str) -> bool {
    let letters = word.bytes().take_while(u8::is_ascii_alphabetic).count();
    let digits = word.bytes().skip(letters).all(|byte| byte.is_ascii_digit());
    letters == word.len() || (digits && word[..letters].bytes().all(|byte| byte.is_ascii_uppercase()))
}

/// The pieces of a text between white space, brackets and quotes, without paths and a terminal's codes.
fn pieces(text: &str) -> impl Iterator<Item = &str> {
    let plain =
        text.split('\u{1b}').enumerate().map(|(index, text)| if index > 0 { uncolored(text) } else { text });
    let whole = plain.flat_map(str::split_whitespace).filter(|piece| !piece.contains('/'));
    whole.flat_map(|piece| piece.split(|c: char| !(c.is_ascii_alphanumeric() || "_=-.".contains(c))))
}

fn trim(word: &str) -> &str {
    word.trim_matches(|c: char| !c.is_ascii_alphanumeric())
}

/// What stands behind a terminal's code.
fn uncolored(text: &str) -> &str {
    text.split_once(|c: char| c.is_ascii_alphabetic()).map_or("", |(_, rest)| rest)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn check(lines: &[&str], expected: &[&str]) {
        let shapes: Vec<_> = lines.iter().filter_map(|line| Shape::parse(&format!("x: {line}"))).collect();
        let shapes: Vec<_> = shapes.iter().collect();
        let names: Vec<_> = names(&shapes).into_iter().map(Option::unwrap_or_default).collect();
        assert_eq!(names, expected);
    }

    #[test]
    fn names_are_words_of_their_own() {
        check(
            &["cron session opened for {1}", "cron session closed for {1}", "sudo session opened for {1}"],
            &["cron opened", "closed", "sudo"],
        );
        check(&["a \u{1b}[35mbegan\u{1b}[39m {1}", "/usr/lib/{1} x", "{1}", "-"], &["began", "", "", ""]);
        check(&["put {1}", "put {1} twice", "put {1}"], &["put", "twice", ""]);
        check(&["ok {1}", "? {1} [no test files]"], &["ok", "no test"]);
    }

    #[test]
    fn trouble_is_named() {
        check(
            &["{1}: error TS2307: no module {2}", "{1}: error TS2580: no name {2}", "{1}: note: no"],
            &["error TS2307", "error TS2580", "note"],
        );
    }
}
