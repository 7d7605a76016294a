//! Comma- and tab-separated files as rows under one header, with what repeats said once.

use std::borrow::Cow;
use std::fmt::Write as _;

use crate::form::grid;
use crate::form::grid::{Grid, NAMELESS};
use crate::plan::{Loss, Mode, Reader};
use crate::room::Room;
use crate::stage::{Edit, Scene, Stage};

/// A text of separated values under a header.
pub(crate) struct Csv;

/// Fewer rows than this may be anything.
const MIN_ROWS: usize = 4;

/// Lines below the rows that are no rows: a count, or the stump of a row cut off.
const MAX_TAIL: usize = 3;

/// Fewer columns without names are no table.
const MIN_NAMELESS: usize = 3;

impl Stage for Csv {
    fn name(&self) -> &'static str {
        "csv"
    }

    fn mode(&self) -> Mode {
        Mode::Standard
    }

    fn apply(&self, scene: Scene<'_>, text: &str) -> Option<Edit> {
        let Separated { grid, shape, tail } = Separated::read(text)?;
        if !shape.named && scene.plan.reader < Reader::Strong {
            return None;
        }
        let head = if shape.named { "" } else { NAMELESS };
        let written = [head, &grid::write(scene.plan.reader, &grid)?, tail].concat();
        (written != text).then(|| Edit { text: written, loss: Loss::None, note: shape.note() })
    }

    fn restore(&self, room: Room, note: &str, text: &str) -> Option<String> {
        let shape = CsvShape::parse(note)?;
        let text = if shape.named { text } else { text.strip_prefix(NAMELESS)? };
        let (grid, tail) = grid::read(room, text, shape.rows)?;
        let written = shape.write(&grid) + tail;
        room.fits(written.len())?;
        Some(written)
    }
}

/// A text of separated values, taken apart.
pub(super) struct Separated<'a> {
    pub(super) grid: Grid<'a>,
    pub(super) shape: CsvShape,
    /// What follows the rows.
    pub(super) tail: &'a str,
}

impl<'a> Separated<'a> {
    pub(super) fn read(text: &'a str) -> Option<Self> {
        let (head, _) = text.split_once('\n')?;
        let end = if head.ends_with('\r') { "\r\n" } else { "\n" };
        let (separator, _) = SEPARATORS.into_iter().find(|(separator, _)| head.contains(*separator))?;
        let (grid, tail, named) = match split(text, separator, end) {
            Some((grid, tail)) => (grid, tail, true),
            None => nameless(text, separator, end).map(|(grid, tail)| (grid, tail, false))?,
        };
        let written = &text[..text.len() - tail.len()];
        let closed = written.ends_with(end);
        let rows = grid.rows.len();
        let shapes = QUOTES.iter().map(|(quotes, _)| CsvShape {
            rows,
            separator,
            quotes: *quotes,
            end,
            closed,
            named,
        });
        let shape = shapes.into_iter().find(|shape| shape.write(&grid) == written)?;
        Some(Self { grid, shape, tail })
    }
}

/// The records of a text that are as wide as its first, and what follows them.
fn split<'a>(text: &'a str, separator: char, end: &str) -> Option<(Grid<'a>, &'a str)> {
    let (names, _) = record(text, separator, end)?;
    if names.len() < 2 || !names.iter().all(|name| heads(name)) {
        return None;
    }
    let (mut rows, rest) = records(text, separator, end)?;
    let names = rows.remove(0);
    let repeated = rows.iter().any(|row| row.iter().zip(&names).any(|(cell, name)| cell == name));
    (rows.len() >= MIN_ROWS && !repeated).then_some((Grid { names, rows }, rest))
}

/// The same for a text whose first record is one like the others. Commas stand in many texts that are no table.
fn nameless<'a>(text: &'a str, separator: char, end: &str) -> Option<(Grid<'a>, &'a str)> {
    let width = record(text, separator, end).map_or(0, |(first, _)| first.len());
    if width < MIN_NAMELESS || !matches!(separator, '\t' | '|') {
        return None;
    }
    let (rows, rest) = records(text, separator, end)?;
    let trimmed = rows.iter().flatten().all(|cell| cell.trim() == *cell);
    (rows.len() >= MIN_ROWS && trimmed).then_some((Grid { names: grid::numbered(width), rows }, rest))
}

/// The records that are as wide as the first, and the few lines that may follow them.
fn records<'a>(text: &'a str, separator: char, end: &str) -> Option<(Vec<Vec<Cow<'a, str>>>, &'a str)> {
    let (first, mut rest) = record(text, separator, end)?;
    let mut rows = vec![first];
    while !rest.is_empty()
        && let Some((row, below)) = record(rest, separator, end)
        && row.len() == rows[0].len()
    {
        rows.push(row);
        rest = below;
    }
    (rest.lines().take(MAX_TAIL + 1).count() <= MAX_TAIL).then_some((rows, rest))
}

/// True for what can name a column.
fn heads(name: &str) -> bool {
    let sign = |character: char| character.is_alphanumeric() || "_- .#%()".contains(character);
    name.chars().any(char::is_alphabetic) && name.trim() == name && name.len() <= 60 && name.chars().all(sign)
}

/// The cells of the record at the beginning of `text`, and what stands below it.
fn record<'a>(text: &'a str, separator: char, end: &str) -> Option<(Vec<Cow<'a, str>>, &'a str)> {
    let mut cells = Vec::new();
    let mut rest = text;
    loop {
        let (cell, more) = quoted(rest, separator).unwrap_or_else(|| bare(rest, separator, end));
        cells.push(cell);
        if let Some(more) = more.strip_prefix(separator) {
            rest = more;
        } else if more.is_empty() {
            return Some((cells, more));
        } else {
            return Some((cells, more.strip_prefix(end)?));
        }
    }
}

/// The cell without quotes at the beginning of `text`, and what follows it.
fn bare<'a>(text: &'a str, separator: char, end: &str) -> (Cow<'a, str>, &'a str) {
    let cell = &text[..text.find([separator, '\n']).unwrap_or(text.len())];
    let ends = end.len() == 2 && text[cell.len()..].starts_with('\n');
    let cell = if ends { cell.strip_suffix('\r').unwrap_or(cell) } else { cell };
    (Cow::Borrowed(cell), &text[cell.len()..])
}

/// The cell in quotes at the beginning of `text`, if it ends where a cell may, and what follows it.
fn quoted(text: &str, separator: char) -> Option<(Cow<'_, str>, &str)> {
    let inner = text.strip_prefix('"')?;
    let mut from = 0;
    loop {
        let at = from + inner[from..].find('"')?;
        let rest = &inner[at + 1..];
        if !rest.starts_with('"') {
            let raw = &inner[..at];
            let cell = if raw.contains('"') { raw.replace("\"\"", "\"").into() } else { Cow::Borrowed(raw) };
            let ends = rest.is_empty() || rest.starts_with([separator, '\n', '\r']);
            return ends.then_some((cell, rest));
        }
        from = at + 2;
    }
}

const SEPARATORS: [(char, &str); 4] = [('\t', "tabs"), (',', "commas"), (';', "semicolons"), ('|', "pipes")];

/// When a cell was in quotes.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Quotes {
    Needed,
    Never,
    Always,
    Words,
}

const QUOTES: [(Quotes, &str); 4] = [
    (Quotes::Needed, ""),
    (Quotes::Never, "no quotes"),
    (Quotes::Always, "all in quotes"),
    (Quotes::Words, "words in quotes"),
];

/// How a file was written.
pub(super) struct CsvShape {
    pub(super) rows: usize,
    separator: char,
    quotes: Quotes,
    end: &'static str,
    /// True when the last row ends like the others.
    closed: bool,
    /// True when the first record names the columns.
    pub(super) named: bool,
}

impl CsvShape {
    pub(super) fn write(&self, grid: &Grid<'_>) -> String {
        let mut out = String::new();
        for row in self.named.then_some(&grid.names).into_iter().chain(&grid.rows) {
            for (at, cell) in row.iter().enumerate() {
                if at > 0 {
                    out.push(self.separator);
                }
                self.push(&mut out, cell);
            }
            out.push_str(self.end);
        }
        if !self.closed {
            out.truncate(out.len() - self.end.len());
        }
        out
    }

    fn push(&self, out: &mut String, cell: &str) {
        let quoted = match self.quotes {
            Quotes::Needed => cell.contains([self.separator, '"', '\n', '\r']),
            Quotes::Never => false,
            Quotes::Always => true,
            Quotes::Words => cell.parse::<f64>().is_err(),
        };
        if quoted {
            let _ = write!(out, "\"{}\"", cell.replace('"', "\"\""));
        } else {
            out.push_str(cell);
        }
    }

    /// Says `2410 rows, tabs, CRLF, no final newline`.
    pub(super) fn note(&self) -> String {
        let name = SEPARATORS.iter().find(|(known, _)| *known == self.separator).map_or("", |(_, name)| name);
        let quotes = QUOTES.iter().find(|(known, _)| *known == self.quotes).map_or("", |(_, name)| name);
        let end = if self.end == "\r\n" { "CRLF" } else { "" };
        let closed = if self.closed { "" } else { OPEN };
        let named = if self.named { "" } else { UNNAMED };
        let words = [name, quotes, end, closed, named].into_iter().filter(|word| !word.is_empty());
        words.fold(format!("{} rows", self.rows), |note, word| note + ", " + word)
    }

    pub(super) fn parse(note: &str) -> Option<Self> {
        let (rows, rest) = note.split_once(" rows, ")?;
        let mut words = rest.split(", ");
        let name = words.next()?;
        let (separator, _) = SEPARATORS.into_iter().find(|(_, known)| *known == name)?;
        let mut shape = Self {
            rows: rows.parse().ok()?,
            separator,
            quotes: Quotes::Needed,
            end: "\n",
            closed: true,
            named: true,
        };
        for word in words {
            match word {
                "CRLF" => shape.end = "\r\n",
                OPEN => shape.closed = false,
                UNNAMED => shape.named = false,
                _ => shape.quotes = QUOTES.iter().find(|(_, known)| *known == word)?.0,
            }
        }
        Some(shape)
    }
}

const OPEN: &str = "no final newline";
const UNNAMED: &str = "no header";

#[cfg(test)]
mod tests {
    use super::*;
    use crate::call::Call;
    use crate::plan::Plan;
    use crate::proof;

    fn apply(text: &str) -> Option<Edit> {
        let plan = Plan::default();
        Csv.apply(Scene { plan: &plan, call: Call::default() }, text)
    }

    fn check(text: &str, note: &str, written: &str) {
        let edit = apply(text).unwrap();
        assert_eq!((edit.note.as_str(), edit.text.as_str()), (note, written));
        assert_eq!(proof::back(&Csv, &edit).as_deref(), Some(text));
    }

    #[test]
    fn what_repeats_is_said_once() {
        check(
            "id,country,n\n1,USA,5\n2,USA,6\n3,USA,7\n4,USA,\n",
            "4 rows, commas",
            "fields: id,country,n\nevery row: country=USA\nid,n\n1,5\n2,6\n3,7\n4,\n",
        );
    }

    #[test]
    fn quotes_come_back_as_they_were() {
        check(
            "a,b\n1,\"x, y\"\n2,\"say \"\"z\"\"\"\n3,\"two\nlines\"\n4,plain\n",
            "4 rows, commas",
            "a,b\n1,x, y\n2,say \"z\"\n3,\"two\nlines\"\n4,plain\n",
        );
        check(
            "\"a\",\"b\"\n\"1\",\"\"\n\"2\",\"x\"\n\"3\",\"y\"\n\"4\",\"z\"",
            "4 rows, commas, all in quotes, no final newline",
            "a,b\n1,\n2,x\n3,y\n4,z\n",
        );
        check(
            "\"a\";\"b\"\r\n1;\"p\"\r\n2.5;\"x\"\r\n3;\"y\"\r\n4;\"z\"\r\n",
            "4 rows, semicolons, words in quotes, CRLF",
            "a,b\n1,p\n2.5,x\n3,y\n4,z\n",
        );
        check(
            "a\tb\n1\t\"x\" y\n2\tp,q\n3\t\n4\tz\n(4 rows)\n",
            "4 rows, tabs, no quotes",
            "a,b\n1,\"\"\"x\"\" y\"\n2,p,q\n3,\n4,z\n(4 rows)\n",
        );
    }

    #[test]
    fn what_is_no_table_is_left_alone() {
        for text in [
            "",
            "a,b\n1,2\n3,4\n",
            "one, two\nthree\nfour, five\nsix\nseven\n",
            "ok  \tgithub.com/a\t1s\nok  \tgithub.com/b\t2s\nok  \tgithub.com/c\t3s\nok  \tx\t4s\nok  \ty\t4s\n",
            "1,2\n3,4\n5,6\n7,8\n9,10\n",
            "a,b\n1,\"2\"\n3,4\n\"5\",6\n7,8\n",
        ] {
            assert_eq!(apply(text), None, "{text:?}");
        }
    }
}
