//! Finds columns whose cells follow from those of another: an address from the number of a customer.

use std::collections::HashMap;

/// Columns that one other decides.
#[derive(Debug, PartialEq, Eq)]
pub(crate) struct Join {
    /// The column that decides.
    pub(crate) key: usize,
    /// Those that follow, in their order.
    pub(crate) rest: Vec<usize>,
    /// The row that first shows each key.
    pub(crate) firsts: Vec<usize>,
}

/// Fewer rows than this do not need a table beside them.
const MIN_ROWS: usize = 8;
/// More columns are not compared with each other.
const MAX_COLUMNS: usize = 64;
/// What a table of its own must save, in bytes, and as a part of all cells.
const MIN_BYTES: usize = 200;
const PART: usize = 20;
/// What a single column must save to move.
const MIN_COLUMN: usize = 48;

/// The column that saves most where those that follow from it stand once for each of its cells; `fixed` ones stay.
pub(crate) fn find(fixed: &[usize], columns: &[Vec<&str>]) -> Option<Join> {
    let rows = columns.first()?.len();
    if rows < MIN_ROWS || columns.len() > MAX_COLUMNS {
        return None;
    }
    let columns: Vec<Ranked<'_>> = columns.iter().map(|cells| Ranked::of(cells)).collect();
    let all: usize = columns.iter().map(|column| column.cost).sum();
    let worth = MIN_BYTES.max(all / PART);
    let keys = (0..columns.len()).filter(|&key| columns[key].can_decide());
    let best = keys
        .filter_map(|key| saved(fixed, &columns, key))
        .max_by_key(|(saved, join)| (*saved, usize::MAX - join.key));
    best.filter(|(saved, _)| *saved >= worth).map(|(_, join)| join)
}

/// What the columns that follow from `key` save, and which they are.
fn saved(fixed: &[usize], columns: &[Ranked<'_>], key: usize) -> Option<(usize, Join)> {
    let decides = &columns[key];
    let mut saved = 0;
    let mut rest = Vec::new();
    let moves = |at: usize| at != key && columns[at].firsts.len() > 1 && !fixed.contains(&at);
    for (at, column) in columns.iter().enumerate().filter(|(at, _)| moves(*at)) {
        if !decides.decides(column) {
            continue;
        }
        let once: usize = decides.firsts.iter().map(|&row| column.cells[row].len() + 1).sum();
        let less = column.cost.saturating_sub(once);
        if less >= MIN_COLUMN {
            saved += less;
            rest.push(at);
        }
    }
    let keys: usize = decides.firsts.iter().map(|&row| decides.cells[row].len() + 1).sum();
    let join = Join { key, rest, firsts: decides.firsts.clone() };
    (!join.rest.is_empty()).then_some((saved.checked_sub(keys)?, join))
}

/// A column whose different cells were numbered.
struct Ranked<'a> {
    cells: &'a [&'a str],
    /// For each row, the number of its cell.
    ranks: Vec<usize>,
    /// For each number, the first row that shows it.
    firsts: Vec<usize>,
    /// Bytes that the cells take, the usual one aside.
    cost: usize,
}

impl<'a> Ranked<'a> {
    fn of(cells: &'a [&'a str]) -> Self {
        let mut known: HashMap<&str, usize> = HashMap::new();
        let (mut ranks, mut firsts, mut counts) = (Vec::with_capacity(cells.len()), Vec::new(), Vec::new());
        for (row, cell) in cells.iter().enumerate() {
            let rank = *known.entry(cell).or_insert(firsts.len());
            if rank == firsts.len() {
                firsts.push(row);
                counts.push(0_usize);
            }
            counts[rank] += 1;
            ranks.push(rank);
        }
        let usual = counts.iter().position(|count| count * 3 >= cells.len() * 2);
        let shown = cells.iter().zip(&ranks).filter(|(_, rank)| Some(**rank) != usual);
        let cost = cells.len() + shown.map(|(cell, _)| cell.len()).sum::<usize>();
        Self { cells, ranks, firsts, cost }
    }

    /// True when the cells come again often enough for a table of them.
    fn can_decide(&self) -> bool {
        (2..=self.cells.len() / 3).contains(&self.firsts.len())
    }

    /// True when rows with the same cell here have the same cell there.
    fn decides(&self, other: &Self) -> bool {
        self.ranks.iter().zip(&other.ranks).all(|(rank, there)| other.ranks[self.firsts[*rank]] == *there)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn columns<'a>(rows: &'a [[&'a str; 3]]) -> Vec<Vec<&'a str>> {
        (0..3).map(|at| rows.iter().map(|row| row[at]).collect()).collect()
    }

    #[test]
    fn what_follows_from_a_key_is_found() {
        let street = "12 Long Street of the Old Town, Building Four";
        let rows: Vec<[&str; 3]> =
            [["a", street, "1"], ["b", "9 Short Street of the New Town", "2"]].repeat(8);
        let numbers: Vec<String> = (0..16).map(|number| number.to_string()).collect();
        let rows: Vec<[&str; 3]> =
            rows.iter().zip(&numbers).map(|(row, number)| [row[0], row[1], number]).collect();
        assert_eq!(find(&[], &columns(&rows)), Some(Join { key: 0, rest: vec![1], firsts: vec![0, 1] }));
    }

    #[test]
    fn one_row_that_differs_is_enough_to_leave_it() {
        let street = "12 Long Street of the Old Town, Building Four";
        let mut rows: Vec<[&str; 3]> = [["a", street, "1"], ["b", "x", "2"]].repeat(8);
        rows[15][1] = "elsewhere";
        assert_eq!(find(&[], &columns(&rows)), None);
        assert_eq!(find(&[], &columns(&rows[..4])), None);
        assert_eq!(find(&[], &[]), None);
    }
}
