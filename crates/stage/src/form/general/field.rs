//! Finds columns in cells: fields between separators, or words aligned with blanks.

use crate::form::general::part::{Pad, Part};
use crate::form::general::span::Span;

/// Cells split into fields and the text between the fields.
pub(super) struct FieldSplit {
    pub(super) parts: Vec<Part>,
}

/// The separators between fields.
const SEPARATORS: [u8; 5] = [b'\t', b'|', b',', b';', b' '];

/// The maximum number of fields; more columns are hard to read.
const MAX_FIELDS: usize = 40;

/// Splits cells into columns, if all cells have the same number of fields.
pub(super) fn split(text: &str, cells: &[Span]) -> Option<FieldSplit> {
    let first = cells[0].of(text);
    SEPARATORS
        .into_iter()
        .filter(|separator| first.as_bytes().contains(separator))
        .find_map(|separator| {
            if separator == b' ' && first.contains("  ") {
                return spread(text, cells);
            }
            even(text, cells, separator, false).or_else(|| even(text, cells, separator, true))
        })
        .or_else(|| lead(text, cells))
}

/// The maximum number of fields split off the beginning of cells.
const MAX_LEAD_FIELDS: usize = 3;

/// Splits times and numbers off the beginning of cells whose remaining text has no columns.
fn lead(text: &str, cells: &[Span]) -> Option<FieldSplit> {
    let mut parts = Vec::new();
    let mut rest = cells.to_vec();
    for _ in 0..MAX_LEAD_FIELDS {
        let field = |cell: &Span| {
            let length = cell.bytes(text).iter().position(|byte| *byte == b' ')?;
            let field = Span::new(cell.from(), cell.from() + length);
            field.bytes(text).iter().any(u8::is_ascii_digit).then_some(field)
        };
        let Some(fields) = rest.iter().map(field).collect::<Option<Vec<Span>>>() else { break };
        rest.iter_mut().zip(&fields).for_each(|(rest, field)| rest.start = field.end + 1);
        let end = fields[0].to();
        parts.push(Part::Cells(fields, None));
        parts.push(Part::Same(Span::new(end, end + 1)));
    }
    if parts.is_empty() {
        return None;
    }
    parts.push(Part::Cells(rest, None));
    Some(FieldSplit { parts })
}

/// Splits cells at every `separator`; `None` if the cells have different numbers of fields.
fn even(text: &str, cells: &[Span], separator: u8, is_nested: bool) -> Option<FieldSplit> {
    let width = |cell: Span| {
        let mut width = 1;
        each_separator(text, cell, (separator, is_nested), |_| width += 1);
        width
    };
    let others = [cells[cells.len() / 2], cells[cells.len() - 1]].map(width);
    let width = width(cells[0]);
    // Most cells that differ do so here, before there is room for columns.
    if !(2..=MAX_FIELDS).contains(&width) || others != [width; 2] {
        return None;
    }
    let mut columns: Vec<_> = (0..width).map(|_| Vec::with_capacity(cells.len())).collect();
    for cell in cells {
        let (mut column, mut start) = (0, cell.from());
        each_separator(text, *cell, (separator, is_nested), |at| {
            if column < width {
                columns[column].push(Span::new(start, at));
            }
            column += 1;
            start = at + 1;
        });
        if column + 1 != width {
            return None;
        }
        columns[column].push(Span::new(start, cell.to()));
    }
    let mut parts = Vec::with_capacity(width * 2);
    for column in columns {
        if let Some(Part::Cells(last, _)) = parts.last() {
            let end: Span = last[0];
            parts.push(Part::Same(Span::new(end.to(), end.to() + 1)));
        }
        parts.push(Part::Cells(column, None));
    }
    Some(FieldSplit { parts })
}

/// The number of separators that are counted in each line, likeliest first.
pub(super) const COUNTED_SEPARATORS: usize = 4;

/// The number of occurrences of each separator in a line, up to a maximum. Separators in quotes or brackets do not
/// count.
pub(super) fn counts(text: &str, line: Span) -> [u8; COUNTED_SEPARATORS] {
    let bytes = &text.as_bytes()[..line.to()];
    let (mut counts, mut nesting) = ([0; COUNTED_SEPARATORS], Nesting::new(bytes));
    let mut at = line.from();
    while at < bytes.len() {
        let place = match bytes[at] {
            b'\t' => 0,
            b'|' => 1,
            b',' => 2,
            b' ' => 3,
            b'"' | b'[' | b'(' | b'{' => {
                at = nesting.closing_position(at).unwrap_or(at) + 1;
                continue;
            }
            _ => {
                at += 1;
                continue;
            }
        };
        counts[place] += 1;
        if usize::from(counts[place]) == MAX_FIELDS {
            break;
        }
        at += 1;
    }
    counts
}

/// Calls `take` with the position of each separator, up to a maximum. If `is_nested`, skips quotes and brackets.
fn each_separator(text: &str, cell: Span, (separator, is_nested): (u8, bool), mut take: impl FnMut(usize)) {
    let bytes = &text.as_bytes()[..cell.to()];
    let (mut at, mut count, mut nesting) = (cell.from(), 0, Nesting::new(bytes));
    while at < cell.to() && count <= MAX_FIELDS {
        let byte = bytes[at];
        if byte == separator {
            take(at);
            count += 1;
        } else if is_nested && let Some(end) = nesting.closing_position(at) {
            at = end;
        }
        at += 1;
    }
}

/// The maximum number of bytes searched for a closing bracket or quote.
const MAX_NESTED_BYTES: usize = 2000;

/// The quotes and brackets that close, with those that open.
const PAIRS: [(u8, u8); 4] = [(b'"', b'"'), (b'[', b']'), (b'(', b')'), (b'{', b'}')];

/// Searches for closing brackets and quotes, from left to right.
struct Nesting<'a> {
    bytes: &'a [u8],
    /// For each pair, the position where the last search in vain stopped. All that opens before it is escaped, so the
    /// next search goes on there.
    vain: [usize; PAIRS.len()],
}

impl<'a> Nesting<'a> {
    fn new(bytes: &'a [u8]) -> Self {
        Self { bytes, vain: [0; PAIRS.len()] }
    }

    /// The position of the bracket or quote that closes the one at `at`. Brackets within brackets are ignored.
    fn closing_position(&mut self, at: usize) -> Option<usize> {
        let bytes = self.bytes;
        let pair = PAIRS.iter().position(|(open, _)| *open == bytes[at])?;
        let (open, close) = PAIRS[pair];
        let limit = bytes.len().min(at + MAX_NESTED_BYTES);
        let mut end = self.vain[pair].max(at + 1);
        while end < limit && bytes[end] != close {
            if bytes[end] == b'\\' {
                end += 1;
            } else if bytes[end] == open {
                return None;
            }
            end += 1;
        }
        if end < limit {
            return Some(end);
        }
        self.vain[pair] = end;
        None
    }
}

/// Splits cells into words that blanks align in columns.
fn spread(text: &str, cells: &[Span]) -> Option<FieldSplit> {
    let width = words(text, cells[0]).len();
    if !(2..=MAX_FIELDS).contains(&width) {
        return None;
    }
    let row = |cell: &Span| Some(words(text, *cell)).filter(|row| row.len() == width);
    let rows: Vec<Vec<Span>> = cells.iter().map(row).collect::<Option<_>>()?;
    let mut parts = Vec::new();
    // For each row, the position where the blanks in front of the next column begin.
    let mut from: Vec<usize> = cells.iter().map(|cell| cell.from()).collect();
    for column in 0..width {
        let next: Vec<usize> = if column + 1 < width {
            rows.iter().map(|row| row[column + 1].from()).collect()
        } else {
            cells.iter().map(|cell| cell.to()).collect()
        };
        let words: Vec<Span> = rows.iter().map(|row| row[column]).collect();
        put_spread(text, words, &mut from, &next, &mut parts)?;
    }
    let first = Span::new(from[0], cells[0].to());
    let is_even = cells.iter().zip(&from).all(|(cell, from)| cell.to() - from == first.len());
    parts.push(Part::Same(first));
    is_even.then_some(FieldSplit { parts })
}

/// Appends one column of aligned words. `from` is where the blanks in front of the column begin; it is moved past the
/// column.
fn put_spread(
    text: &str,
    words: Vec<Span>,
    from: &mut [usize],
    next: &[usize],
    parts: &mut Vec<Part>,
) -> Option<()> {
    let lead = words.iter().zip(&*from).map(|(word, from)| word.from() - from).min()?;
    let is_even = words.iter().zip(&*from).all(|(word, from)| word.from() - from == lead);
    parts.push(Part::Same(Span::new(from[0], from[0] + lead)));
    let room = |at: usize, word: &Span| word.to() - at - lead;
    if !is_even {
        let width = room(from[0], &words[0]);
        if !words.iter().zip(&*from).all(|(word, from)| room(*from, word) == width && is_plain(text, *word)) {
            return None;
        }
        from.iter_mut().zip(&words).for_each(|(from, word)| *from = word.to());
        parts.push(Part::Cells(words, Some(Pad { is_right: true, width })));
        return Some(());
    }
    let gap = words.iter().zip(next).map(|(word, next)| next - word.to()).min()?;
    let is_same_gap = words.iter().zip(next).all(|(word, next)| next - word.to() == gap);
    let width = words.iter().zip(next).map(|(word, next)| next - word.from() - gap).max()?;
    let fills = |(word, next): (&Span, &usize)| {
        next - word.from() - gap == width.max(word.len()) && is_plain(text, *word)
    };
    if !is_same_gap && words.iter().zip(next).all(fills) {
        from.iter_mut().zip(next).for_each(|(from, next)| *from = next - gap);
        parts.push(Part::Cells(words, Some(Pad { is_right: false, width })));
        return Some(());
    }
    from.iter_mut().zip(&words).for_each(|(from, word)| *from = word.to());
    parts.push(Part::Cells(words, None));
    Some(())
}

/// The words of a cell, which blanks separate.
fn words(text: &str, cell: Span) -> Vec<Span> {
    let bytes = text.as_bytes();
    let (mut found, mut at) = (Vec::new(), cell.from());
    while at < cell.to() {
        let end = (at..cell.to()).find(|at| bytes[*at] == b' ').unwrap_or(cell.to());
        if end > at {
            found.push(Span::new(at, end));
        }
        at = end + 1;
        if found.len() > MAX_FIELDS {
            break;
        }
    }
    found
}

/// Cells of equal width that are padded with blanks on one side, as a part.
pub(super) fn padded_part(text: &str, cells: &[Span]) -> Option<Part> {
    let width = cells[0].len();
    let is_one = |cell: &Span| cell.len() == width && is_plain(text, *cell);
    if !cells.iter().all(is_one) {
        return None;
    }
    let ends_blank = |cell: &Span| cell.bytes(text).last() == Some(&b' ');
    let starts_blank = |cell: &Span| cell.bytes(text).first() == Some(&b' ');
    let is_right = cells.iter().any(starts_blank);
    if is_right == cells.iter().any(ends_blank) {
        return None;
    }
    let bare = |cell: &Span| {
        let word = cell.of(text).trim_matches(' ');
        let start = cell.from() + if is_right { cell.len() - word.len() } else { 0 };
        Span::new(start, start + word.len())
    };
    let cells: Vec<Span> = cells.iter().map(bare).collect();
    cells.iter().all(|cell| !cell.is_empty()).then_some(Part::Cells(cells, Some(Pad { is_right, width })))
}

/// True when every byte of the cell is one character.
fn is_plain(text: &str, cell: Span) -> bool {
    cell.bytes(text).is_ascii()
}

#[cfg(test)]
mod tests {
    use std::time::Duration;

    use tersely_testing::generate::Choices;
    use tersely_testing::pace::thread_time;

    use super::*;

    /// Blanks out what is in quotes or brackets, then counts.
    fn naive(line: &str) -> [u8; COUNTED_SEPARATORS] {
        let (bytes, mut at, mut plain) = (line.as_bytes(), 0, Vec::new());
        while at < bytes.len() {
            match Nesting::new(bytes).closing_position(at) {
                Some(end) => at = end,
                None => plain.push(bytes[at]),
            }
            at += 1;
        }
        b"\t|, ".map(|sign| memchr::memchr_iter(sign, &plain).count() as u8)
    }

    /// Where the window of a search ends, the next search goes on, and finds what a new one would.
    #[test]
    fn a_search_goes_on_where_one_in_vain_stopped() {
        for seed in 0..60_u64 {
            let seed = &mut { seed };
            let pieces = ["\\\"", "\\[", "\\(", "\\", "aaaaaaa"];
            let mut line: String = (0..3000).map(|_| pieces[seed.pick(pieces.len())]).collect();
            for sign in ["\"", "[", "]", ")", ",", " "].repeat(seed.pick(3)) {
                line.insert_str(seed.pick(line.len()), sign);
            }
            assert_eq!(counts(&line, Span::new(0, line.len())), naive(&line), "{line:?}");
        }
    }

    #[test]
    fn quotes_that_never_close_are_looked_at_once() {
        let line = "\\\"".repeat(1 << 20);
        let begun = thread_time();
        counts(&line, Span::new(0, line.len()));
        let took = thread_time().saturating_sub(begun);
        assert!(took < Duration::from_millis(500), "{took:?} for two megabytes");
    }

    #[test]
    fn separators_are_counted_outside_of_quotes_and_brackets() {
        for seed in 0..6000_u64 {
            let seed = &mut { seed };
            let pieces = ["a", ",", " ", "|", "\t", "\"", "\\", "[", "]", "(", ")", "{", "}", "é"];
            let line: String = (0..seed.pick(30)).map(|_| pieces[seed.pick(pieces.len())]).collect();
            let text = format!("before, {line}\nbehind, ");
            let span = Span::new(8, 8 + line.len());
            assert_eq!(counts(&text, span), naive(&line), "{line:?}");
        }
        let many = " ".repeat(300);
        assert_eq!(
            usize::from(counts(&many, Span::new(0, 300))[3]),
            MAX_FIELDS,
            "no more than can be columns"
        );
        for (line, expected) in [("a,(b,c),d", 2), ("a,\"b,\\\",c\",d", 2), ("a,[b,c", 2), ("((a,b),c)", 1)] {
            assert_eq!(counts(line, Span::new(0, line.len()))[2], expected, "{line}");
        }
    }
}
