//! Estimates the token cost of parts of a text. The pipeline measures the whole result exactly, and decides.
//!
//! Each text is scanned once; the cost of a part is the difference between two prefix sums.

use crate::form::general::span::Span;

/// A cost in fractions of a token. Gains are sums of costs and may be negative.
pub(super) type Cost = i64;

/// The cost of one token.
pub(super) const TOKEN: Cost = 64;

/// The costs of all parts of a text.
pub(super) struct Costs {
    /// For each byte, the cost of the text in front of it.
    before: Vec<u32>,
}

impl Costs {
    pub(super) fn of(text: &str) -> Self {
        let bytes = text.as_bytes();
        let mut before = Vec::with_capacity(bytes.len() + 1);
        let (mut at, mut sum) = (0, 0u32);
        before.push(0);
        while at < bytes.len() {
            let (end, cost) = piece(bytes, at);
            let length = (end - at) as u32;
            let step = cost / length;
            before.extend((1..length).map(|n| sum + step * n));
            sum += cost;
            before.push(sum);
            at = end;
        }
        Self { before }
    }

    pub(super) fn cost(&self, span: Span) -> Cost {
        Cost::from(self.before[span.to()]) - Cost::from(self.before[span.from()])
    }

    /// The cost of a line, including its line end.
    pub(super) fn line(&self, span: Span) -> Cost {
        let end = (span.to() + 1).min(self.before.len() - 1);
        Cost::from(self.before[end]) - Cost::from(self.before[span.from()])
    }
}

/// Estimates the cost of a text that is not part of the source.
pub(super) fn estimate(text: &str) -> Cost {
    let bytes = text.as_bytes();
    let (mut at, mut sum) = (0, 0);
    while at < bytes.len() {
        let (end, cost) = piece(bytes, at);
        sum += Cost::from(cost);
        at = end;
    }
    sum
}

/// The cost of one token, in the type of the prefix sums.
const ONE: u32 = TOKEN as u32;

/// The end and the cost of the piece that starts at `at`. Pieces are split as tokenizers split text.
fn piece(bytes: &[u8], at: usize) -> (usize, u32) {
    let first = bytes[at];
    let next = bytes.get(at + 1).copied().unwrap_or(0);
    match first {
        b'0'..=b'9' => (run(bytes, at, at + 3, |byte| byte.is_ascii_digit()), ONE),
        _ if is_letter(first) => word(bytes, at),
        b'\n' | b'\r' => (run(bytes, at, usize::MAX, |byte| matches!(byte, b'\n' | b'\r')), ONE),
        _ if is_letter(next) => word(bytes, at + 1),
        b' ' | b'\t' if !next.is_ascii_punctuation() => blanks(bytes, at),
        _ => marks(bytes, at),
    }
}

/// A piece of white space. The last blank belongs to the piece after it.
fn blanks(bytes: &[u8], at: usize) -> (usize, u32) {
    let end = run(bytes, at, usize::MAX, |byte| matches!(byte, b' ' | b'\t'));
    let is_followed = bytes.get(end).is_some_and(|byte| !matches!(byte, b'\n' | b'\r'));
    if is_followed && end > at + 1 { (end - 1, ONE) } else { (end, ONE) }
}

fn marks(bytes: &[u8], at: usize) -> (usize, u32) {
    let end = run(bytes, at + 1, usize::MAX, |byte| byte.is_ascii_punctuation());
    let length = (end - at) as u32;
    let same = bytes[at + 1..end].windows(2).all(|pair| pair[0] == pair[1]);
    let end = run(bytes, end, usize::MAX, |byte| matches!(byte, b'\n' | b'\r'));
    let cost = if same { ONE + length * ONE / 32 } else { length.saturating_sub(3) * ONE / 2 + ONE };
    (end, cost)
}

/// A piece of capital letters followed by lower-case letters, or of characters outside ASCII.
fn word(bytes: &[u8], at: usize) -> (usize, u32) {
    if !bytes[at].is_ascii() {
        let end = run(bytes, at, usize::MAX, |byte| !byte.is_ascii());
        return (end, (end - at) as u32 * ONE * 2 / 5);
    }
    let capitals = run(bytes, at, usize::MAX, |byte| byte.is_ascii_uppercase());
    let end = run(bytes, capitals, usize::MAX, |byte| byte.is_ascii_lowercase());
    let (high, low) = ((capitals - at) as u32, (end - capitals) as u32);
    let cost = match (high, low) {
        (2.., 0) => ONE * high.div_ceil(3),
        _ => WORD_COSTS
            .get((high + low) as usize)
            .map_or_else(|| WORD_COSTS[12] + (high + low - 12) * 14, |cost| *cost),
    };
    (end, cost)
}

/// The cost of a word, indexed by its number of letters.
const WORD_COSTS: [u32; 13] = [64, 64, 66, 68, 68, 70, 72, 76, 84, 92, 102, 114, 126];

fn is_letter(byte: u8) -> bool {
    byte.is_ascii_alphabetic() || !byte.is_ascii()
}

fn run(bytes: &[u8], at: usize, most: usize, is_one: impl Fn(u8) -> bool) -> usize {
    let limit = bytes.len().min(most);
    (at..limit).find(|place| !is_one(bytes[*place])).unwrap_or(limit.max(at))
}
