//! Comma- and tab-separated files whose columns follow from one another: those have a table of their own.

use std::borrow::Cow;
use std::collections::HashMap;

use crate::form::csv::{Separated, Shape};
use crate::form::grid::{self, Grid};
use crate::form::join::{self, Join};
use crate::plan::{Loss, Mode, Reader};
use crate::room::Room;
use crate::stage::{Edit, Scene, Stage};

/// A text of separated values where one column decides others.
pub(crate) struct CsvJoined;

/// Tables beside the rows, at most.
const MAX_TABLES: usize = 3;

impl Stage for CsvJoined {
    fn name(&self) -> &'static str {
        "csv joined"
    }

    fn mode(&self) -> Mode {
        Mode::Standard
    }

    fn reader(&self) -> Reader {
        Reader::Strong
    }

    fn apply(&self, _: Scene<'_>, text: &str) -> Option<Edit> {
        let Separated { mut grid, shape, tail } = Separated::read(text)?;
        let mut out = String::new();
        let mut note = shape.note();
        for _ in 0..MAX_TABLES {
            let Some((table, at)) = split(&mut grid) else { break };
            let names: Vec<&str> = table.names.iter().map(|name| &**name).collect();
            let (key, rest) = names.split_first()?;
            out.push_str(&format!("[rows with the same {key} have the same {}:]\n", rest.join(", ")));
            out.push_str(&grid::write(&table)?);
            let at: Vec<String> = at.iter().map(usize::to_string).collect();
            note.push_str(&format!("; {} at {}", table.rows.len(), at.join(",")));
        }
        let joined = !out.is_empty();
        out.extend([ROWS, "\n", &grid::write(&grid)?, tail]);
        joined.then_some(Edit { text: out, loss: Loss::None, note })
    }

    fn restore(&self, room: Room, note: &str, text: &str) -> Option<String> {
        let mut words = note.split("; ");
        let shape = Shape::parse(words.next()?)?;
        let mut rest = text;
        let mut tables = Vec::new();
        for word in words {
            let (rows, at) = word.split_once(" at ")?;
            let at: Vec<usize> = at.split(',').map(|at| at.parse().ok()).collect::<Option<_>>()?;
            let (table, below) = grid::read(room, rest.split_once('\n')?.1, rows.parse().ok()?)?;
            tables.push((table, at));
            rest = below;
        }
        let (mut grid, tail) = grid::read(room, rest.strip_prefix(ROWS)?.strip_prefix('\n')?, shape.rows)?;
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

/// Takes the columns that follow from one into a table, its key first, and says where they stood.
fn split<'a>(grid: &mut Grid<'a>) -> Option<(Grid<'a>, Vec<usize>)> {
    let columns: Vec<Vec<&str>> = (0..grid.names.len())
        .map(|at| grid.rows.iter().map(|row| &*row[at]).collect())
        .collect();
    let Join { key, rest, firsts } = join::find(&columns)?;
    let named = |at: &usize| !grid.names[*at].contains([',', ']', '\n', '\r']);
    let chosen: Vec<usize> = std::iter::once(key).chain(rest.iter().copied()).collect();
    if !chosen.iter().all(named) {
        return None;
    }
    let take = |row: &[Cow<'a, str>]| chosen.iter().map(|&at| row[at].clone()).collect::<Vec<_>>();
    let table =
        Grid { names: take(&grid.names), rows: firsts.iter().map(|&first| take(&grid.rows[first])).collect() };
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
            let (who, street) = [("7", "Theodor-Heuss-Strasse 34"), ("9", "\"Ullevålsveien 14, Oslo\"")][id % 2];
            format!("{id},{who},{street},{}{end}", id * 37 % 11)
        };
        format!("id,who,street,n{end}{}", (1..30).map(order).collect::<String>())
    }

    #[test]
    fn what_follows_from_a_column_has_a_table() {
        let text = orders("\n");
        let edit = apply(&CsvJoined, &text).unwrap();
        let begins = "[rows with the same who have the same street:]\nwho,street\n9,Ullevålsveien 14, Oslo\n7,Theodor-Heuss-Strasse 34\n[the rows:]\nid,who,n\n1,9,4\n";
        assert!(edit.text.starts_with(begins), "{}", edit.text);
        assert_eq!(edit.note, "29 rows, commas; 2 at 2");
        for text in [text, orders("\r\n"), orders("\n") + "(29 rows)\n"] {
            let edit = apply(&CsvJoined, &text).unwrap();
            assert_eq!(back(&CsvJoined, &edit).as_deref(), Some(&*text), "{}", edit.text);
        }
    }

    #[test]
    fn rows_of_their_own_are_left_alone() {
        assert_eq!(apply(&CsvJoined, "a,b\n1,2\n3,4\n5,6\n7,8\n9,10\n"), None);
        read_foreign(&CsvJoined);
    }
}
