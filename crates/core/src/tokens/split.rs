//! Splits a text into pieces by the vocabulary's rules, without its slow pattern where the text is ASCII.
//!
//! Nearly all of a tool result is ASCII, where the rules are few: letters with one character in front and `'s` after
//! them, numbers of up to three digits, signs with line ends after them, blanks. From a non-ASCII character on, the
//! vocabulary's pattern splits the text up to the next safe boundary, where a new piece always begins.

use std::ops::ControlFlow;

use crate::tokens::pattern;

/// Calls `take` with each piece of `text`, until `take` returns a break.
pub(super) fn pieces<'t, B>(
    text: &'t str,
    mut take: impl FnMut(&'t [u8]) -> ControlFlow<B>,
) -> ControlFlow<B> {
    let bytes = text.as_bytes();
    let (mut at, mut non_ascii) = (0, next_non_ascii(bytes, 0));
    while at < bytes.len() {
        if let Some(end) = ascii_piece(bytes, at, non_ascii) {
            take(&bytes[at..end])?;
            at = end;
            continue;
        }
        let end = boundary(bytes, non_ascii);
        pattern::split(&text[at..end]).try_for_each(|piece| take(piece.as_bytes()))?;
        (at, non_ascii) = (end, next_non_ascii(bytes, end));
    }
    ControlFlow::Continue(())
}

/// The offset of the first non-ASCII byte at or after `at`, or the end if there is none.
fn next_non_ascii(bytes: &[u8], at: usize) -> usize {
    /// The number of bytes that are skipped at once if all are ASCII.
    const BLOCK: usize = 64;
    let rest = &bytes[at..];
    let block =
        rest.chunks(BLOCK).position(|block| !block.is_ascii()).map_or(rest.len(), |block| block * BLOCK);
    at + block + rest[block..].iter().take_while(|byte| byte.is_ascii()).count()
}

/// Classes of bytes; non-ASCII bytes have no class.
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

/// The class of the byte at `at`, or no class after the end.
fn class(bytes: &[u8], at: usize) -> u8 {
    bytes.get(at).map_or(0, |byte| CLASSES[usize::from(*byte)])
}

/// The end of a run of bytes of these classes.
fn run(bytes: &[u8], mut at: usize, classes: u8) -> usize {
    while class(bytes, at) & classes != 0 {
        at += 1;
    }
    at
}

/// The end of the piece that begins at `at`, if only ASCII bytes determine that end; the first non-ASCII byte is at
/// `non_ascii`.
#[inline]
fn ascii_piece(bytes: &[u8], at: usize, non_ascii: usize) -> Option<usize> {
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
    // The end of the piece depends on bytes up to here: the byte after the piece, and two more for a contraction such
    // as `'re`.
    let seen = bytes.len().min(end + 3);
    let sure = non_ascii == bytes.len()
        || seen <= non_ascii && (first & BLANK == 0 || run(bytes, at, BLANK) < non_ascii);
    sure.then_some(end)
}

/// The end of a number of up to three digits.
fn number(bytes: &[u8], at: usize) -> usize {
    // Look only three bytes ahead, so that a long run of digits is not scanned again for each piece.
    run(&bytes[..bytes.len().min(at + 3)], at, DIGIT)
}

/// The end of a word: upper case, then lower case, then a contraction such as `'s`.
#[inline]
fn word(bytes: &[u8], at: usize) -> usize {
    let end = letters(bytes, at).unwrap_or_else(|| run(bytes, run(bytes, at, CAPITAL), SMALL));
    if bytes.get(end) == Some(&b'\'') { end + contraction(&bytes[end..]) } else { end }
}

/// The end of a run of upper and then lower case, found with one wide comparison; `None` if the run is long or near the
/// end of the text.
#[inline]
fn letters(bytes: &[u8], at: usize) -> Option<usize> {
    let word = u128::from_le_bytes(*bytes.get(at..)?.first_chunk()?);
    let capitals = lane_run(word, b'A', b'Z');
    if capitals == LANES {
        return None;
    }
    let small = lane_run(word >> (capitals * u8::BITS), b'a', b'z');
    let length = capitals + small;
    // Zeros are shifted in, so a run that fills the word may continue after it.
    (length < LANES).then_some(at + length as usize)
}

/// The number of bytes that are compared at once.
const LANES: u32 = 16;

/// The number of consecutive bytes, from the lowest one on, that are between `first` and `last`.
#[inline]
fn lane_run(word: u128, first: u8, last: u8) -> u32 {
    const ONES: u128 = u128::MAX / 255;
    const HIGH: u128 = ONES << 7;
    let low = word & !HIGH;
    // The high bit of each sum shows whether its byte is at least the bound; no sum carries into the next byte.
    let from = low + ONES * u128::from(128 - first);
    let beyond = low + ONES * u128::from(127 - last);
    let others = !(from & !beyond & !word) & HIGH;
    others.trailing_zeros() / u8::BITS
}

/// The length of `'s`, `'t`, `'re`, `'ve`, `'m`, `'ll` or `'d`, ignoring case.
fn contraction(rest: &[u8]) -> usize {
    let letter = |at: usize| rest.get(at).map_or(0, u8::to_ascii_lowercase);
    match (letter(0), letter(1), letter(2)) {
        (b'\'', b's' | b't' | b'm' | b'd', _) => 2,
        (b'\'', b'r' | b'v', b'e') | (b'\'', b'l', b'l') => 3,
        _ => 0,
    }
}

/// The end of a run of signs: an optional space, then signs, then line ends and slashes.
fn marks(bytes: &[u8], at: usize) -> Option<usize> {
    let start = at + usize::from(bytes[at] == b' ');
    let end = run(bytes, start, MARK);
    (end > start).then(|| run(bytes, end, LINE_END | SLASH))
}

/// The end of a run of blanks: after its last line end if there is one, else before its last blank, which belongs to
/// the next piece.
fn blanks(bytes: &[u8], at: usize) -> usize {
    let end = run(bytes, at, BLANK);
    let line = bytes[at..end].iter().rposition(|byte| matches!(byte, b'\r' | b'\n'));
    match line {
        Some(last) => at + last + 1,
        None if end == bytes.len() || end == at + 1 => end,
        None => end - 1,
    }
}

/// The first safe boundary after the character at `non_ascii`: no rule continues from a letter or digit to an ASCII
/// character of another kind, except for the `'` of `it's`.
fn boundary(bytes: &[u8], non_ascii: usize) -> usize {
    let sure = bytes[non_ascii..].windows(2).position(|pair| is_boundary(pair[0], pair[1]));
    sure.map_or(bytes.len(), |place| non_ascii + place + 1)
}

/// True when a new piece always begins between these two bytes, whatever is around them.
pub(super) const fn is_boundary(last: u8, next: u8) -> bool {
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

    /// Tests every text of up to five of these parts, so that every two rules meet.
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
