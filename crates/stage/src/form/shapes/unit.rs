//! A line as words and what stands between them; a quoted text is one word.

/// A word of a line, and where what stands before it begins.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Unit {
    start: u32,
    at: u32,
    end: u32,
}

impl Unit {
    /// What stands between the word before and this one.
    pub(super) fn space(self, line: &str) -> &str {
        &line[self.start as usize..self.at as usize]
    }

    pub(super) fn text(self, line: &str) -> &str {
        &line[self.at as usize..self.end as usize]
    }

    /// Where the word begins.
    pub(super) fn at(self) -> usize {
        self.at as usize
    }

    /// Where the word ends.
    pub(super) fn end(self) -> usize {
        self.end as usize
    }
}

/// Adds the words of `line`, which begin at `from`; what follows the last one is the business of the caller.
pub(super) fn split(line: &str, from: usize, units: &mut Vec<Unit>) {
    let bytes = line.as_bytes();
    let mut start = from;
    let place = |at: usize| u32::try_from(at).unwrap_or(u32::MAX);
    while start < bytes.len() {
        let Some(skip) = (start..bytes.len()).find(|&at| begins(bytes, at)) else { return };
        let end = end(bytes, skip);
        units.push(Unit { start: place(start), at: place(skip), end: place(end) });
        start = end;
    }
}

/// True when a word begins at `at`: a quoted text, or what words are made of.
fn begins(bytes: &[u8], at: usize) -> bool {
    is_word(bytes[at]) || quoted(bytes, at).is_some()
}

fn end(bytes: &[u8], at: usize) -> usize {
    quoted(bytes, at).unwrap_or_else(|| {
        let more = bytes[at..].iter().enumerate();
        let length = more.take_while(|(offset, byte)| is_word(**byte) || joins(bytes, at + offset)).count();
        at + length
    })
}

/// How far a quoted text is looked for.
const MAX_QUOTE: usize = 512;

/// The end of the quoted text that begins at `at`, if it is more than one word.
fn quoted(bytes: &[u8], at: usize) -> Option<usize> {
    if bytes[at] != b'"' || at > 0 && (is_word(bytes[at - 1]) || bytes[at - 1] == b'"') {
        return None;
    }
    let inside = &bytes[at + 1..bytes.len().min(at + MAX_QUOTE)];
    let close =
        inside.iter().position(|&byte| byte == b'"').filter(|close| inside[..*close].contains(&b' '))?;
    let follows = bytes.get(at + 1 + close + 1).is_none_or(|byte| !is_word(*byte));
    (follows && inside[..close].last() != Some(&b'\\')).then_some(at + 1 + close + 1)
}

/// True for what words, numbers, paths and addresses are made of.
fn is_word(byte: u8) -> bool {
    byte.is_ascii_alphanumeric() || byte >= 0x80 || b"_-./%@+~#$*\\&?!".contains(&byte)
}

/// True for a colon that stands within a time, an address or a name: `12:04`, `http://`, `a::b`.
fn joins(bytes: &[u8], at: usize) -> bool {
    if bytes[at] != b':' || at == 0 {
        return false;
    }
    let (before, after) = (bytes[at - 1], bytes.get(at + 1).copied().unwrap_or_default());
    before.is_ascii_digit() && after.is_ascii_digit() || before == b':' || after == b':' || after == b'/'
}

#[cfg(test)]
mod tests {
    use super::*;

    fn check(line: &str, expected: &[&str]) {
        let mut units = Vec::new();
        split(line, 0, &mut units);
        let found: Vec<_> = units.iter().map(|unit| unit.text(line)).collect();
        assert_eq!(found, expected, "{line}");
        let end = units.last().map_or(0, |unit| unit.end());
        let back: String = units.iter().flat_map(|unit| [unit.space(line), unit.text(line)]).collect();
        assert_eq!(back + &line[end..], line);
    }

    #[test]
    fn lines_are_taken_apart_and_put_together() {
        check("", &[]);
        check("a  b\tc ", &["a", "b", "c"]);
        check(r#"x "GET / HTTP/1.1" 200 "-""#, &["x", r#""GET / HTTP/1.1""#, "200", "-"]);
        check(r#"comm="a b" é"c d" "open"#, &["comm", r#""a b""#, "é", "c", "d", "open"]);
        check(
            "sshd[83]: 10.0.0.7:22 a::b() http://x/y",
            &["sshd", "83", "10.0.0.7:22", "a::b", "http://x/y"],
        );
        check("a.ts(5,36): error", &["a.ts", "5", "36", "error"]);
    }
}
