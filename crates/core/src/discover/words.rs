//! Splits a text into words for a search: converts to lower case, splits `camelCase`, and turns plurals into singulars.

/// The maximum number of bytes of a text that are searched.
const MAX_TEXT_BYTES: usize = 64 << 10;

/// The maximum number of bytes of a word that are compared.
const MAX_WORD_BYTES: usize = 40;

/// Calls `each` with every word of a text, in order.
pub(super) fn words(text: &str, mut each: impl FnMut(&str)) {
    let end = (0..=MAX_TEXT_BYTES.min(text.len()))
        .rev()
        .find(|end| text.is_char_boundary(*end))
        .unwrap_or_default();
    let mut word = String::new();
    let mut before = None;
    for sign in text[..end].chars() {
        let ends = !sign.is_alphanumeric() || before.is_some_and(|before| parts(before, sign));
        if ends {
            finish(&mut word, &mut each);
        }
        if sign.is_alphanumeric() && word.len() < MAX_WORD_BYTES {
            word.extend(sign.to_lowercase());
        }
        before = Some(sign);
    }
    finish(&mut word, &mut each);
}

/// True when a new word begins between two characters: between `get` and `Issue` in `getIssue`, or between `page` and
/// `2` in `page2`.
fn parts(before: char, sign: char) -> bool {
    (before.is_lowercase() && sign.is_uppercase()) || (before.is_alphabetic() && sign.is_numeric())
}

fn finish(word: &mut String, each: &mut impl FnMut(&str)) {
    if word.len() > 3 && word.ends_with('s') && !word.ends_with("ss") {
        word.pop();
    }
    if !word.is_empty() {
        each(word);
    }
    word.clear();
}

#[cfg(test)]
mod tests {
    use super::*;

    fn check(text: &str, expected: &str) {
        let mut found = Vec::new();
        words(text, |word| found.push(word.to_owned()));
        assert_eq!(found.join(" "), expected, "{text}");
    }

    #[test]
    fn names_come_apart_and_plurals_are_singulars() {
        check("mcp__github__list_issues", "mcp github list issue");
        check("getIssue2 HTTPServer", "get issue 2 httpserver");
        check("The class's Über-buses, is gas.", "the class s über buse is gas");
        check("", "");
        check("日本 -- x", "日本 x");
    }

    #[test]
    fn much_text_is_read_only_so_far() {
        let mut count = 0;
        words(&"é ".repeat(MAX_TEXT_BYTES), |_| count += 1);
        assert!(count <= MAX_TEXT_BYTES / 2, "{count}");
        words(&"x".repeat(MAX_TEXT_BYTES * 2), |word| assert_eq!(word.len(), MAX_WORD_BYTES));
    }
}
