//! Removes the padding around the cells of tables.
//!
//! Runs after the exact forms; a text that one of them has written does not need this stage.

use crate::form::whitespace::{edit, end, is_space_significant};
use crate::lines;
use crate::plan::Mode;
use crate::stage::{Edit, Scene, Stage};
use crate::view::TextView;

/// Removes padding between the pipes of tables.
pub(crate) struct MinimizeTableWhitespace;

/// The minimum number of pipes in a row.
const MIN_PIPES: usize = 2;

/// The minimum number of rows in a table.
const MIN_ROWS: usize = 3;

impl Stage for MinimizeTableWhitespace {
    fn lines_stand_alone(&self) -> bool {
        true
    }

    fn name(&self) -> &'static str {
        "minimize_table_whitespace"
    }

    fn mode(&self) -> Mode {
        Mode::Standard
    }

    fn apply(&self, scene: Scene<'_>, text: &TextView<'_>) -> Option<Edit> {
        if !text.contains('|') || is_space_significant(scene, text) {
            return None;
        }
        let lines: Vec<&str> = lines::split_inclusive(text).collect();
        let mut out = String::with_capacity(text.len());
        for part in lines.chunk_by(|one, two| pipes(one) == pipes(two)) {
            let table = part.len() >= MIN_ROWS && pipes(part[0]) >= MIN_PIPES && is_head(part[0]);
            for line in part {
                if table { push_row(&mut out, line) } else { out.push_str(line) }
            }
        }
        edit(text, out)
    }
}

/// The number of pipes, which separate cells. Zero if the line contains `||`, which is an operator.
fn pipes(line: &str) -> usize {
    if line.contains("||") { 0 } else { line.bytes().filter(|byte| *byte == b'|').count() }
}

/// True when every column has a name. Compilers draw pipes next to code, but with nothing between them.
fn is_head(line: &str) -> bool {
    let line = line.trim();
    let line = line.strip_prefix('|').unwrap_or(line);
    line.strip_suffix('|').unwrap_or(line).split('|').all(|name| !name.trim().is_empty())
}

/// Writes a row with one space around each cell.
fn push_row(out: &mut String, line: &str) {
    let words = line.trim_end_matches(['\n', '\r']);
    let mut cells = words.split('|');
    let first = cells.next().unwrap_or_default();
    out.push_str(if first.trim().is_empty() { first } else { first.trim_end() });
    let mut inside = !first.trim().is_empty();
    for cell in cells {
        out.push_str(if inside { " |" } else { "|" });
        inside = !cell.trim().is_empty();
        if inside {
            out.push(' ');
            out.push_str(cell.trim());
        }
    }
    out.push_str(end(line));
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::call::Call;
    use crate::plan::Plan;
    use crate::proof::becomes;

    #[test]
    fn cells_lose_their_padding() {
        let table = "see\n|  id  | name   |\n|------|--------|\n|  1   | a  b   |\r\n| | é      |\nx | y\n";
        let expected = "see\n| id | name |\n| ------ | -------- |\n| 1 | a  b |\r\n|| é |\nx | y\n";
        assert_eq!(becomes(&MinimizeTableWhitespace, table).as_deref(), Some(expected));
    }

    #[test]
    fn tables_that_a_search_found_stay() {
        let hits = "docs/a.md:1:| id   | name |\ndocs/a.md:2:|------|------|\ndocs/a.md:3:| 1    | a    |\n";
        assert_eq!(becomes(&MinimizeTableWhitespace, hits), None);
        let table = "| id   | name |\n|------|------|\n| 1    | a    |\n";
        let call = Call { tool: "Grep", ..Call::default() };
        assert_eq!(
            MinimizeTableWhitespace.apply(Scene::of(&Plan::default(), call), &TextView::new(table)),
            None
        );
        assert!(becomes(&MinimizeTableWhitespace, table).is_some());
    }
}
