//! Tables of words at fixed places under names that stand elsewhere: `ps aux` of some systems.

use std::borrow::Cow;

use crate::form::grid::Grid;
use crate::form::table::placed::{Names, Placed, Word, are_names};
use crate::form::table::{numbers_of, parse_numbers};

/// Where the names stand, and the cells.
pub(super) struct Headed {
    /// The place of each name, in characters.
    names: Vec<usize>,
    cells: Placed,
}

/// Places further on are those of no table that anyone reads.
const MAX_PLACE: usize = 512;

impl Headed {
    /// The table that `lines` are under `head`.
    pub(super) fn of<'a>(head: &'a str, lines: &[&'a str]) -> Option<(Self, Grid<'a>)> {
        let words = Word::all(head);
        if !are_names(&words) {
            return None;
        }
        let (cells, grid) = Placed::of(Names::Above(words.len()), lines)?;
        let names: Vec<_> = words.iter().map(|word| Cow::Borrowed(word.text)).collect();
        if grid.rows.iter().any(|row| row.iter().zip(&names).any(|(cell, name)| cell == name)) {
            return None;
        }
        let headed = Self { names: words.iter().map(|word| word.start).collect(), cells };
        let grid = Grid { names, ..grid };
        (headed.line(&grid)? == head).then_some((headed, grid))
    }

    /// The line with the names.
    fn line(&self, grid: &Grid<'_>) -> Option<String> {
        let (mut line, mut end) = (String::new(), 0);
        for (name, place) in grid.names.iter().zip(&self.names) {
            line.extend(std::iter::repeat_n(' ', place.checked_sub(end)?));
            line.push_str(name);
            end = place + name.chars().count();
        }
        Some(line)
    }

    /// The lines of the table, the one with the names first.
    pub(super) fn write(&self, grid: &Grid<'_>) -> Option<String> {
        let written = self.cells.write(grid)?;
        let (_, rows) = written.split_once('\n')?;
        (self.names.len() == grid.names.len()).then(|| self.line(grid))?.map(|line| line + "\n" + rows)
    }

    /// Says `names 0 11 15, 0 <16 <21`.
    pub(super) fn note(&self) -> String {
        format!("{NAMES}{}, {}", numbers_of(&self.names), self.cells.note())
    }

    pub(super) fn parse(note: &str) -> Option<Self> {
        let (names, cells) = note.strip_prefix(NAMES)?.split_once(", ")?;
        let names = parse_numbers(names)?;
        let near = names.iter().all(|place| *place <= MAX_PLACE);
        near.then(|| Placed::parse(cells))?.map(|cells| Self { names, cells })
    }
}

const NAMES: &str = "names ";

#[cfg(test)]
mod tests {
    use super::*;

    const PS: &str = "USER       PID %CPU COMMAND\nroot         1  0.7 /sbin/init splash\nmail       212 10.0 sh -c  x\nwww-data     3  0.0 sh -c y\n";

    #[test]
    fn names_need_not_stand_above_their_columns() {
        let lines: Vec<&str> = PS.lines().collect();
        let (headed, grid) = Headed::of(lines[0], &lines[1..]).unwrap();
        assert_eq!(grid.names, ["USER", "PID", "%CPU", "COMMAND"]);
        assert_eq!(grid.rows[1], ["mail", "212", "10.0", "sh -c  x"]);
        assert_eq!(headed.note(), "names 0 11 15 20, 0 <14 <19 20");
        let read = Headed::parse(&headed.note()).unwrap();
        assert_eq!(read.write(&grid).as_deref(), Some(PS));
    }

    #[test]
    fn other_lines_above_are_no_names() {
        let rows: Vec<&str> = PS.lines().skip(1).collect();
        for head in [
            "",
            "USER PID %CPU",
            "what is running now",
            "USER PID %CPU COMMAND AND MORE",
            "USER\tPID %CPU COMMAND",
        ] {
            assert!(Headed::of(head, &rows).is_none(), "{head}");
        }
        for note in ["", "names", "names 0 1", "names 0 9999, 0 1", "names x, 0 1"] {
            assert!(Headed::parse(note).is_none(), "{note}");
        }
    }
}
