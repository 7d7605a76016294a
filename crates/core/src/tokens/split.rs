//! Splits a text into the pieces that the vocabulary's own rules make of it, without its pattern where that is plain.
//!
//! Nearly all of a tool result is ASCII, where the rules are few: letters with one character before them and
//! `'s` behind, numbers of up to three digits, marks with line ends behind, blanks. Where another character comes
//! into play, the vocabulary's pattern splits on to the next place where a piece is sure to begin.

use std::ops::ControlFlow;

use crate::tokens::pattern;

/// Hands each piece of `text` to `take`, until that breaks.
pub(super) fn pieces<'t, B>(
    text: &'t str,
    mut take: impl FnMut(&'t [u8]) -> ControlFlow<B>,
) -> ControlFlow<B> {
    let bytes = text.as_bytes();
    let (mut at, mut odd) = (0, next_odd(bytes, 0));
    while at < bytes.len() {
        if let Some(end) = plain(bytes, at, odd) {
            take(&bytes[at..end])?;
            at = end;
            continue;
        }
        let end = boundary(bytes, odd);
        pattern::split(&text[at..end]).try_for_each(|piece| take(piece.as_bytes()))?;
        (at, odd) = (end, next_odd(bytes, end));
    }
    ControlFlow::Continue(())
}

/// Where the first byte from `at` on stands that is not ASCII; the end when there is none.
fn next_odd(bytes: &[u8], at: usize) -> usize {
    /// Few enough to be looked at one by one, many enough to be passed at once.
    const BLOCK: usize = 64;
    let rest = &bytes[at..];
    let block =
        rest.chunks(BLOCK).position(|block| !block.is_ascii()).map_or(rest.len(), |block| block * BLOCK);
    at + block + rest[block..].iter().take_while(|byte| byte.is_ascii()).count()
}

/// What a byte is to the rules; what is not ASCII is nothing.
const CAPITAL: u8 = 1;
const SMALL: u8 = 2;
const DIGIT: u8 = 4;
const BLANK: u8 = 8;
const LINE_END: u8 = 16;
const MARK: u8 = 32;
const SLASH: u8 = 64;

const CLASSES: [u8; 256] = {
    let mut classes = [0; 256];
    let mut byte = 0;
    while byte < 128 {
        classes[byte as usize] = match byte {
            b'A'..=b'Z' => CAPITAL,
            b'a'..=b'z' => SMALL,
            b'0'..=b'9' => DIGIT,
            b'\r' | b'\n' => BLANK | LINE_END,
            b'\t'..=b'\r' | b' ' => BLANK,
            b'/' => MARK | SLASH,
            _ => MARK,
        };
        byte += 1;
    }
    classes
};

/// The class of the byte at `at`; none behind the end.
fn class(bytes: &[u8], at: usize) -> u8 {
    bytes.get(at).map_or(0, |byte| CLASSES[usize::from(*byte)])
}

/// Where a run of bytes of these classes ends.
fn run(bytes: &[u8], mut at: usize, classes: u8) -> usize {
    while class(bytes, at) & classes != 0 {
        at += 1;
    }
    at
}

/// Where the piece that begins at `at` ends, if nothing but ASCII decides it; the first other byte is at `odd`.
#[inline]
fn plain(bytes: &[u8], at: usize, odd: usize) -> Option<usize> {
    let first = class(bytes, at);
    if first == 0 {
        return None;
    }
    let end = if first & DIGIT != 0 {
        number(bytes, at)
    } else if first & (CAPITAL | SMALL) != 0 {
        word(bytes, at)
    } else if first & LINE_END == 0 && class(bytes, at + 1) & (CAPITAL | SMALL) != 0 {
        word(bytes, at + 1)
    } else {
        marks(bytes, at).unwrap_or_else(|| blanks(bytes, at))
    };
    // What was looked at, to the byte that ended it and two more of a `'re`.
    let seen = bytes.len().min(end + 3);
    let sure = odd == bytes.len() || seen <= odd && (first & BLANK == 0 || run(bytes, at, BLANK) < odd);
    sure.then_some(end)
}

/// Up to three digits.
fn number(bytes: &[u8], at: usize) -> usize {
    // No further: a row of digits is looked at once for each of its pieces.
    run(&bytes[..bytes.len().min(at + 3)], at, DIGIT)
}

/// Capitals, then small letters, and the end of `it's`.
#[inline]
fn word(bytes: &[u8], at: usize) -> usize {
    let end = letters(bytes, at).unwrap_or_else(|| run(bytes, run(bytes, at, CAPITAL), SMALL));
    if bytes.get(end) == Some(&b'\'') { end + contraction(&bytes[end..]) } else { end }
}

/// Where a run of capitals and then small letters ends, all looked at at once; `None` where it is long or near the end.
#[inline]
fn letters(bytes: &[u8], at: usize) -> Option<usize> {
    let word = u128::from_le_bytes(*bytes.get(at..)?.first_chunk()?);
    let capitals = lane_run(word, b'A', b'Z');
    if capitals == LANES {
        return None;
    }
    let small = lane_run(word >> (capitals * u8::BITS), b'a', b'z');
    let length = capitals + small;
    // What is shifted in is no letter, so a run that reaches the end may go on behind it.
    (length < LANES).then_some(at + length as usize)
}

/// The bytes of a word, which are compared all at once.
const LANES: u32 = 16;

/// How many bytes from the lowest on are between two ASCII characters.
#[inline]
fn lane_run(word: u128, first: u8, last: u8) -> u32 {
    const ONES: u128 = u128::MAX / 255;
    const HIGH: u128 = ONES << 7;
    let low = word & !HIGH;
    // A sum has its highest bit where the byte is not less than what was taken from 128; no sum carries over.
    let from = low + ONES * u128::from(128 - first);
    let behind = low + ONES * u128::from(127 - last);
    let others = !(from & !behind & !word) & HIGH;
    others.trailing_zeros() / u8::BITS
}

/// The length of `'s`, `'t`, `'re`, `'ve`, `'m`, `'ll` or `'d`, in letters of any size.
fn contraction(rest: &[u8]) -> usize {
    let letter = |at: usize| rest.get(at).map_or(0, u8::to_ascii_lowercase);
    match (letter(0), letter(1), letter(2)) {
        (b'\'', b's' | b't' | b'm' | b'd', _) => 2,
        (b'\'', b'r' | b'v', b'e') | (b'\'', b'l', b'l') => 3,
        _ => 0,
    }
}

/// A space perhaps, then marks, then line ends and slashes.
fn marks(bytes: &[u8], at: usize) -> Option<usize> {
    let start = at + usize::from(bytes[at] == b' ');
    let end = run(bytes, start, MARK);
    (end > start).then(|| run(bytes, end, LINE_END | SLASH))
}

/// Blanks to the last line end among them; else all but the last, which goes with what follows.
fn blanks(bytes: &[u8], at: usize) -> usize {
    let end = run(bytes, at, BLANK);
    let line = bytes[at..end].iter().rposition(|byte| matches!(byte, b'\r' | b'\n'));
    match line {
        Some(last) => at + last + 1,
        None if end == bytes.len() || end == at + 1 => end,
        None => end - 1,
    }
}

/// The first place behind the character at `odd`, which is not ASCII, where a piece is sure to begin: no rule goes on
/// from a letter or digit to another ASCII character, but for the `'` of `it's`.
fn boundary(bytes: &[u8], odd: usize) -> usize {
    let sure = bytes[odd..].windows(2).position(|pair| is_sure(pair[0], pair[1]));
    sure.map_or(bytes.len(), |place| odd + place + 1)
}

/// True when a piece is sure to begin between these two bytes, whatever stands around them.
pub(super) const fn is_sure(last: u8, next: u8) -> bool {
    last.is_ascii_alphanumeric() && next.is_ascii() && !next.is_ascii_alphanumeric() && next != b'\''
}

#[cfg(test)]
mod tests {
    use super::*;

    fn check(text: &str) {
        let tokenizer = bpe_openai::o200k_base();
        let mut ours = Vec::new();
        let _ = pieces(text, |piece| {
            ours.push(piece);
            ControlFlow::<()>::Continue(())
        });
        let theirs: Vec<&[u8]> = tokenizer.split(text).map(str::as_bytes).collect();
        assert_eq!(ours, theirs, "{text:?}");
    }

    /// Every text of up to five of these parts, so that every two rules meet.
    #[test]
    fn pieces_are_those_of_the_pattern() {
        const PARTS: [&str; 21] = [
            "a", "B", "7", "'", "s", "LL", "re", " ", "\n", "\r", "\t", "/", "{", "\u{b}", "\0", "\u{1b}",
            "é", "日", "\u{a0}", "²", "\u{301}",
        ];
        let mut texts = vec![String::new()];
        for _ in 0..4 {
            let longer = texts.iter().flat_map(|text| PARTS.map(|part| format!("{text}{part}"))).collect();
            texts = longer;
            for text in &texts {
                check(text);
            }
        }
    }

    #[test]
    fn letters_at_once_are_letters_one_by_one() {
        for byte in 0..=255_u8 {
            for length in 0..LANES as usize {
                let mut bytes = [b'g'; 20];
                bytes[length] = byte;
                bytes[..length / 2].fill(b'G');
                let one_by_one = run(&bytes, run(&bytes, 0, CAPITAL), SMALL);
                let at_once = letters(&bytes, 0);
                assert_eq!(at_once.unwrap_or(one_by_one), one_by_one, "{byte} at {length}");
                assert_eq!(at_once.is_some(), one_by_one < LANES as usize, "{byte} at {length}");
            }
        }
        assert_eq!(letters(b"short", 0), None);
    }

    #[test]
    fn long_texts_split_alike() {
        let mut seed = 7u32;
        let words = [
            "it's ",
            "HTTPServer",
            "12345",
            "  \n",
            "\n\n  x",
            " //",
            "}\n/",
            "don'T",
            "é's",
            "日本 語",
            "ſ",
            "'ſ",
            "Kelvin",
            "K",
            " \u{2028} ",
            "é7",
            "7é",
            "a\u{301}b",
        ];
        for _ in 0..3000 {
            let text: String = (0..12)
                .map(|_| {
                    seed = seed.wrapping_mul(1_664_525).wrapping_add(1_013_904_223);
                    words[seed as usize / 7 % words.len()]
                })
                .collect();
            check(&text);
        }
    }
}
