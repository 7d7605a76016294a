//! Counts the tokens of whole bodies exactly.
//!
//! A conversation sends nearly all of its body again with every request, and most of a body is sent as it came. Only
//! the parts that differ from a body that was counted before are counted.

use tersely_account::TokenChange;
use tersely_core::tokens::{O200k, common_start, differing_after, edited_ranges, parts};
use tersely_wire::Insertion;

use crate::parallel::each_text;
use crate::sent_body::BodyEdit;

/// The number of tokens in a body.
pub(crate) fn count(body: &[u8]) -> usize {
    count_all(&[body])
}

/// The number of tokens in a body, given a similar body and the number of its tokens.
pub(crate) fn count_since((old, tokens): (&[u8], usize), new: &[u8]) -> usize {
    count_after(common_start(old, new), (old, tokens), new)
}

/// The same, given the number of bytes at the start that both have in common.
pub(crate) fn count_after(same: usize, (old, tokens): (&[u8], usize), new: &[u8]) -> usize {
    if same == old.len() && same == new.len() {
        return tokens;
    }
    let (before, after) = differing_after(same, old, new);
    (tokens + count(&new[after])).saturating_sub(count(&old[before]))
}

/// The number of tokens in a body, and in the body with these edits.
pub(crate) fn count_edited(came: &[u8], edits: &[BodyEdit], sent: &[u8]) -> TokenChange {
    let lengths: Vec<_> = edits.iter().map(|(span, bytes)| (span.clone(), bytes.len())).collect();
    let affected = edited_ranges(came, &lengths);
    let mut from = 0;
    let mut same: Vec<&[u8]> = Vec::with_capacity(affected.len() + 1);
    for (old, _) in &affected {
        same.push(&came[from..old.start]);
        from = old.end;
    }
    same.push(&came[from..]);
    let same = count_all(&same);
    let old: Vec<_> = affected.iter().map(|(old, _)| &came[old.clone()]).collect();
    let new: Vec<_> = affected.iter().map(|(_, new)| &sent[new.clone()]).collect();
    TokenChange { before: same + count_all(&old), after: same + count_all(&new) }
}

/// The number of tokens that an insertion adds to a body.
pub(crate) fn inserted_tokens(body: &[u8], Insertion { at, bytes }: &Insertion) -> usize {
    let Some((old, _)) = edited_ranges(body, &[(*at..*at, bytes.len())]).pop() else { return 0 };
    let new = [&body[old.start..*at], bytes, &body[*at..old.end]].concat();
    count(&new).saturating_sub(count(&body[old]))
}

/// The number of tokens in all pieces together. No token spans the ends of a piece.
fn count_all(pieces: &[&[u8]]) -> usize {
    let texts: Vec<_> = pieces.iter().map(|piece| String::from_utf8_lossy(piece)).collect();
    let parts: Vec<&str> = texts.iter().flat_map(|text| parts(text)).collect();
    let counted = each_text(&parts, |part| O200k.count(part));
    parts.iter().zip(counted).map(|(part, cost)| cost.unwrap_or_else(|| O200k.count(part))).sum()
}

#[cfg(test)]
mod tests {
    use bytes::Bytes;

    use super::*;
    use tersely_testing::generate::Choices;
    use tersely_wire::patch;

    fn check(body: &[u8]) {
        assert_eq!(count(body), O200k.count(&String::from_utf8_lossy(body)));
    }

    fn line(n: usize) -> String {
        format!(r#"{{"role":"user","content":"step {n} is done, it's fine"}},"#)
    }

    #[test]
    fn a_body_costs_the_same_however_it_is_counted() {
        let (mut body, mut last) = (String::new(), (Vec::new(), 0));
        for n in 0..400 {
            body.push_str(&line(n));
            if n % 40 == 0 {
                check(body.as_bytes());
                let tokens = count_since((&last.0, last.1), body.as_bytes());
                assert_eq!(tokens, O200k.count(&body));
                last = (body.clone().into_bytes(), tokens);
            }
        }
        check(b"\xff\xfe{}");
        check(b"");
        assert_eq!(count_since((&last.0, last.1), &last.0), last.1);
    }

    #[test]
    fn edits_are_counted_in_both_bodies() {
        let came: String = (0..200).map(line).collect();
        let places: Vec<_> = came.match_indices("step").map(|(at, _)| at).collect();
        for every in [1, 7, 500] {
            let edits: Vec<BodyEdit> = places
                .iter()
                .step_by(every)
                .map(|at| (*at..at + 12, Bytes::from_static(b"12\"},")))
                .collect();
            let sent = patch(came.as_bytes(), &edits);
            let counted = count_edited(came.as_bytes(), &edits, &sent);
            let expected = TokenChange { before: O200k.count(&came), after: count(&sent) };
            assert_eq!(counted, expected, "{every}");
        }
        let insertion = Insertion { at: places[3], bytes: b"more of it, ".to_vec() };
        let with = insertion.apply(came.as_bytes());
        assert_eq!(count(came.as_bytes()) + inserted_tokens(came.as_bytes(), &insertion), count(&with));
    }

    /// Texts at whose ends tokens begin, end or go on, and parts of characters.
    const PIECES: [&[u8]; 20] = [
        b"it's",
        b"'s",
        b"'",
        b"12345",
        b"7",
        b" ",
        b"  ",
        b"\n\n",
        b"\r",
        b"HTTPServer",
        b"a",
        b"\"},{\"",
        b"\\u00e9",
        "é".as_bytes(),
        "日本".as_bytes(),
        "a\u{301}".as_bytes(),
        "👩‍🚀".as_bytes(),
        b"\xf0\x9f",
        b"\x80",
        b"\xff",
    ];

    fn text(seed: &mut u64, count: usize) -> Vec<u8> {
        (0..count).flat_map(|_| PIECES[seed.pick(PIECES.len())]).copied().collect()
    }

    fn whole(body: &[u8]) -> usize {
        O200k.count(&String::from_utf8_lossy(body))
    }

    /// Edits in order and apart, many of them inside of tokens and characters, some of them next to each other.
    fn random_edits(seed: &mut u64, length: usize) -> Vec<BodyEdit> {
        let (mut edits, mut from) = (Vec::new(), 0);
        while edits.len() < 5 && from <= length {
            let start = (from + [0, 1, 2, 9, 60][seed.pick(5)]).min(length);
            let end = (start + [0, 1, 3, 20][seed.pick(4)]).min(length);
            let count = seed.pick(3);
            edits.push((start..end, Bytes::from(text(seed, count))));
            from = end + usize::from(start == end);
        }
        edits
    }

    #[test]
    fn a_count_by_difference_is_the_count_of_the_whole() {
        for seed in 0..3000_u64 {
            let mut state = seed;
            let length = [0, 1, 3, 12, 80][state.pick(5)];
            let came = text(&mut state, length);
            let edits = random_edits(&mut state, came.len());
            let sent = patch(&came, &edits);
            let expected = TokenChange { before: whole(&came), after: whole(&sent) };
            assert_eq!(count_edited(&came, &edits, &sent), expected, "seed {seed}");
            assert_eq!(count_since((&came, expected.before), &sent), expected.after, "seed {seed}");
            assert_eq!(count_since((&sent, expected.after), &came), expected.before, "seed {seed}");
        }
    }

    #[test]
    fn an_insertion_adds_what_it_adds_to_the_count() {
        for seed in 0..1500_u64 {
            let mut state = seed;
            let body = text(&mut state, 30);
            let (at, count) = (state.pick(body.len() + 1), state.pick(4));
            let insertion = Insertion { at, bytes: text(&mut state, count) };
            // Two halves of a token can become one token, so the count may also fall.
            let added = whole(&insertion.apply(&body)).saturating_sub(whole(&body));
            assert_eq!(inserted_tokens(&body, &insertion), added, "seed {seed}");
        }
    }
}
