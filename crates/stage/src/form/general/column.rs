//! Splits the cells at one position of similar lines into a common prefix, a common suffix and the columns between
//! them. Cuts between words, as a reader would, and never inside a number.

use crate::form::general::field::{self, FieldSplit};
use crate::form::general::part::Part;
use crate::form::general::span::Span;

/// The maximum depth of columns within columns.
const MAX_DEPTH: usize = 4;

/// Splits cells into parts and appends these to `parts`.
pub(super) fn refine(text: &str, cells: Vec<Span>, parts: &mut Vec<Part>) {
    refine_within(text, cells, parts, MAX_DEPTH);
}

fn refine_within(text: &str, mut cells: Vec<Span>, parts: &mut Vec<Part>, depth: usize) {
    let first = cells[0];
    if is_same(text, &cells) {
        return put_same(parts, first);
    }
    let before = common_prefix(text, &cells);
    put_same(parts, Span::new(first.from(), first.from() + before));
    trim(&mut cells, before, 0);
    let after = common_suffix(text, &cells);
    trim(&mut cells, 0, after);
    let split = if depth > 0 { field::split(text, &cells) } else { None };
    match split {
        Some(split) => put_split(text, split, parts, depth),
        None => put_cells(text, cells, parts),
    }
    put_same(parts, Span::new(first.to() - after, first.to()));
}

fn put_split(text: &str, split: FieldSplit, parts: &mut Vec<Part>, depth: usize) {
    for part in split.parts {
        match part {
            Part::Same(span) => put_same(parts, span),
            Part::Cells(cells, None) => refine_within(text, cells, parts, depth - 1),
            Part::Cells(cells, pad) if is_same(text, &cells) => parts.push(Part::Cells(cells, pad)),
            padded @ Part::Cells(..) => parts.push(padded),
        }
    }
}

/// Appends common text, and merges it with common text directly in front of it.
pub(super) fn put_same(parts: &mut Vec<Part>, span: Span) {
    match parts.last_mut() {
        _ if span.is_empty() => {}
        Some(Part::Same(last)) if last.end == span.start => last.end = span.end,
        _ => parts.push(Part::Same(span)),
    }
}

/// Appends cells, and merges them with cells directly in front of them.
fn put_cells(text: &str, cells: Vec<Span>, parts: &mut Vec<Part>) {
    match parts.last_mut() {
        Some(Part::Cells(last, None)) if last.iter().zip(&cells).all(|(one, two)| one.end == two.start) => {
            last.iter_mut().zip(cells).for_each(|(one, two)| one.end = two.end);
        }
        _ => {
            let pad = field::padded_part(text, &cells);
            parts.push(pad.unwrap_or(Part::Cells(cells, None)));
        }
    }
}

fn trim(cells: &mut [Span], first: usize, last: usize) {
    if first + last > 0 {
        for cell in cells {
            *cell = cell.trim(first, last);
        }
    }
}

pub(super) fn is_same(text: &str, cells: &[Span]) -> bool {
    let first = cells[0].bytes(text);
    cells.iter().all(|cell| cell.bytes(text) == first)
}

/// The length in bytes of the longest common prefix after which all cells may be cut.
fn common_prefix(text: &str, cells: &[Span]) -> usize {
    let first = cells[0].bytes(text);
    let mut same = first.len();
    for cell in cells {
        let cell = cell.bytes(text);
        if !cell.starts_with(&first[..same]) {
            same = first[..same].iter().zip(cell).take_while(|(one, two)| one == two).count();
        }
        if same == 0 {
            return 0;
        }
    }
    let follows = |same: usize| cells.iter().filter_map(move |cell| cell.bytes(text).get(same).copied());
    while same > 0 && !follows(same).all(|next| may_cut(first, same, next)) {
        same -= 1;
    }
    same
}

/// True when a cell may be cut at `at`; `next` is the byte there.
fn may_cut(bytes: &[u8], at: usize, next: u8) -> bool {
    let last = bytes[at - 1];
    if is_wordy(last) && is_wordy(next) {
        return false;
    }
    let digit = |back: usize| at.checked_sub(back).is_some_and(|at| bytes[at].is_ascii_digit());
    let in_number = next.is_ascii_digit() && (matches!(last, b'.' | b',') && (digit(2) || at == 1));
    let signed = next.is_ascii_digit() && matches!(last, b'-' | b'+') && (at < 2 || !is_wordy(bytes[at - 2]));
    let before_point = last.is_ascii_digit() && matches!(next, b'.' | b',');
    let escaped = last == b'\\' && (at < 2 || bytes[at - 2] != b'\\');
    !in_number && !signed && !before_point && !escaped
}

/// The length in bytes of the longest common suffix before which all cells may be cut.
fn common_suffix(text: &str, cells: &[Span]) -> usize {
    let first = cells[0].bytes(text);
    let mut same = first.len();
    for cell in cells {
        let cell = cell.bytes(text);
        if !cell.ends_with(&first[first.len() - same..]) {
            let pairs = first.iter().rev().take(same).zip(cell.iter().rev());
            same = pairs.take_while(|(one, two)| one == two).count();
        }
        if same == 0 {
            return 0;
        }
    }
    while same > 0 && !cells.iter().all(|cell| may_end(cell.bytes(text), same)) {
        same -= 1;
    }
    same
}

/// True when a cell may be cut in front of its last `after` bytes.
fn may_end(bytes: &[u8], after: usize) -> bool {
    let at = bytes.len() - after;
    let (Some(last), next) = (at.checked_sub(1).map(|at| bytes[at]), bytes[at]) else { return true };
    let in_number = matches!(next, b'.' | b',')
        && last.is_ascii_digit()
        && bytes.get(at + 1).is_some_and(u8::is_ascii_digit);
    let in_word = is_wordy(last) && is_wordy(next);
    let signs = is_digit_mark(last) && next.is_ascii_digit();
    !(in_number || last == b'\\' || in_word || signs)
}

fn is_digit_mark(byte: u8) -> bool {
    matches!(byte, b'.' | b',' | b'-' | b'+')
}

/// True for bytes of words and names.
pub(super) fn is_wordy(byte: u8) -> bool {
    WORDY[usize::from(byte)]
}

/// For each byte, whether it is part of words and names.
static WORDY: [bool; 256] = {
    let mut wordy = [true; 256];
    let mut byte = 0_u8;
    while byte < 128 {
        wordy[byte as usize] = byte.is_ascii_alphanumeric() || byte == b'_';
        byte += 1;
    }
    wordy
};

#[cfg(test)]
mod tests {
    use tersely_testing::generate::Choices;

    use super::*;

    /// Cells over few characters, one per line of the text.
    fn cells(seed: &mut u64) -> (String, Vec<Span>) {
        const PIECES: [&str; 22] = [
            "a", "ab", "7", "42", ".", ",", "-", "+", " ", "  ", "_", "\\", "\"", "[", "]", "(", ")", "|",
            ";", "\t", "é", "日",
        ];
        let (mut text, mut cells) = (String::new(), Vec::new());
        let piece = |seed: &mut u64| PIECES[seed.pick(PIECES.len())];
        let (start, end, middle) = (piece(seed), piece(seed), piece(seed));
        for _ in 0..=seed.pick(4) {
            let from = text.len();
            text.push_str(start);
            for _ in 0..seed.pick(6) {
                let next = if seed.pick(3) == 0 { piece(seed) } else { middle };
                text.push_str(next);
            }
            text.push_str(end);
            cells.push(Span::new(from, text.len()));
            text.push('\n');
        }
        (text, cells)
    }

    #[test]
    fn a_common_end_is_the_longest_that_all_cells_share_and_may_be_cut_at() {
        for seed in 0..8000_u64 {
            let (text, cells) = cells(&mut { seed });
            let all: Vec<&[u8]> = cells.iter().map(|cell| cell.bytes(&text)).collect();
            let shortest = all.iter().map(|cell| cell.len()).min().unwrap_or(0);
            let begins = |same: &usize| {
                let may = |cell: &&[u8]| cell.get(*same).is_none_or(|next| may_cut(all[0], *same, *next));
                *same == 0 || all.iter().all(|cell| cell.starts_with(&all[0][..*same]) && may(cell))
            };
            assert_eq!(Some(common_prefix(&text, &cells)), (0..=shortest).rfind(begins), "{text:?}");
            let ends = |same: &usize| {
                let tail = &all[0][all[0].len() - same..];
                *same == 0 || all.iter().all(|cell| cell.ends_with(tail) && may_end(cell, *same))
            };
            assert_eq!(Some(common_suffix(&text, &cells)), (0..=shortest).rfind(ends), "{text:?}");
        }
    }

    /// The parts of a row, joined.
    fn join(text: &str, parts: &[Part], row: usize) -> String {
        let part = |part: &Part| match part {
            Part::Same(span) => span.of(text).to_owned(),
            Part::Cells(cells, None) => cells[row].of(text).to_owned(),
            Part::Cells(cells, Some(pad)) if pad.is_right => {
                format!("{:>1$}", cells[row].of(text), pad.width)
            }
            Part::Cells(cells, Some(pad)) => format!("{:<1$}", cells[row].of(text), pad.width),
        };
        parts.iter().map(part).collect()
    }

    /// Whatever columns are found, a row is what its parts say.
    #[test]
    fn the_parts_of_a_row_are_the_row() {
        for seed in 0..8000_u64 {
            let (text, cells) = cells(&mut { seed });
            let mut parts = Vec::new();
            refine(&text, cells.clone(), &mut parts);
            for (row, cell) in cells.iter().enumerate() {
                assert_eq!(join(&text, &parts, row), cell.of(&text), "row {row} of {text:?}: {parts:?}");
            }
        }
    }

    #[test]
    fn words_are_letters_digits_and_all_that_is_not_ascii() {
        for byte in 0..=u8::MAX {
            let expected = byte.is_ascii_alphanumeric() || byte == b'_' || !byte.is_ascii();
            assert_eq!(is_wordy(byte), expected, "{byte}");
        }
    }
}
