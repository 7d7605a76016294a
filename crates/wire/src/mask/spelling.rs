//! Maps positions in the decoded text of a JSON string to positions in its bytes.

use std::ops::Range;

use tersely_json::unescape_char;

/// The decoded text of a string, with the positions of its characters in the string.
pub(super) struct DecodedString {
    pub(super) text: String,
    /// The positions where runs of unescaped characters begin: in the text, and in the string.
    runs: Vec<(usize, usize)>,
}

impl DecodedString {
    /// Decodes a string; invalid characters become replacement characters.
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

    /// Adds unescaped bytes, with a replacement character for each invalid sequence.
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

    /// The range of the string's bytes that encodes a range of the text.
    pub(super) fn span(&self, span: Range<usize>) -> Range<usize> {
        self.place(span.start)..self.place(span.end)
    }

    fn place(&self, at: usize) -> usize {
        let run = self.runs.partition_point(|&(text, _)| text <= at).saturating_sub(1);
        let (text, token) = self.runs.get(run).copied().unwrap_or_default();
        token + (at - text)
    }
}

/// The length of an invalid escape.
fn bad_escape_length(bytes: &[u8]) -> usize {
    if bytes.get(1) == Some(&b'u') { bytes.len().min(6) } else { bytes.len().min(2) }
}

/// Walks through a string once, and answers queries for ranges in ascending order.
pub(super) struct EscapeSteps<'b> {
    body: &'b [u8],
    inside: Range<usize>,
    at: usize,
}

impl<'b> EscapeSteps<'b> {
    pub(super) fn new(body: &'b [u8], inside: Range<usize>) -> Self {
        Self { body, at: inside.start, inside }
    }

    /// The part of `span` inside the string and after earlier ranges, widened so that it does not split an escape.
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
