//! Recognises quotes, plain and as JSON, HTML and URLs escape them, at any depth.

/// The quote that opens a value; the same quote closes it.
#[derive(Debug, Clone, Copy)]
pub(super) struct Quote<'t> {
    /// The number of backslashes in front of the quote: 0 in a program, 1 in JSON inside a string, 3 one level deeper.
    slashes: usize,
    sign: &'t [u8],
}

/// The maximum number of backslashes in front of a quote.
const MAX_BACKSLASHES: usize = 64;

/// Spellings of quotes after a backslash.
const UNICODE: [&[u8]; 2] = [b"u0022", b"u0027"];
/// Spellings of quotes without a backslash.
const ENTITIES: [&[u8]; 6] = [b"&quot;", b"&#34;", b"&#39;", b"&apos;", b"%22", b"%27"];

impl<'t> Quote<'t> {
    /// The quote at `at`, and the start of its content.
    pub(super) fn open(bytes: &'t [u8], at: usize) -> Option<(Self, usize)> {
        let slashes = slashes(&bytes[at..]);
        let rest = &bytes[at + slashes..];
        let length = match rest.first()? {
            b'"' | b'\'' => 1,
            b'`' if slashes == 0 => 1,
            b'u' if slashes > 0 => match_length(&UNICODE, rest)?,
            _ if slashes == 0 => match_length(&ENTITIES, rest)?,
            _ => return None,
        };
        Some((Self { slashes, sign: &rest[..length] }, at + slashes + length))
    }

    /// The start of the closing quote, within `max_bytes` and on the same line.
    pub(super) fn close(self, bytes: &[u8], from: usize, max_bytes: usize) -> Option<usize> {
        let mut at = from;
        while at < from + max_bytes {
            let run = slashes(bytes.get(at..)?);
            let rest = bytes.get(at + run..)?;
            if rest.starts_with(self.sign) && self.is_closed_by(run) {
                return Some(at + run.saturating_sub(self.slashes));
            }
            if *rest.first()? == b'\n' {
                return None;
            }
            at += run + 1;
        }
        None
    }

    /// True when a quote after `run` backslashes closes the value. Quotes inside the value have more backslashes.
    fn is_closed_by(self, run: usize) -> bool {
        self.sign.len() > 1
            || run < self.slashes
            || (run - self.slashes).is_multiple_of(2 * (self.slashes + 1))
    }
}

/// The text without the quote at its end.
pub(super) fn before(bytes: &[u8]) -> &[u8] {
    if let [head @ .., b'"' | b'\'' | b'`'] = bytes {
        return bare(head);
    }
    let strip = |signs: &[&[u8]]| signs.iter().find_map(|sign| bytes.strip_suffix(*sign));
    strip(&UNICODE)
        .filter(|head| head.ends_with(b"\\"))
        .map(bare)
        .or_else(|| strip(&ENTITIES))
        .unwrap_or(bytes)
}

/// The text without the backslashes at its end.
pub(super) fn bare(bytes: &[u8]) -> &[u8] {
    let run = bytes.iter().rev().take(MAX_BACKSLASHES).take_while(|&&byte| byte == b'\\').count();
    &bytes[..bytes.len() - run]
}

fn match_length(signs: &[&[u8]], rest: &[u8]) -> Option<usize> {
    signs.iter().find(|sign| rest.starts_with(sign)).map(|sign| sign.len())
}

fn slashes(bytes: &[u8]) -> usize {
    bytes.iter().take(MAX_BACKSLASHES).take_while(|&&byte| byte == b'\\').count()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_value_ends_where_its_own_quote_does() {
        for (text, expected) in [
            (r#""ab" c"#, Some("ab")),
            (r#""a\"b" c"#, Some(r#"a\"b"#)),
            (r#""ab\\" c""#, Some(r"ab\\")),
            (r#"\"ab\", \"c\""#, Some("ab")),
            (r#"\"a\\\"b\""#, Some(r#"a\\\"b"#)),
            (r#"\\\"ab\\\", x"#, Some("ab")),
            (r#"\"ab" outer"#, Some("ab")),
            (r"\u0022ab\u0022", Some("ab")),
            ("&quot;ab&quot;,", Some("ab")),
            ("%22ab%22", Some("ab")),
            ("\"a\nb\"", None),
            ("\"ab", None),
            ("ab", None),
        ] {
            let held = Quote::open(text.as_bytes(), 0).and_then(|(quote, from)| {
                quote.close(text.as_bytes(), from, 100).map(|end| &text[from..end])
            });
            assert_eq!(held, expected, "{text}");
        }
    }
}
