//! Tables drawn with spaces or lines, as rows under one header: padding goes, cells stay.
//!
//! Widths are not written down: they follow from the widest cell of each column.

mod aligned;
mod headed;
mod placed;
mod ruled;

use std::borrow::Cow;

use aligned::Aligned;
use headed::Headed;
use placed::{Names, Placed};
use ruled::Ruled;

use crate::form::grid::{Grid, NAMELESS};
use crate::form::{grid, whitespace};
use crate::plan::{Loss, Mode, Reader};
use crate::room::Room;
use crate::stage::{Edit, Scene, Stage};

/// A text with a table in it.
pub(crate) struct Table;

/// Fewer rows than this have nothing to give.
const MIN_ROWS: usize = 3;

/// Lines above or below a table that no empty line parts from it.
const MAX_ABOVE: usize = 5;
const MAX_BELOW: usize = 2;

impl Stage for Table {
    fn name(&self) -> &'static str {
        "table"
    }

    fn mode(&self) -> Mode {
        Mode::Standard
    }

    fn apply(&self, scene: Scene<'_>, text: &str) -> Option<Edit> {
        let lines: Vec<&str> = text.split('\n').collect();
        let nameless = scene.plan.reader >= Reader::Strong && !whitespace::is_told_by_space(scene, text);
        let names = if nameless { Names::None } else { Names::Given };
        let mut from = 0;
        for block in lines.split(|line| line.trim().is_empty()) {
            if let Some(found) = find(names, block) {
                return found.edit(scene.plan.reader, &lines, from);
            }
            from += block.len() + 1;
        }
        None
    }

    fn restore(&self, room: Room, note: &str, text: &str) -> Option<String> {
        let (counts, layout) = note.split_once("; ")?;
        let (above, rows) = counts.split_once(" lines, ")?;
        let (above, rows): (usize, usize) = (above.parse().ok()?, rows.strip_suffix(" rows")?.parse().ok()?);
        let (layout, open) = layout.strip_suffix(OPEN).map_or((layout, 0), |layout| (layout, 1));
        let (layout, underlined) = layout.strip_suffix(UNDERLINED).map_or((layout, 0), |layout| (layout, 1));
        let (before, rest) = text.split_at(length(text, above.checked_sub(underlined)?));
        let (underline, rest) = rest.split_at(length(rest, underlined));
        let layout = Layout::parse(layout)?;
        let nameless = layout.is_nameless();
        let rest = if nameless { rest.strip_prefix(NAMELESS)? } else { rest };
        let (grid, below) = grid::read(room, rest, rows)?;
        let table = layout.write(&grid)?;
        room.fits(table.len())?;
        let (head, body) = table.split_at(length(&table, 1));
        let head = if nameless { "" } else { head };
        let body = body.get(..body.len().checked_sub(open)?)?;
        Some([before, head, underline, body, below].concat())
    }
}

/// The note of a table whose header was underlined; the line stands above it now.
const UNDERLINED: &str = ", underlined";

/// The note of a table that ends the text without a newline.
const OPEN: &str = ", no final newline";

/// The bytes of the first lines.
fn length(text: &str, lines: usize) -> usize {
    text.split_inclusive('\n').take(lines).map(str::len).sum()
}

/// A table in a block of lines.
struct Found<'a> {
    above: usize,
    lines: usize,
    underline: Option<&'a str>,
    layout: Layout,
    grid: Grid<'a>,
}

/// The table in a block: all of it, or all but a few lines; one without names if it need have none.
fn find<'a>(names: Names, block: &[&'a str]) -> Option<Found<'a>> {
    if block.len() <= MIN_ROWS || !block.iter().any(|line| tabular(line)) || is_solid(block) {
        return None;
    }
    let cuts = (0..=MAX_ABOVE).flat_map(|above| (0..=MAX_BELOW).map(move |below| (above, below)));
    let cuts = cuts.filter(|(above, below)| above + below + MIN_ROWS < block.len());
    let cuts: Vec<_> = cuts.map(|(above, below)| (above, &block[above..block.len() - below])).collect();
    let headed = cuts.iter().find_map(|&(above, lines)| {
        let underline = lines.get(1).copied().filter(|line| underlines(line));
        let drawn = match underline {
            Some(_) => Cow::Owned([&lines[..1], &lines[2..]].concat()),
            None => Cow::Borrowed(lines),
        };
        let (layout, grid) = Layout::of(&drawn)?;
        (grid.rows.len() >= MIN_ROWS).then_some(Found { above, lines: lines.len(), underline, layout, grid })
    });
    let nameless = |&(above, lines): &(usize, &[&'a str])| {
        let head = above.checked_sub(1).map(|head| block[head]);
        if let Some((layout, grid)) = head.and_then(|head| Headed::of(head, lines)) {
            let layout = Layout::Headed(layout);
            return Some(Found { above: above - 1, lines: lines.len() + 1, underline: None, layout, grid });
        }
        let (layout, grid) = Layout::nameless(lines)?;
        Some(Found { above, lines: lines.len(), underline: None, layout, grid })
    };
    headed.or_else(|| cuts.iter().filter(|_| names == Names::None).find_map(nameless))
}

/// True when a look at the first lines of a block tells that nothing in it is a table, whatever is cut off.
fn is_solid(block: &[&str]) -> bool {
    // What stands below the lines that may be cut off, a header and what underlines it.
    let inner = MAX_ABOVE + 2..aligned::SAMPLE.min(block.len().saturating_sub(MAX_BELOW));
    let outer = &block[..block.len().min(MAX_ABOVE + aligned::SAMPLE + 1)];
    let ruled = outer.iter().take(MAX_ABOVE + 1).any(|line| ruled::edge(line).is_some());
    !ruled && block.get(inner).is_some_and(|inner| aligned::is_solid(inner, outer))
}

/// True for a line that does nothing but underline.
fn underlines(line: &str) -> bool {
    let signs = line.bytes().filter(|byte| b"-=".contains(byte)).count();
    signs > 3 && !line.starts_with('|') && line.bytes().all(|byte| b"-=+ ".contains(&byte))
}

/// True when a line could be one of a table's.
fn tabular(line: &str) -> bool {
    line.contains("  ") || ruled::edge(line).is_some()
}

impl Found<'_> {
    fn edit(self, reader: Reader, lines: &[&str], from: usize) -> Option<Edit> {
        let above = from + self.above;
        let (before, after) = (lines.get(..above)?, lines.get(above + self.lines..)?);
        let mut text: String =
            before.iter().copied().chain(self.underline).flat_map(|line| [line, "\n"]).collect();
        if self.layout.is_nameless() {
            text.push_str(NAMELESS);
        }
        text.push_str(&grid::write(reader, &self.grid)?);
        text.push_str(&after.join("\n"));
        let underlined = if self.underline.is_some() { UNDERLINED } else { "" };
        let open = if after.is_empty() { OPEN } else { "" };
        let above = above + usize::from(self.underline.is_some());
        let note =
            format!("{above} lines, {} rows; {}{underlined}{open}", self.grid.rows.len(), self.layout.note());
        Some(Edit { text, loss: Loss::None, note })
    }
}

/// How a table was drawn.
enum Layout {
    Aligned(Aligned),
    Headed(Headed),
    Placed(Names, Placed),
    Ruled(Ruled),
}

impl Layout {
    fn of<'a>(lines: &[&'a str]) -> Option<(Self, Grid<'a>)> {
        if ruled::edge(lines.first()?).is_some() {
            return Ruled::of(lines).map(|(ruled, grid)| (Self::Ruled(ruled), grid));
        }
        let aligned = Aligned::of(lines).map(|(aligned, grid)| (Self::Aligned(aligned), grid));
        aligned.or_else(|| Self::placed(Names::Given, lines))
    }

    fn nameless<'a>(lines: &[&'a str]) -> Option<(Self, Grid<'a>)> {
        Self::placed(Names::None, lines)
    }

    fn placed<'a>(names: Names, lines: &[&'a str]) -> Option<(Self, Grid<'a>)> {
        Placed::of(names, lines).map(|(placed, grid)| (Self::Placed(names, placed), grid))
    }

    fn is_nameless(&self) -> bool {
        matches!(self, Self::Placed(Names::None, _))
    }

    /// The table's lines, each with its newline.
    fn write(&self, grid: &Grid<'_>) -> Option<String> {
        match self {
            Self::Aligned(aligned) => aligned.write(grid),
            Self::Headed(headed) => headed.write(grid),
            Self::Placed(_, placed) => placed.write(grid),
            Self::Ruled(ruled) => ruled.write(grid),
        }
    }

    fn note(&self) -> String {
        match self {
            Self::Aligned(aligned) => format!("aligned, {}", aligned.note()),
            Self::Headed(headed) => format!("headed, {}", headed.note()),
            Self::Placed(Names::None, placed) => format!("nameless, {}", placed.note()),
            Self::Placed(_, placed) => format!("placed, {}", placed.note()),
            Self::Ruled(ruled) => format!("ruled, {}", ruled.note()),
        }
    }

    fn parse(note: &str) -> Option<Self> {
        let (kind, rest) = note.split_once(", ")?;
        match kind {
            "aligned" => Aligned::parse(rest).map(Self::Aligned),
            "headed" => Headed::parse(rest).map(Self::Headed),
            "placed" => Placed::parse(rest).map(|placed| Self::Placed(Names::Given, placed)),
            "nameless" => Placed::parse(rest).map(|placed| Self::Placed(Names::None, placed)),
            "ruled" => Ruled::parse(rest).map(Self::Ruled),
            _ => None,
        }
    }
}

/// The side of its column on which a cell stands.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Side {
    Left,
    Right,
    Middle,
}

/// Writes a cell in a column so wide.
fn push_padded(out: &mut String, cell: &str, width: usize, side: Side) {
    let free = width.saturating_sub(cell.chars().count());
    let before = match side {
        Side::Left => 0,
        Side::Right => free,
        Side::Middle => free / 2,
    };
    out.extend(std::iter::repeat_n(' ', before));
    out.push_str(cell);
    out.extend(std::iter::repeat_n(' ', free - before));
}

/// The widest cell of each column, its name included.
fn widths(grid: &Grid<'_>) -> Vec<usize> {
    let mut widths = vec![0; grid.names.len()];
    for row in std::iter::once(&grid.names).chain(&grid.rows) {
        for (width, cell) in widths.iter_mut().zip(row) {
            *width = (*width).max(cell.chars().count());
        }
    }
    widths
}

/// True when drawing the table cannot take more memory than a few times what its rows take.
fn bounded(grid: &Grid<'_>, widths: &[usize]) -> bool {
    let drawn = widths.iter().fold(0_usize, |sum, width| sum.saturating_add(*width));
    let cells = grid.rows.iter().flatten().map(|cell| cell.len() + 1).sum::<usize>();
    drawn.saturating_mul(grid.rows.len()) <= cells.saturating_mul(16).saturating_add(1 << 20)
}

fn borrow(cells: Vec<&str>) -> Vec<Cow<'_, str>> {
    cells.into_iter().map(Cow::Borrowed).collect()
}

/// Numbers as a note lists them: `2 5`.
fn numbers_of(list: &[usize]) -> String {
    list.iter().map(usize::to_string).collect::<Vec<_>>().join(" ")
}

fn parse_numbers(list: &str) -> Option<Vec<usize>> {
    list.split(' ').map(|number| number.parse().ok()).collect()
}

/// The side of column `at` where those in `right` stand on the right.
fn side(right: &[usize], at: usize) -> Side {
    if right.contains(&(at + 1)) { Side::Right } else { Side::Left }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::call::Call;
    use crate::plan::Plan;
    use crate::proof;

    fn apply(text: &str) -> Option<Edit> {
        let plan = Plan::default();
        Table.apply(Scene { plan: &plan, call: Call::default() }, text)
    }

    fn check(text: &str, note: &str, written: &str) {
        let edit = apply(text).unwrap();
        assert_eq!((edit.note.as_str(), edit.text.as_str()), (note, written));
        assert_eq!(proof::back(&Table, &edit).as_deref(), Some(text));
    }

    #[test]
    fn aligned_columns_lose_their_padding() {
        check(
            "stdout:\n\
             NAME     READY   NOMINATED NODE   CPU(cores)\n\
             pod-a    1/1     <none>           3m\n\
             pod-bcd  0/1     <none>           29m\n\
             pod-e    1/1     <none>           \n\
             \nafter",
            "1 lines, 3 rows; aligned, gaps 2 3 3, open",
            "stdout:\nfields: NAME,READY,NOMINATED NODE,CPU(cores)\nevery row: NOMINATED NODE=<none>\n\
             NAME,READY,CPU(cores)\npod-a,1/1,3m\npod-bcd,0/1,29m\npod-e,1/1,\n\nafter",
        );
        check(
            "  Size  Used Mounted on\n   10G    2G /\n  200G  123G /data x\n    1M     0 \n",
            "0 lines, 3 rows; aligned, gaps 2 1, right 1 2, indent 2, open",
            "Size,Used,Mounted on\n10G,2G,/\n200G,123G,/data x\n1M,0,\n",
        );
    }

    #[test]
    fn boxes_lose_their_lines() {
        check(
            "┌────┬───────┐\n│ Id │ Name  │\n├────┼───────┤\n│ 1  │ Kölnx │\n│ 2  │ Ülm   │\n│ 3  │       │\n└────┴───────┘",
            "0 lines, 3 rows; ruled, │ ┌─┬┐ ├─┼┤ └─┴┘, no final newline",
            "Id,Name\n1,Kölnx\n2,Ülm\n3,\n",
        );
        check(
            "+----+-------+\n| id | name  |\n+----+-------+\n|  1 | a, b  |\n| 20 | \"q\" x |\n|  3 |       |\n+----+-------+\n3 rows in set\n",
            "0 lines, 3 rows; ruled, | +-++ +-++ +-++, right 1",
            "id,name\n1,a, b\n20,\"\"\"q\"\" x\"\n3,\n3 rows in set\n",
        );
        check(
            "See:\n\n|  a  | long |\n|-----|------|\n| 123 | x    |\n| 45  | y    |\n| 6   | z    |\n\nend\n",
            "2 lines, 3 rows; ruled, | none |-|| none, names centred",
            "See:\n\na,long\n123,x\n45,y\n6,z\n\nend\n",
        );
    }

    #[test]
    fn underlined_headers_come_back() {
        check(
            "||/ Name    Version Description\n+++-=======-=======-===========\nii  adduser 3.134   add users\n\
             ii  b       1       b, c \nrc  c       2.0     d\n",
            "1 lines, 3 rows; aligned, gaps 1, open, underlined",
            "+++-=======-=======-===========\n||/,Name,Version,Description\nii,adduser,3.134,add users\n\
             ii,b,1,b, c \nrc,c,2.0,d\n",
        );
    }

    #[test]
    fn what_is_no_table_is_left_alone() {
        for text in [
            "",
            "one\ntwo\nthree\nfour\n",
            "func a() {\n\tx  y\n\tzz yy\n\tq  r\n}\n",
            "| a | b |\n| c | d |\n| e | f |\n| g | h |\n",
        ] {
            assert_eq!(apply(text), None, "{text:?}");
        }
    }
}
