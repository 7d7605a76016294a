//! Splits a text into the pieces that the vocabulary's own rules make of it, without its pattern where that is plain.
//!
//! Nearly all of a tool result is ASCII, where the rules are few: letters with one character before them and
//! `'s` behind, numbers of up to three digits, marks with line ends behind, blanks. Where another character comes
//! into play, the vocabulary's pattern splits on to the next place where a piece is sure to begin.

use bpe_openai::Tokenizer;

/// The pieces of `text`.
pub(super) fn pieces<'t>(text: &'t str, tokenizer: &'t Tokenizer) -> impl Iterator<Item = &'t str> {
    let mut at = 0;
    let mut wide: Option<(Box<dyn Iterator<Item = &'t str> + 't>, usize)> = None;
    std::iter::from_fn(move || {
        if let Some((pieces, end)) = &mut wide {
            if let Some(piece) = pieces.next() {
                return Some(piece);
            }
            at = *end;
            wide = None;
        }
        if at == text.len() {
            return None;
        }
        if let Some(end) = plain(text.as_bytes(), at) {
            let piece = &text[at..end];
            at = end;
            return Some(piece);
        }
        let end = boundary(text.as_bytes(), at);
        let mut pieces = tokenizer.split(&text[at..end]);
        let first = pieces.next();
        wide = Some((Box::new(pieces), end));
        first
    })
}

/// Where the piece that begins at `at` ends, if nothing but ASCII decides it.
fn plain(bytes: &[u8], at: usize) -> Option<usize> {
    let first = bytes[at];
    let end = if first.is_ascii_digit() {
        number(bytes, at)
    } else {
        let word = word(bytes, at + usize::from(!first.is_ascii_alphabetic()));
        match word {
            Some(end) if first != b'\r' && first != b'\n' => end,
            _ => marks(bytes, at).unwrap_or_else(|| blanks(bytes, at)),
        }
    };
    // What was looked at, to the byte that ended it and two more of a `'re`.
    let seen = bytes.len().min(end + 3);
    let reach = if first.is_ascii_whitespace() || first == 0x0B {
        seen.max(run(bytes, at, |byte| is_blank(*byte)) + 1)
    } else {
        seen
    };
    bytes[at..reach.min(bytes.len())].is_ascii().then_some(end)
}

/// Up to three digits.
fn number(bytes: &[u8], at: usize) -> usize {
    // No further: a row of digits is looked at once for each of its pieces.
    run(&bytes[..bytes.len().min(at + 3)], at, u8::is_ascii_digit)
}

/// Capitals, then small letters, and the end of `it's`.
fn word(bytes: &[u8], at: usize) -> Option<usize> {
    let capitals = run(bytes, at, u8::is_ascii_uppercase);
    let end = run(bytes, capitals, u8::is_ascii_lowercase);
    (end > at).then(|| end + contraction(&bytes[end..]))
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
    let end = run(bytes, start, |byte| !is_blank(*byte) && !byte.is_ascii_alphanumeric());
    (end > start).then(|| run(bytes, end, |byte| matches!(byte, b'\r' | b'\n' | b'/')))
}

/// Blanks to the last line end among them; else all but the last, which goes with what follows.
fn blanks(bytes: &[u8], at: usize) -> usize {
    let end = run(bytes, at, |byte| is_blank(*byte));
    let line = bytes[at..end].iter().rposition(|byte| matches!(byte, b'\r' | b'\n'));
    match line {
        Some(last) => at + last + 1,
        None if end == bytes.len() || end == at + 1 => end,
        None => end - 1,
    }
}

/// What the pattern takes for white space.
fn is_blank(byte: u8) -> bool {
    matches!(byte, b'\t'..=b'\r' | b' ')
}

/// Where a run of such bytes ends.
fn run(bytes: &[u8], at: usize, belongs: impl Fn(&u8) -> bool) -> usize {
    bytes[at.min(bytes.len())..]
        .iter()
        .position(|byte| !belongs(byte))
        .map_or(bytes.len(), |length| at + length)
}

/// The first place behind the next character that is not ASCII where a piece is sure to begin: no rule goes on from
/// a letter or digit to another ASCII character, but for the `'` of `it's`.
fn boundary(bytes: &[u8], at: usize) -> usize {
    let wide = run(bytes, at, u8::is_ascii);
    let sure = bytes[wide..].windows(2).position(|pair| is_sure(pair[0], pair[1]));
    sure.map_or(bytes.len(), |place| wide + place + 1)
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
        let ours: Vec<&str> = pieces(text, tokenizer).collect();
        let theirs: Vec<&str> = tokenizer.split(text).collect();
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
