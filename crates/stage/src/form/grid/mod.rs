//! Rows of cells under one header, with what is said once above them in plain words.
//!
//! ```text
//! fields: tag,kind,subject,date
//! every row: kind=tag
//! unless given, subject = Release {tag}
//! tag,subject,date
//! v1.10,,2025-07-19
//! ```
//! Words and order are those of the terse form. Cells here are text, never numbers or null, so that what a
//! table or a CSV file spelled comes back as it was spelled.

mod cell;
mod facts;
mod read;
mod write;

use std::borrow::Cow;

pub(crate) use read::read;
pub(crate) use write::write;

/// A table: every row has a cell for every name.
#[derive(Debug, PartialEq, Eq)]
pub(crate) struct Grid<'a> {
    pub(crate) names: Vec<Cow<'a, str>>,
    pub(crate) rows: Vec<Vec<Cow<'a, str>>>,
}

/// How the cells of a column are written.
#[derive(Debug, Clone, PartialEq, Eq)]
enum Column {
    /// In every row.
    Shown,
    /// Above the rows.
    Constant(String),
    /// Above the rows; a row that has something else shows it.
    Usual(String),
    /// By a rule; a row that has something else shows it.
    Made(Rule),
    /// By a rule, in every row.
    Always(Rule),
    /// In every row that has something, without what all of those begin and end with.
    Within(String, String),
}

impl Column {
    /// True when rows have a cell for it.
    fn shown(&self) -> bool {
        !matches!(self, Self::Constant(_) | Self::Always(_))
    }

    /// True when an empty cell stands for something.
    fn implied(&self) -> bool {
        matches!(self, Self::Usual(_) | Self::Made(_))
    }
}

/// How a cell follows from another one of its row: with this before it and this behind it.
#[derive(Debug, Clone, PartialEq, Eq)]
struct Rule {
    from: usize,
    before: String,
    after: String,
}

impl Rule {
    fn make(&self, row: &[Cow<'_, str>]) -> String {
        [&self.before, &*row[self.from], &self.after].concat()
    }

    /// True when the rule gives `cell`, without making it.
    fn gives(&self, row: &[Cow<'_, str>], cell: &str) -> bool {
        let inner = cell.strip_prefix(&*self.before).and_then(|rest| rest.strip_suffix(&*self.after));
        !cell.is_empty() && inner == Some(&*row[self.from])
    }
}

/// What is left of a cell without its ends.
fn within<'c>(before: &str, after: &str, cell: &'c str) -> Option<&'c str> {
    cell.strip_prefix(before)?.strip_suffix(after).filter(|inner| !inner.is_empty())
}

/// Above a table that came without names.
pub(crate) const NAMELESS: &str = "[the columns are named c1, c2 and so on here]\n";

/// Names for so many columns that have none.
pub(crate) fn numbered(count: usize) -> Vec<Cow<'static, str>> {
    (1..=count).map(|number| Cow::Owned(format!("c{number}"))).collect()
}

const FIELDS: &str = "fields: ";
const EVERY: &str = "every row: ";
const USUAL: &str = "unless given: ";
const MADE: &str = "unless given, ";
const ALWAYS: &str = "in every row, ";
const PUT: &str = "put ";
const BEFORE: &str = " before each ";
const AFTER: &str = " after each ";
/// Where some cells of the column are empty, and stay so.
const FILLED: &str = " that is not empty";

#[cfg(test)]
mod tests {
    use super::*;
    use crate::plan::Reader;
    use crate::room::Room;

    fn grid(lines: &[&'static str]) -> Grid<'static> {
        let mut rows: Vec<Vec<_>> =
            lines.iter().map(|line| line.split('|').map(Cow::Borrowed).collect()).collect();
        Grid { names: rows.remove(0), rows }
    }

    fn check(lines: &[&'static str], written: &str) {
        let grid = grid(lines);
        let text = write(Reader::Small, &grid).unwrap();
        assert_eq!(text, written);
        let more = text.clone() + "after\n";
        assert_eq!(read(Room::of(&more), &more, grid.rows.len()), Some((grid, "after\n")), "{text}");
    }

    #[test]
    fn what_is_said_once_stands_above() {
        check(
            &["id|kind|n", "1|pod|7", "2|pod|8", "3|pod|9"],
            "fields: id,kind,n\nevery row: kind=pod\nid,n\n1,7\n2,8\n3,9\n",
        );
    }

    #[test]
    fn usual_values_are_left_out() {
        let lines =
            ["id|kind", "1|podium", "2|podium", "3|x", "4|podium", "5|podium", "6|", "7|podium", "8|podium"];
        let written = "unless given: kind=podium\nid,kind\n1,\n2,\n3,x\n4,\n5,\n6,\"\"\n7,\n8,\n";
        check(&lines, written);
    }

    #[test]
    fn made_values_are_left_out() {
        check(
            &[
                "tag|text|n",
                "v1.10|Release v1.10|1",
                "v1.11|Release v1.11|3",
                "v1.12|nothing|2",
                "v1.13|Release v1.13|4",
            ],
            "unless given, text = Release {tag}\ntag,text,n\nv1.10,,1\nv1.11,,3\nv1.12,nothing,2\nv1.13,,4\n",
        );
    }

    #[test]
    fn hostile_cells_come_back() {
        for lines in [
            &["every row: a|b", "1|2", "2|\"3"][..],
            &["a,b|c", "x,y|\"\"", "\"x|y\"", "|"],
            &["a|a", "1|1", "1|1"],
            &["a|b", "\n|\r", "x\ny|\"\n", "\\|\\n"],
            &["fields: x", "1", "", "3"],
            &["a=b|c{d}", "1|1", "1|1"],
            &["|", "1|1", "1|1"],
            &["a b|c", "x y|ab", "|cd", "z|e"],
            &["a|b", "x|, y=", "x|, y=", "x|, y="],
            &["a|b", "\"q\" x|v", "\"q\" x|v"],
            &["a|b", "|v", "|w"],
        ] {
            let grid = grid(lines);
            let text = write(Reader::Small, &grid).unwrap();
            assert_eq!(read(Room::of(&text), &text, grid.rows.len()), Some((grid, "")), "{text}");
        }
    }
}
