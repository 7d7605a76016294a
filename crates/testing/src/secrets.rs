//! Secrets of many kinds, generated at run time so that no file contains one.

/// Kinds of secrets and the text around each. The clients' harness uses the same list.
const SECRETS: &str = include_str!("../../../trials/clients/secrets.tsv");

/// The secrets of the list: the kind, the text in front, the secret, the text after it.
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

/// Fills the braces of a template with random characters: `{A8}` letters and digits, `{a8}` in lower case, `{w8}` with
/// `_` and `-`, `{U8}` base32, `{h8}` hex, `{d8}` digits.
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
            // A sign at either end would look like punctuation.
            let sorts = if left == 0 || left + 1 == length { letters.len().min(62) } else { letters.len() };
            out.push(char::from(letters[(state >> 33) as usize % sorts]));
        }
    }
    out
}
