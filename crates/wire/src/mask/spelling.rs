//! Tells which bytes of a JSON string spell a part of its text.

use std::ops::Range;

use tersely_json::unescape_char;

/// The characters of a string, with the way back to the bytes that spell them.
pub(super) struct DecodedString {
    pub(super) text: String,
    /// Where characters stand in the text and in the string, from each escape to the next.
    runs: Vec<(usize, usize)>,
}

impl DecodedString {
    /// Whatever is no character becomes one that stands for it.
    pub(super) fn of(token: &[u8]) -> Self {
        let end = token.len() - 1;
        let mut decoded = Self { text: String::with_capacity(end), runs: vec![(0, 1)] };
        let mut at = 1;
        while at < end {
            let plain = token[at..end].iter().position(|&byte| byte == b'\\').unwrap_or(end - at);
            decoded.plain(&token[at..at + plain], at);
            at += plain;
            if at < end {
                let (char, used) =
                    unescape_char(&token[..end], at).unwrap_or((char::REPLACEMENT_CHARACTER, 0));
                decoded.text.push(char);
                at += if used > 0 { used } else { bad_escape_length(&token[at..end]) };
                decoded.runs.push((decoded.text.len(), at));
            }
        }
        decoded
    }

    /// Adds bytes that stand for themselves, and one character for each that is not UTF-8.
    fn plain(&mut self, bytes: &[u8], mut at: usize) {
        for chunk in bytes.utf8_chunks() {
            self.text.push_str(chunk.valid());
            at += chunk.valid().len() + chunk.invalid().len();
            if !chunk.invalid().is_empty() {
                self.text.push(char::REPLACEMENT_CHARACTER);
                self.runs.push((self.text.len(), at));
            }
        }
    }

    /// Where the bytes stand that spell a part of the text.
    pub(super) fn span(&self, span: Range<usize>) -> Range<usize> {
        self.place(span.start)..self.place(span.end)
    }

    fn place(&self, at: usize) -> usize {
        let run = self.runs.partition_point(|&(text, _)| text <= at).saturating_sub(1);
        let (text, token) = self.runs.get(run).copied().unwrap_or_default();
        token + (at - text)
    }
}

/// The bytes of an escape that stands for no character.
fn bad_escape_length(bytes: &[u8]) -> usize {
    if bytes.get(1) == Some(&b'u') { bytes.len().min(6) } else { bytes.len().min(2) }
}

/// Steps over the letters of a string, once for all that is asked about it.
pub(super) struct EscapeSteps<'b> {
    body: &'b [u8],
    inside: Range<usize>,
    at: usize,
}

impl<'b> EscapeSteps<'b> {
    pub(super) fn new(body: &'b [u8], inside: Range<usize>) -> Self {
        Self { body, at: inside.start, inside }
    }

    /// What of `span` is in the string after all that was asked for before, widened so that it cuts no escape in two.
    pub(super) fn whole(&mut self, span: &Range<usize>) -> Range<usize> {
        let mut start = span.start.max(self.at);
        while self.at < span.end.min(self.inside.end) {
            let rest = &self.body[self.at..self.inside.end];
            let length = match rest[0] {
                b'\\' => unescape_char(rest, 0).map_or_else(|| bad_escape_length(rest), |it| it.1),
                _ => 1,
            };
            if self.at < start && start < self.at + length {
                start = self.at;
            }
            self.at += length;
        }
        start..self.at.min(self.inside.end).max(start)
    }
}
