//! Locates members and items in JSON that may contain comments, trailing commas and a byte order mark.
//!
//! No tree is built, because a settings file can be large and only a few places in it matter. Strings are not decoded,
//! so a lone surrogate in a prompt history does not make the file unreadable.

use std::ops::Range;

/// The ranges of a key and its value.
#[derive(Debug, PartialEq, Eq)]
pub(crate) struct MemberPlace {
    /// The key, with its quotes.
    pub(crate) key: Range<usize>,
    /// The value.
    pub(crate) value: Range<usize>,
}

/// A syntax error, and its position.
#[derive(Debug, PartialEq, Eq)]
pub(crate) struct TextFault {
    /// The byte offset.
    pub(crate) at: usize,
    /// What was expected at this position.
    pub(crate) expected: &'static str,
}

/// Deeper nesting is an error: no client nests its settings this deeply, and the stack is limited.
const MAX_DEPTH: usize = 128;

type ScanResult<T> = Result<T, TextFault>;

/// The range of the single value in a text.
pub(crate) fn document(text: &str) -> ScanResult<Range<usize>> {
    let mut scan = Scan { text, at: text.len() - text.trim_start_matches('\u{feff}').len() };
    scan.blank()?;
    let value = scan.value(0)?;
    scan.blank()?;
    if scan.at < text.len() { scan.fault("the end of the file") } else { Ok(value) }
}

/// The members of an object; empty for any other value.
pub(crate) fn members(text: &str, object: &Range<usize>) -> ScanResult<Vec<MemberPlace>> {
    let mut found = Vec::new();
    let mut scan = Scan { text, at: object.start };
    if scan.peek() == Some(b'{') {
        scan.object(0, &mut |key, value| found.push(MemberPlace { key, value }))?;
    }
    Ok(found)
}

/// The items of a list; empty for any other value.
pub(crate) fn items(text: &str, list: &Range<usize>) -> ScanResult<Vec<Range<usize>>> {
    let mut found = Vec::new();
    let mut scan = Scan { text, at: list.start };
    if scan.peek() == Some(b'[') {
        scan.list(0, &mut |item| found.push(item))?;
    }
    Ok(found)
}

/// The range of a part of an object or a list, including one comma: the one before the next part or, at the end, the one
/// behind the part before it.
pub(crate) fn with_comma(
    text: &str,
    own: Range<usize>,
    before: Option<usize>,
    next: Option<usize>,
) -> Range<usize> {
    match (next, before) {
        (Some(next), _) if text[own.end..next].trim() == "," => own.start..next,
        (Some(next), _) => {
            let comma = text[own.end..next].find(',').map(|length| own.end + length + 1);
            own.start..comma.unwrap_or(own.end)
        }
        (None, Some(before)) if text[before..own.start].trim() == "," => before..own.end,
        (None, _) => own,
    }
}

struct Scan<'t> {
    text: &'t str,
    at: usize,
}

impl Scan<'_> {
    fn peek(&self) -> Option<u8> {
        self.text.as_bytes().get(self.at).copied()
    }

    fn fault<T>(&self, expected: &'static str) -> ScanResult<T> {
        Err(TextFault { at: self.at, expected })
    }

    /// Skips white space and comments.
    fn blank(&mut self) -> ScanResult<()> {
        loop {
            let rest = &self.text[self.at..];
            let length = match rest.as_bytes() {
                [b' ' | b'\t' | b'\r' | b'\n', ..] => 1,
                [b'/', b'/', ..] => rest.find('\n').unwrap_or(rest.len()),
                [b'/', b'*', ..] => match rest[2..].find("*/") {
                    Some(end) => end + 4,
                    None => return self.fault("an end of this comment"),
                },
                _ => return Ok(()),
            };
            self.at += length;
        }
    }

    fn value(&mut self, depth: usize) -> ScanResult<Range<usize>> {
        if depth > MAX_DEPTH {
            return self.fault("no more than 128 levels");
        }
        match self.peek() {
            Some(b'{') => self.object(depth, &mut |_, _| {}),
            Some(b'[') => self.list(depth, &mut |_| {}),
            Some(b'"') => self.string(),
            _ => self.word(),
        }
    }

    fn object(
        &mut self,
        depth: usize,
        each: &mut dyn FnMut(Range<usize>, Range<usize>),
    ) -> ScanResult<Range<usize>> {
        self.delimited(b'}', "a comma or }", &mut |scan| {
            if scan.peek() != Some(b'"') {
                return scan.fault("a key in quotes");
            }
            let key = scan.string()?;
            scan.blank()?;
            if scan.peek() != Some(b':') {
                return scan.fault("a colon");
            }
            scan.at += 1;
            scan.blank()?;
            let value = scan.value(depth + 1)?;
            each(key, value);
            Ok(())
        })
    }

    fn list(&mut self, depth: usize, each: &mut dyn FnMut(Range<usize>)) -> ScanResult<Range<usize>> {
        self.delimited(b']', "a comma or ]", &mut |scan| {
            let value = scan.value(depth + 1)?;
            each(value);
            Ok(())
        })
    }

    /// Reads from an opening bracket to the closing one, with commas between the parts and optionally after the last.
    fn delimited(
        &mut self,
        close: u8,
        expected: &'static str,
        part: &mut dyn FnMut(&mut Self) -> ScanResult<()>,
    ) -> ScanResult<Range<usize>> {
        let start = self.at;
        self.at += 1;
        loop {
            self.blank()?;
            if self.peek() == Some(close) {
                break;
            }
            part(self)?;
            self.blank()?;
            match self.peek() {
                Some(b',') => self.at += 1,
                Some(next) if next == close => break,
                _ => return self.fault(expected),
            }
        }
        self.at += 1;
        Ok(start..self.at)
    }

    fn string(&mut self) -> ScanResult<Range<usize>> {
        let start = self.at;
        let mut escaped = false;
        for byte in self.text.as_bytes()[start..].iter().skip(1) {
            self.at += 1;
            match byte {
                b'\n' => break,
                b'"' if !escaped => {
                    self.at += 1;
                    return Ok(start..self.at);
                }
                _ => escaped = *byte == b'\\' && !escaped,
            }
        }
        self.at = start;
        self.fault("an end of this string on its line")
    }

    /// Reads a number, `true`, `false` or `null`.
    fn word(&mut self) -> ScanResult<Range<usize>> {
        let rest = &self.text[self.at..];
        let is_part = |byte: u8| byte.is_ascii_alphanumeric() || b"+-.".contains(&byte);
        let length = rest.bytes().position(|byte| !is_part(byte)).unwrap_or(rest.len());
        if serde_json::from_str::<serde_json::Value>(&rest[..length]).is_err() {
            return self.fault("a value");
        }
        self.at += length;
        Ok(self.at - length..self.at)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn members_and_items_are_found_among_comments() {
        let text = "\u{feff}// a {\r\n{ /* \"b\": */ \"a\" : [1, \"]\\\"\", {}, ], // }\n\"b\\\"\":{\"c\":null} }\r\n";
        let whole = document(text).expect("JSON");
        let found = members(text, &whole).expect("members");
        let shown: Vec<_> = found.iter().map(|it| (&text[it.key.clone()], &text[it.value.clone()])).collect();
        assert_eq!(shown, [(r#""a""#, r#"[1, "]\"", {}, ]"#), (r#""b\"""#, r#"{"c":null}"#)]);
        let list = items(text, &found[0].value).expect("items");
        assert_eq!(list.iter().map(|it| &text[it.clone()]).collect::<Vec<_>>(), ["1", r#""]\"""#, "{}"]);
        assert_eq!(members(text, &found[0].value).expect("none"), []);
    }

    #[test]
    fn what_is_no_json_is_told_by_its_place() {
        for (text, at, expected) in [
            ("", 0, "a value"),
            ("{", 1, "a key in quotes"),
            ("{\"a\"", 4, "a colon"),
            ("{\"a\" 1}", 5, "a colon"),
            ("{\"a\": }", 6, "a value"),
            ("{\"a\": 1 \"b\": 2}", 8, "a comma or }"),
            ("{,}", 1, "a key in quotes"),
            ("[1 2]", 3, "a comma or ]"),
            ("[,]", 1, "a value"),
            ("{'a': 1}", 1, "a key in quotes"),
            ("{\"a\": tru}", 6, "a value"),
            ("{\"a\": 01}", 6, "a value"),
            ("{\"a\": \"x\n\"}", 6, "an end of this string on its line"),
            ("{\"a\": \"x\\\"", 6, "an end of this string on its line"),
            ("{} {}", 3, "the end of the file"),
            ("{} /* x", 3, "an end of this comment"),
            ("{\"a\": é}", 6, "a value"),
        ] {
            assert_eq!(document(text), Err(TextFault { at, expected }), "{text}");
        }
    }

    #[test]
    fn depth_is_bounded() {
        let nested = |levels: usize| format!("{}{}", "[".repeat(levels), "]".repeat(levels));
        assert!(document(&nested(MAX_DEPTH + 1)).is_ok());
        assert!(document(&nested(MAX_DEPTH + 2)).is_err());
        assert!(document(&"[".repeat(1_000_000)).is_err());
        assert!(document(&"{\"a\":".repeat(1_000_000)).is_err());
    }
}
