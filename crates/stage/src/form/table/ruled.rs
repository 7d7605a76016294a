//! Tables with lines between their cells: box drawing, `+---+`, padded Markdown.

use crate::form::grid::Grid;
use crate::form::table::{Side, borrow, bounded, numbers_of, parse_numbers, push_padded, side, widths};

/// How the table is drawn.
#[derive(Debug, PartialEq, Eq)]
pub(super) struct Ruled {
    /// What stands between cells.
    bar: char,
    /// Above the header, below it, and below the last row: left, line, crossing, right.
    rules: [Option<Rule>; 3],
    /// Columns, counted from 1, whose cells stand on the right.
    right: Vec<usize>,
    head: Side,
}

type Rule = [char; 4];

const BARS: [char; 5] = ['│', '|', '┃', '║', '¦'];

/// The bar that a line begins and ends with, or the corner of its rule.
pub(super) fn edge(line: &str) -> Option<char> {
    let first = line.chars().next()?;
    let drawn = BARS.contains(&first) || "┌┏╔╭+".contains(first);
    let last = line.chars().next_back()?;
    let closed = BARS.contains(&last) || "┐┓╗╮+".contains(last);
    (drawn && closed && line.chars().nth(1).is_some()).then_some(first)
}

impl Ruled {
    /// The table that `lines` are, with its layout.
    pub(super) fn of<'a>(lines: &[&'a str]) -> Option<(Self, Grid<'a>)> {
        let bar = lines.iter().find_map(|line| {
            line.chars().next().filter(|first| BARS.contains(first) && line.contains(' '))
        })?;
        let (top, rest) = rule(lines.first()?).map_or((None, lines), |rule| (Some(rule), &lines[1..]));
        let (head, rest) = rest.split_first()?;
        let (middle, rest) = rest.split_first()?;
        let (bottom, rest) =
            rule(rest.last()?).map_or((None, rest), |rule| (Some(rule), &rest[..rest.len() - 1]));
        let rules = [top, Some(rule(middle)?), bottom];
        let names = cells(head, bar)?;
        let rows = rest.iter().map(|line| cells(line, bar)).collect::<Option<Vec<_>>>()?;
        if names.len() < 2 || rows.iter().any(|row| row.len() != names.len()) {
            return None;
        }
        let right = (0..names.len())
            .filter(|&at| rows.iter().any(|row| row[at].starts_with("  ") && !row[at].trim().is_empty()));
        let right: Vec<usize> = right.map(|at| at + 1).collect();
        let trim = |row: Vec<&'a str>| borrow(row.into_iter().map(|cell| cell.trim_matches(' ')).collect());
        let grid = Grid { names: trim(names), rows: rows.into_iter().map(trim).collect() };
        let whole = lines.join("\n");
        let layouts = HEADS.map(|(head, _)| Self { bar, rules, right: right.clone(), head });
        let fits =
            |layout: &Self| layout.write(&grid).is_some_and(|text| text.strip_suffix('\n') == Some(&whole));
        layouts.into_iter().find(fits).map(|layout| (layout, grid))
    }

    /// The lines of the table.
    pub(super) fn write(&self, grid: &Grid<'_>) -> Option<String> {
        let widths = widths(grid);
        if !bounded(grid, &widths) {
            return None;
        }
        let mut out = String::new();
        let [top, middle, bottom] = self.rules;
        push_rule(&mut out, top, &widths);
        for (number, row) in std::iter::once(&grid.names).chain(&grid.rows).enumerate() {
            for (at, (cell, width)) in row.iter().zip(&widths).enumerate() {
                let own = side(&self.right, at);
                out.push(self.bar);
                out.push(' ');
                push_padded(
                    &mut out,
                    cell,
                    *width,
                    if number == 0 && self.head != Side::Right { self.head } else { own },
                );
                out.push(' ');
            }
            out.push(self.bar);
            out.push('\n');
            if number == 0 {
                push_rule(&mut out, middle, &widths);
            }
        }
        push_rule(&mut out, bottom, &widths);
        Some(out)
    }

    /// Says `│ ┌─┬┐ ├─┼┤ └─┴┘, names centred, right 1 4`.
    pub(super) fn note(&self) -> String {
        let rules =
            self.rules.iter().map(|rule| rule.map_or("none".to_owned(), |rule| rule.iter().collect()));
        let mut note = format!("{} {}", self.bar, rules.collect::<Vec<_>>().join(" "));
        if let Some((_, name)) = HEADS.iter().find(|(head, _)| *head == self.head && *head != Side::Left) {
            note = format!("{note}, {name}");
        }
        if self.right.is_empty() { note } else { format!("{note}, right {}", numbers_of(&self.right)) }
    }

    pub(super) fn parse(note: &str) -> Option<Self> {
        let mut parts = note.split(", ");
        let mut drawn = parts.next()?.split(' ');
        let bar = drawn.next()?.chars().next()?;
        let rules = drawn.map(parse_rule).collect::<Vec<_>>().try_into().ok()?;
        let mut layout = Self { bar, rules, right: Vec::new(), head: Side::Left };
        for part in parts {
            match part.strip_prefix("right ") {
                Some(list) => layout.right = parse_numbers(list)?,
                None => layout.head = HEADS.iter().find(|(_, name)| *name == part)?.0,
            }
        }
        Some(layout)
    }
}

/// Where names stand: on the left, in the middle, or as their column does.
const HEADS: [(Side, &str); 3] =
    [(Side::Left, "names left"), (Side::Middle, "names centred"), (Side::Right, "names as cells")];

/// The signs that a rule is drawn with.
fn rule(line: &str) -> Option<Rule> {
    let mut signs = line.chars();
    let (left, right) = (signs.next()?, signs.next_back()?);
    let fill = signs.clone().next().filter(|fill| "-=─━═".contains(*fill))?;
    let cross = signs.clone().find(|sign| *sign != fill).unwrap_or(right);
    signs.all(|sign| sign == fill || sign == cross).then_some([left, fill, cross, right])
}

/// The rule that a note names; `none` is none.
fn parse_rule(word: &str) -> Option<Rule> {
    if word == "none" {
        return None;
    }
    word.chars().collect::<Vec<_>>().try_into().ok()
}

fn push_rule(out: &mut String, rule: Option<Rule>, widths: &[usize]) {
    let Some([left, fill, cross, right]) = rule else { return };
    for (at, width) in widths.iter().enumerate() {
        out.push(if at == 0 { left } else { cross });
        out.extend(std::iter::repeat_n(fill, width + 2));
    }
    out.push(right);
    out.push('\n');
}

/// The cells between the bars of a line, with the space around them.
fn cells(line: &str, bar: char) -> Option<Vec<&str>> {
    let inner = line.strip_prefix(bar)?.strip_suffix(bar)?;
    Some(inner.split(bar).collect())
}
