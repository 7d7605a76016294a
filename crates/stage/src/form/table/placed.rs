//! Tables whose cells are words at fixed places, and whose last cell is whatever follows: `ps aux`, `dpkg -l`.
//!
//! A cell that is too long for its place pushes the next ones on, so places alone do not tell where a cell begins; words
//! do.

use std::borrow::Cow;
use std::collections::HashMap;

use crate::form::grid::{self, Grid};
use crate::form::table::aligned::SAMPLE;
use crate::form::table::{Side, bounded, widths};

/// Where the columns stand.
#[derive(Debug, PartialEq, Eq)]
pub(super) struct Placed {
    places: Vec<Place>,
    push: Push,
}

/// Where the cells of a column begin, or end if they stand on the right, counted in characters.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
struct Place {
    side: Side,
    at: usize,
}

/// What a cell that is too long does to those behind it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Push {
    /// They make up for it as soon as there is room.
    Next,
    /// All of them stand further on.
    All,
}

/// Whether the first line names the columns.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Names {
    Given,
    /// A line above does, with so many names.
    Above(usize),
    /// Columns are called `c1`, `c2` and so on.
    None,
}

const MIN_COLUMNS: usize = 3;
const MAX_COLUMNS: usize = 32;

/// Places further on are those of no table that anyone reads.
const MAX_PLACE: usize = 512;

/// The note of a table in which too long cells push all others on.
const ALL: &str = "pushed";

impl Placed {
    /// The table that `lines` are, with its layout.
    pub(super) fn of<'a>(names: Names, lines: &[&'a str]) -> Option<(Self, Grid<'a>)> {
        if lines.len() > SAMPLE {
            Self::fit(names, &lines[..SAMPLE])?;
        }
        Self::fit(names, lines)
    }

    fn fit<'a>(names: Names, lines: &[&'a str]) -> Option<(Self, Grid<'a>)> {
        let padded = lines.iter().filter(|line| line.contains("  ")).count();
        if padded * 2 < lines.len()
            || lines.iter().any(|line| line.contains(['\t', '\r']) || line.ends_with(' '))
        {
            return None;
        }
        let words: Vec<Vec<Word<'a>>> = lines.iter().map(|line| Word::all(line)).collect();
        let least = words.iter().map(Vec::len).min()?.min(MAX_COLUMNS);
        let counts = match names {
            Names::Given if is_header(&words) => words[0].len()..=least,
            Names::Given => return None,
            Names::Above(count) => count..=least.min(count),
            Names::None => MIN_COLUMNS..=least,
        };
        let is_column =
            |count: &usize| *count >= MIN_COLUMNS && (names != Names::None || !is_prose(&words, *count));
        counts.rev().filter(is_column).find_map(|count| {
            let rows = words.iter().zip(lines).map(|(words, line)| cells(words, line, count)).collect();
            let places = (0..count).map(|at| Place::of(&words, at)).collect::<Option<Vec<_>>>()?;
            let grid = gather(names, rows)?;
            let fits = |placed: &Self| placed.is_of(&grid, names, lines);
            let layouts = [Push::Next, Push::All].map(|push| Self { places: places.clone(), push });
            layouts.into_iter().find(fits).map(|layout| (layout, grid))
        })
    }

    fn is_of(&self, grid: &Grid<'_>, names: Names, lines: &[&str]) -> bool {
        let head = (names == Names::Given).then_some(&grid.names);
        let mut line = String::new();
        head.into_iter().chain(&grid.rows).zip(lines).all(|(row, expected)| {
            line.clear();
            self.push(&mut line, row);
            line == *expected
        })
    }

    /// The lines of the table, the one with the names first.
    pub(super) fn write(&self, grid: &Grid<'_>) -> Option<String> {
        if self.places.len() != grid.names.len() || !bounded(grid, &widths(grid)) {
            return None;
        }
        let mut out = String::new();
        for row in std::iter::once(&grid.names).chain(&grid.rows) {
            self.push(&mut out, row);
            out.push('\n');
        }
        Some(out)
    }

    fn push(&self, out: &mut String, row: &[Cow<'_, str>]) {
        let (mut end, mut pushed) = (None, 0);
        for (cell, place) in row.iter().zip(&self.places) {
            let length = cell.chars().count();
            let wanted = pushed
                + match place.side {
                    Side::Right => place.at.saturating_sub(length),
                    _ => place.at,
                };
            let start = end.map_or(wanted, |end: usize| wanted.max(end + 1));
            if self.push == Push::All {
                pushed += start - wanted;
            }
            out.extend(std::iter::repeat_n(' ', start - end.unwrap_or(0)));
            out.push_str(cell);
            end = Some(start + length);
        }
    }

    /// Says `0 <15 <20 25`: the places, `<` before one where cells end.
    pub(super) fn note(&self) -> String {
        let place = |place: &Place| match place.side {
            Side::Right => format!("<{}", place.at),
            _ => place.at.to_string(),
        };
        let push = (self.push == Push::All).then(|| ALL.to_owned());
        self.places.iter().map(place).chain(push).collect::<Vec<_>>().join(" ")
    }

    pub(super) fn parse(note: &str) -> Option<Self> {
        let (note, push) = match note.strip_suffix(ALL) {
            Some(note) => (note.trim_end(), Push::All),
            None => (note, Push::Next),
        };
        let place = |word: &str| {
            let (side, at) = word.strip_prefix('<').map_or((Side::Left, word), |at| (Side::Right, at));
            at.parse().ok().filter(|at| *at <= MAX_PLACE).map(|at| Place { side, at })
        };
        let places = note.split(' ').map(place).collect::<Option<_>>()?;
        Some(Self { places, push })
    }
}

/// A word of a line and where it stands.
#[derive(Debug, Clone, Copy)]
pub(super) struct Word<'a> {
    pub(super) text: &'a str,
    /// In bytes.
    from: usize,
    /// In characters.
    pub(super) start: usize,
    end: usize,
}

impl<'a> Word<'a> {
    /// The words of a line, as many as there may be columns.
    pub(super) fn all(line: &'a str) -> Vec<Self> {
        let (mut words, mut from, mut at) = (Vec::new(), 0, 0);
        for text in line.split(' ') {
            let length = text.chars().count();
            if !text.is_empty() && words.len() < MAX_COLUMNS {
                words.push(Self { text, from, start: at, end: at + length });
            }
            from += text.len() + 1;
            at += length + 1;
        }
        words
    }
}

impl Place {
    /// Where most words of a column begin or end.
    fn of(words: &[Vec<Word<'_>>], at: usize) -> Option<Self> {
        let most = |edge: fn(&Word<'_>) -> usize| {
            let mut counts: HashMap<usize, usize> = HashMap::new();
            for word in words.iter().filter_map(|words| words.get(at)) {
                *counts.entry(edge(word)).or_default() += 1;
            }
            counts.into_iter().max_by_key(|(place, count)| (*count, std::cmp::Reverse(*place)))
        };
        let (start, starts) = most(|word| word.start)?;
        let (end, ends) = most(|word| word.end)?;
        let place = if starts >= ends {
            Self { side: Side::Left, at: start }
        } else {
            Self { side: Side::Right, at: end }
        };
        (place.at <= MAX_PLACE).then_some(place)
    }
}

/// The first words of a line as cells, the last of them with all that follows.
fn cells<'a>(words: &[Word<'a>], line: &'a str, count: usize) -> Vec<Cow<'a, str>> {
    let last = &line[words[count - 1].from..];
    words[..count - 1].iter().map(|word| word.text).chain([last]).map(Cow::Borrowed).collect()
}

fn gather(names: Names, mut rows: Vec<Vec<Cow<'_, str>>>) -> Option<Grid<'_>> {
    let names = match names {
        Names::Given => rows.remove(0),
        Names::Above(count) => grid::numbered(count),
        Names::None => grid::numbered(rows.first()?.len()),
    };
    Some(Grid { names, rows })
}

/// True when the last of so many columns and the one before it are words of one text: nothing but single spaces parts
/// them, and most are plain words.
fn is_prose(words: &[Vec<Word<'_>>], count: usize) -> bool {
    let plain =
        |word: &Word<'_>| word.text.trim_end_matches([',', '.', ':', ';']).chars().all(char::is_alphabetic);
    let pairs = || words.iter().filter_map(|words| Some((words.get(count - 2)?, words.get(count - 1)?)));
    pairs().all(|(one, two)| one.end + 1 == two.start)
        && pairs().filter(|(one, two)| plain(one) && plain(two)).count() * 2 > words.len()
}

/// True when the first line looks like names: words that no line below has in their place, most of them in capitals.
fn is_header(words: &[Vec<Word<'_>>]) -> bool {
    let Some((head, rows)) = words.split_first() else { return false };
    let repeated = |row: &Vec<Word<'_>>| row.iter().zip(head).any(|(cell, name)| cell.text == name.text);
    are_names(head) && !rows.iter().any(repeated)
}

/// True of words that are mostly in capitals.
pub(super) fn are_names(words: &[Word<'_>]) -> bool {
    let is_name = |word: &&Word<'_>| {
        let letters = || word.text.chars().filter(|sign| sign.is_alphabetic());
        letters().next().is_some_and(char::is_uppercase)
            && !word.text.contains(|sign: char| sign.is_ascii_digit())
    };
    words.iter().filter(is_name).count() * 4 >= words.len() * 3
}

#[cfg(test)]
mod tests {
    use super::*;

    fn comes_back(names: Names, text: &str, note: &str) {
        let lines: Vec<&str> = text.lines().collect();
        let (placed, grid) = Placed::of(names, &lines).unwrap();
        assert_eq!(placed.note(), note, "{text}");
        let placed = Placed::parse(note).unwrap();
        let written = placed.write(&grid).unwrap();
        let skip = usize::from(names == Names::None);
        assert_eq!(written.lines().skip(skip).collect::<Vec<_>>(), lines);
    }

    #[test]
    fn places_bring_lines_back() {
        comes_back(
            Names::Given,
            "USER   PID %CPU COMMAND\nroot     1  0.7 /sbin/init splash\nmail   212 10.0 sh -c  x\n",
            "0 <10 <15 16",
        );
        comes_back(
            Names::None,
            "ii  adduser  3.134  all  add users\nii  apt      2.6.1  amd64  packages\nii  bash     5.2    amd64  a  shell\n",
            "0 4 13 20",
        );
    }

    #[test]
    fn what_is_too_long_pushes_others_on() {
        comes_back(
            Names::Given,
            "USER   PID %CPU CMD\nroot     1  0.7 a\nmail   212 10.0 b\nwww-data 31 0.0 c\nbob      2  0.0 d\n",
            "0 <10 <15 16",
        );
        comes_back(
            Names::Given,
            "USER   PID %CPU CMD\nroot     1  0.7 a\nmail   212 10.0 b\nwww-data 31  0.0 c\nbob      2  0.0 d\n",
            "0 <10 <15 16 pushed",
        );
        let text = "a      1 x\nb     22 y\nc 444444444 z\nd      3 w\n";
        comes_back(Names::None, text, "0 <8 9");
    }

    #[test]
    fn other_texts_are_no_tables() {
        for text in [
            "It was a dark night.\nNobody saw the two men who\ncame out of the house.\n",
            "a b\nc d\ne f\n",
            "NAME AGE\n\na b\n",
            "A  B  C\tD\nx  y  z  w\nx  y  z  w\n",
        ] {
            for names in [Names::Given, Names::None] {
                assert_eq!(Placed::of(names, &text.lines().collect::<Vec<_>>()), None, "{text}");
            }
        }
        for note in ["", "x", "1 2 <", "9999 1 2"] {
            assert_eq!(Placed::parse(note), None, "{note}");
        }
    }
}
