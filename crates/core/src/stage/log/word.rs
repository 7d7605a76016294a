//! A line as words and what stands between them; a quoted text is one word.

/// A word and the white space before it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Word<'a> {
    pub(super) space: &'a str,
    pub(super) text: &'a str,
}

/// The words of a line; white space at its end comes with an empty word.
pub(super) fn words(line: &str) -> Words<'_> {
    Words { rest: line }
}

/// The words that are left of a line.
pub(super) struct Words<'a> {
    rest: &'a str,
}

impl<'a> Iterator for Words<'a> {
    type Item = Word<'a>;

    fn next(&mut self) -> Option<Word<'a>> {
        if self.rest.is_empty() {
            return None;
        }
        let bytes = self.rest.as_bytes();
        let space = bytes.iter().take_while(|&&byte| is_space(byte)).count();
        let end = space + length(&bytes[space..]);
        let word = Word { space: &self.rest[..space], text: &self.rest[space..end] };
        self.rest = &self.rest[end..];
        Some(word)
    }
}

/// How long the word is that `bytes` begin with; white space between its quotes is part of it.
fn length(bytes: &[u8]) -> usize {
    let plain = |from: usize| from + bytes[from..].iter().take_while(|&&byte| !is_space(byte)).count();
    let end = plain(0);
    let Some(open) = bytes[..end].iter().position(|&byte| byte == b'"') else { return end };
    let sound = open == 0 || matches!(bytes[open - 1], b'=' | b'(' | b'[' | b':');
    match bytes[open + 1..].iter().position(|&byte| byte == b'"') {
        Some(close) if sound => plain(open + 1 + close + 1).max(end),
        _ => end,
    }
}

fn is_space(byte: u8) -> bool {
    matches!(byte, b' ' | b'\t')
}

impl<'a> Word<'a> {
    /// The part of the word that lines of one shape share, and whether the rest may differ.
    pub(super) fn stem(&self) -> (&'a str, Rest) {
        let text = self.text;
        let name = text.bytes().take_while(|byte| byte.is_ascii_alphabetic() || *byte == b'_').count();
        match text.as_bytes().get(name) {
            Some(b'=' | b'[' | b'(' | b'"' | b'\'' | b'`') => (&text[..=name], Rest::Free),
            Some(b':') if name > 1 && name + 1 < text.len() => (&text[..=name], Rest::Free),
            _ if text.bytes().any(|byte| byte.is_ascii_digit()) => ("", Rest::Free),
            _ => (text, Rest::None),
        }
    }
}

/// What follows a stem.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Rest {
    None,
    Free,
}

#[cfg(test)]
mod tests {
    use super::*;

    fn check(line: &str, expected: &[&str]) {
        let found: Vec<_> = words(line).map(|word| word.text).collect();
        assert_eq!(found, expected, "{line}");
        let back: String = words(line).flat_map(|word| [word.space, word.text]).collect();
        assert_eq!(back, line);
    }

    #[test]
    fn lines_are_taken_apart_and_put_together() {
        check("", &[]);
        check("a  b\tc ", &["a", "b", "c", ""]);
        check(r#"x "GET / HTTP/1.1" 200"#, &["x", r#""GET / HTTP/1.1""#, "200"]);
        check(r#"comm="a b" é"c d" "open"#, &[r#"comm="a b""#, r#"é"c"#, r#"d""#, r#""open"#]);
    }

    #[test]
    fn stems_are_what_names_a_value() {
        for (text, stem, rest) in [
            ("sshd[83]:", "sshd[", Rest::Free),
            ("pid=7", "pid=", Rest::Free),
            ("'chalk'", "'", Rest::Free),
            ("0x7f", "", Rest::Free),
            ("Removed", "Removed", Rest::None),
            ("error:", "error:", Rest::None),
        ] {
            assert_eq!(Word { space: "", text }.stem(), (stem, rest), "{text}");
        }
    }
}
