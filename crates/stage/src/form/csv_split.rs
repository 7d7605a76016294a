//! Comma- and tab-separated files whose columns follow from one another, which then have a table of their own, or begin
//! or end alike.

use std::borrow::Cow;
use std::collections::HashMap;
use std::fmt::Write as _;

use crate::form::csv::{CsvShape, Separated};
use crate::form::grid::{self, Grid};
use crate::form::join::{self, Join};
use crate::plan::{Loss, Mode, Reader};
use crate::room::Room;
use crate::stage::{Edit, Scene, Stage};

/// A text of separated values whose columns say the same many times.
pub(crate) struct CsvSplit;

/// Tables beside the rows, at most.
const MAX_TABLES: usize = 2;

/// What it must save of the rows in one piece, in percent.
const WORTH: usize = 3;

impl Stage for CsvSplit {
    fn name(&self) -> &'static str {
        "csv split"
    }

    fn mode(&self) -> Mode {
        Mode::Standard
    }

    fn reader(&self) -> Reader {
        Reader::Strong
    }

    fn apply(&self, _: Scene<'_>, text: &str) -> Option<Edit> {
        let Separated { mut grid, shape, tail } = Separated::read(text).filter(|read| read.shape.named)?;
        let whole = grid::write(Reader::Small, &grid)?;
        let (mut out, mut note, mut keys) = (String::new(), shape.note(), Vec::new());
        for _ in 0..MAX_TABLES {
            let Some((table, at)) = split(&keys, &mut grid) else { break };
            let (key, rest) = table.names.split_first()?;
            let _ = writeln!(out, "[rows with the same {key} have the same {}:]", rest.join(", "));
            out.push_str(&grid::write(Reader::Strong, &table)?);
            let at: Vec<String> = at.iter().map(usize::to_string).collect();
            let _ = write!(note, "; {} at {}", table.rows.len(), at.join(","));
            keys.push(key.clone());
        }
        if !out.is_empty() {
            out.extend([ROWS, "\n"]);
        }
        out.push_str(&grid::write(Reader::Strong, &grid)?);
        let worth = out.len() * 100 < whole.len() * (100 - WORTH);
        worth.then(|| Edit { text: out + tail, loss: Loss::None, note })
    }

    fn restore(&self, room: Room, note: &str, text: &str) -> Option<String> {
        let mut words = note.split("; ");
        let shape = CsvShape::parse(words.next()?)?;
        let mut rest = text;
        let mut tables = Vec::new();
        for word in words {
            let (rows, at) = word.split_once(" at ")?;
            let at: Vec<usize> = at.split(',').map(|at| at.parse().ok()).collect::<Option<_>>()?;
            let (table, below) = grid::read(room, rest.split_once('\n')?.1, rows.parse().ok()?)?;
            tables.push((table, at));
            rest = below;
        }
        if !tables.is_empty() {
            rest = rest.strip_prefix(ROWS)?.strip_prefix('\n')?;
        }
        let (mut grid, tail) = grid::read(room, rest, shape.rows)?;
        for (table, at) in tables.iter().rev() {
            unite(room, (table, at), &mut grid)?;
        }
        let written = shape.write(&grid) + tail;
        room.fits(written.len())?;
        Some(written)
    }
}

/// What stands above the rows that are left.
const ROWS: &str = "[the rows:]";

/// Takes the columns that follow from one into a table, its key first, and says where they stood. The keys of other
/// tables stay.
fn split<'a>(keys: &[Cow<'a, str>], grid: &mut Grid<'a>) -> Option<(Grid<'a>, Vec<usize>)> {
    let columns: Vec<Vec<&str>> =
        (0..grid.names.len()).map(|at| grid.rows.iter().map(|row| &*row[at]).collect()).collect();
    let fixed: Vec<usize> = (0..columns.len()).filter(|&at| keys.contains(&grid.names[at])).collect();
    let Join { key, rest, firsts } = join::find(&fixed, &columns)?;
    let named = |at: &usize| !grid.names[*at].contains([',', ']', '\n', '\r']);
    let chosen: Vec<usize> = std::iter::once(key).chain(rest.iter().copied()).collect();
    if !chosen.iter().all(named) {
        return None;
    }
    let take = |row: &[Cow<'a, str>]| chosen.iter().map(|&at| row[at].clone()).collect::<Vec<_>>();
    let table = Grid {
        names: take(&grid.names),
        rows: firsts.iter().map(|&first| take(&grid.rows[first])).collect(),
    };
    for row in std::iter::once(&mut grid.names).chain(&mut grid.rows) {
        let mut at = 0..;
        row.retain(|_| !at.next().is_some_and(|at| rest.contains(&at)));
    }
    Some((table, rest))
}

/// Puts the columns of a table back where they stood.
fn unite<'a>(room: Room, (table, at): (&Grid<'a>, &[usize]), grid: &mut Grid<'a>) -> Option<()> {
    let key = grid.names.iter().position(|name| Some(name) == table.names.first())?;
    if table.names.len() != at.len() + 1 || grid.names.len() <= key {
        return None;
    }
    let known: HashMap<&str, &Vec<Cow<'a, str>>> =
        table.rows.iter().filter_map(|row| Some((&**row.first()?, row))).collect();
    let mut bytes = 0;
    for row in &mut grid.rows {
        let rest = *known.get(&**row.get(key)?)?;
        bytes += rest.iter().map(|cell| cell.len()).sum::<usize>();
        room.fits(bytes)?;
        insert(at, &rest[1..], row)?;
    }
    insert(at, &table.names[1..], &mut grid.names)
}

fn insert<'a>(at: &[usize], cells: &[Cow<'a, str>], row: &mut Vec<Cow<'a, str>>) -> Option<()> {
    for (&at, cell) in at.iter().zip(cells) {
        if at > row.len() {
            return None;
        }
        row.insert(at, cell.clone());
    }
    Some(())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::proof::{apply, back, read_foreign};

    fn orders(end: &str) -> String {
        let order = |id: usize| {
            let (who, street) =
                [("7", "Theodor-Heuss-Strasse 34"), ("9", "\"Ullevålsveien 14, Oslo\"")][id % 2];
            format!("{id},{who},{street},{}{end}", id * 37 % 11)
        };
        format!("id,who,street,n{end}{}", (1..30).map(order).collect::<String>())
    }

    #[test]
    fn what_follows_from_a_column_has_a_table() {
        let text = orders("\n");
        let edit = apply(&CsvSplit, &text).unwrap();
        let begins = "[rows with the same who have the same street:]\nwho,street\n9,Ullevålsveien 14, Oslo\n7,Theodor-Heuss-Strasse 34\n[the rows:]\nid,who,n\n1,9,4\n";
        assert!(edit.text.starts_with(begins), "{}", edit.text);
        assert_eq!(edit.note, "29 rows, commas; 2 at 2");
        for text in [text, orders("\r\n"), orders("\n") + "(29 rows)\n"] {
            let edit = apply(&CsvSplit, &text).unwrap();
            assert_eq!(back(&CsvSplit, &edit).as_deref(), Some(&*text), "{}", edit.text);
        }
    }

    #[test]
    fn what_columns_begin_and_end_with_is_said_once() {
        let row = |id: usize| {
            format!("INV-2024-{:04},2024-0{}-{:02} 00:00:00,{}\n", id * 7, id % 9 + 1, id % 28 + 1, id % 5)
        };
        let text = format!("invoice,day,n\n{}", (1..40).map(row).collect::<String>());
        let edit = apply(&CsvSplit, &text).unwrap();
        let begins = "put \"INV-2024-\" before each invoice\nput \"2024-\" before each day\nput \" 00:00:00\" after each day\ninvoice,day,n\n0007,02-02,1\n";
        assert!(edit.text.starts_with(begins), "{}", edit.text);
        assert_eq!(back(&CsvSplit, &edit).as_deref(), Some(&*text));
    }

    #[test]
    fn rows_of_their_own_are_left_alone() {
        assert_eq!(apply(&CsvSplit, "a,b\n1,2\n3,4\n5,6\n7,8\n9,10\n"), None);
        read_foreign(&CsvSplit);
    }
}
