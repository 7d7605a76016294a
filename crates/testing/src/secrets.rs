//! Secrets of many kinds, made up at run time so that none stands in a file as one.

/// Kinds of secrets and where each stands; the clients' harness puts the same ones into files, logs and variables.
const SECRETS: &str = include_str!("../../../trials/clients/secrets.tsv");

/// The secrets of the list: their kind, what stands before, they themselves, what stands after.
#[must_use]
pub fn secrets() -> Vec<(String, [String; 3])> {
    let lines = SECRETS.lines().filter(|line| !line.starts_with('#')).enumerate();
    lines
        .map(|(seed, line)| {
            let (kind, text) = line.split_once('\t').expect("a line of the table");
            let text = text.replace('⏎', "\n");
            let (before, rest) = text.split_once('«').expect("a line of the table");
            let (template, after) = rest.split_once('»').expect("a line of the table");
            (kind.to_owned(), [before.to_owned(), fill(template, seed), after.to_owned()])
        })
        .collect()
}

/// A template with letters in its braces: `{A8}` letters and digits, `{a8}` small ones, `{w8}` with `_` and `-`, `{U8}` capitals
/// and the digits of base32, `{h8}` hex, `{d8}` digits.
#[must_use]
pub fn fill(template: &str, seed: usize) -> String {
    let mut out = String::new();
    let mut state = seed as u64 + 1;
    for (at, part) in template.split(['{', '}']).enumerate() {
        if at % 2 == 0 {
            out.push_str(part);
            continue;
        }
        let letters: &[u8] = match &part[..1] {
            "A" => b"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789",
            "a" => b"abcdefghijklmnopqrstuvwxyz0123456789",
            "w" => b"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789_-",
            "U" => b"ABCDEFGHIJKLMNOPQRSTUVWXYZ234567",
            "h" => b"0123456789abcdef",
            _ => b"0123456789",
        };
        let length: usize = part[1..].parse().expect("a number");
        for left in (0..length).rev() {
            state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
            // A sign at either end would be taken for punctuation.
            let sorts = if left == 0 || left + 1 == length { letters.len().min(62) } else { letters.len() };
            out.push(char::from(letters[(state >> 33) as usize % sorts]));
        }
    }
    out
}
