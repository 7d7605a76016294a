//! Finds similar lines: lines that share the same frequent words.
//!
//! The rarer the words that count, the finer the groups of lines, so the groups form a tree. The tree is cut into the
//! groups whose templates save most.

use std::cmp::Reverse;

use foldhash::{HashMap, HashMapExt as _};

use crate::form::general::column;
use crate::form::general::cost::{Cost, TOKEN};
use crate::form::general::field;
use crate::form::general::index::WordIndex;
use crate::form::general::part::Part;
use crate::form::general::source::ReadText;
use crate::form::general::span::Span;
use crate::form::general::template::{LineTemplate, Rows, TEMPLATE_COST};
use crate::omit;

/// The minimum saving of a template.
const MIN_GAIN: Cost = 8 * TOKEN;

/// The maximum number of rows inspected to judge a group.
const MAX_SAMPLE_ROWS: usize = 1000;

/// The maximum number of templates in a text.
const MAX_TEMPLATES: usize = 40;

/// Finds the templates of a text, best first.
pub(super) fn mine(source: &ReadText<'_>) -> Vec<LineTemplate> {
    // A line that reports omitted text is not made a row, because readers easily miss such a report among values.
    let rows = (0..).zip(&source.lines).filter(|(_, line)| !line.is_empty());
    let rows: Vec<u32> =
        rows.filter(|(_, line)| !omit::is_marker(line.of(source.text))).map(|(row, _)| row).collect();
    if rows.len() < 3 {
        return Vec::new();
    }
    let tree = Tree { source, words: &source.words };
    let groups = tree.grow(&rows, 0).groups;
    let mut templates: Vec<_> = groups.iter().filter_map(|group| tree.template(group)).collect();
    templates.retain(|template| template.gain >= MIN_GAIN);
    templates.sort_by_key(|template| (-template.gain, template.rows[0]));
    templates.truncate(MAX_TEMPLATES);
    templates
}

struct Tree<'s, 'a> {
    source: &'s ReadText<'a>,
    words: &'s WordIndex,
}

/// The rows of a template.
struct Group {
    rows: Vec<u32>,
    /// Words whose level is lower than this are the same in all rows.
    level: u8,
}

/// The best cut through a part of the tree.
#[derive(Default)]
struct Cut {
    gain: Cost,
    groups: Vec<Group>,
}

impl Tree<'_, '_> {
    /// The best cut through the tree below `rows`, which have the same words at all levels lower than `level`.
    fn grow(&self, rows: &[u32], level: u8) -> Cut {
        if !self.may_pay(rows) {
            return Cut::default();
        }
        let (level, parts) = self.split(rows, level);
        let own = self.judge(rows, level);
        let mut below = Cut::default();
        for part in parts {
            let cut = self.grow(&part, level + 1);
            below.gain += cut.gain;
            below.groups.extend(cut.groups);
        }
        match own {
            Some((gain, rows)) if gain >= MIN_GAIN.max(below.gain) => {
                Cut { gain, groups: vec![Group { rows, level }] }
            }
            _ => below,
        }
    }

    /// True when a template could save enough if the rows differed in only one value.
    fn may_pay(&self, rows: &[u32]) -> bool {
        let dearest = rows.iter().map(|row| self.source.cost_of_lines(*row, 1)).max().unwrap_or(0);
        (rows.len() as Cost - 1) * dearest > MIN_GAIN + TEMPLATE_COST
    }

    /// The first level, from `level` on, at which the words of the rows differ, and the groups that result. Returns no
    /// groups if the words differ at no level.
    fn split(&self, rows: &[u32], mut level: u8) -> (u8, Vec<Vec<u32>>) {
        while let Some(next) = self.words.next(rows, level) {
            let mut places: HashMap<u64, usize> = HashMap::new();
            let mut parts: Vec<Vec<u32>> = Vec::new();
            for row in rows {
                let place = *places.entry(self.words.signature(*row, next)).or_insert(parts.len());
                if place == parts.len() {
                    parts.push(Vec::new());
                }
                parts[place].push(*row);
            }
            if parts.len() > 1 {
                return (next, parts);
            }
            level = next + 1;
        }
        (self.words.finest, Vec::new())
    }

    /// The saving of a template for the rows, and the rows that the template applies to.
    fn judge(&self, rows: &[u32], level: u8) -> Option<(Cost, Vec<u32>)> {
        let all = self.sample_template(rows, level).map(|template| (template.gain, rows.to_vec()));
        let some =
            self.majority(rows).and_then(|some| Some((self.sample_template(&some, level)?.gain, some)));
        all.into_iter().chain(some).max_by_key(|(gain, _)| *gain)
    }

    /// The template of the rows, based on a sample of them.
    fn sample_template(&self, rows: &[u32], level: u8) -> Option<LineTemplate> {
        let step = rows.len().div_ceil(MAX_SAMPLE_ROWS);
        let seen: Vec<u32> = rows.chunks(step).map(|chunk| chunk[chunk.len() / 2]).collect();
        let parts = self.parts(&seen, level)?;
        LineTemplate::new(self.source, parts, &Rows { all: rows, seen: &seen, height: 1 })
    }

    /// The template of a group. Leaves out a few dissimilar rows if that saves more.
    fn template(&self, group: &Group) -> Option<LineTemplate> {
        let parts = self.parts(&group.rows, group.level)?;
        let usual = usual_rows(self.source.text, &parts, &group.rows);
        let all = self.whole(parts, &group.rows);
        let fewer = usual.and_then(|rows| self.whole(self.parts(&rows, group.level)?, &rows));
        all.into_iter().chain(fewer).max_by_key(|template| template.gain)
    }

    fn whole(&self, parts: Vec<Part>, rows: &[u32]) -> Option<LineTemplate> {
        LineTemplate::new(self.source, parts, &Rows { all: rows, seen: rows, height: 1 })
    }

    /// Splits rows into parts: words whose level is lower than `level` are the same in all rows, and the text between
    /// them is split further.
    fn parts(&self, rows: &[u32], level: u8) -> Option<Vec<Part>> {
        let counts = |row: u32| self.words.of(row).iter().filter(move |word| word.level < level);
        let same: Vec<_> = counts(rows[0]).collect();
        let mut gaps: Vec<_> = (0..=same.len()).map(|_| Vec::with_capacity(rows.len())).collect();
        for row in rows {
            let line = self.source.lines[*row as usize];
            let (mut start, mut place) = (line.from(), 0);
            for word in counts(*row) {
                if same.get(place).is_none_or(|same| same.number != word.number) {
                    return None;
                }
                gaps[place].push(Span::new(start, word.span.from()));
                start = word.span.to();
                place += 1;
            }
            if place < same.len() {
                return None;
            }
            gaps[place].push(Span::new(start, line.to()));
        }
        let mut parts = Vec::new();
        let mut same = same.into_iter();
        for cells in gaps {
            column::refine(self.source.text, cells, &mut parts);
            if let Some(word) = same.next() {
                column::put_same(&mut parts, word.span);
            }
        }
        Some(parts)
    }

    /// The rows with the most frequent number of fields, if other rows have more or fewer.
    fn majority(&self, rows: &[u32]) -> Option<Vec<u32>> {
        if rows.len() < 8 {
            return None;
        }
        let step = rows.len().div_ceil(MAX_SAMPLE_ROWS);
        (0..field::COUNTED_SEPARATORS).find_map(|separator| {
            let count = |row: &u32| self.words.separators[*row as usize][separator];
            if rows.iter().all(|row| count(row) == count(&rows[0])) {
                return None;
            }
            let mut tally = [0u32; 256];
            rows.iter().step_by(step).for_each(|row| tally[usize::from(count(row))] += 1);
            let rank = |count: &u8| (tally[usize::from(*count)], Reverse(*count));
            let most = rows.iter().step_by(step).map(count).max_by_key(rank)?;
            let seen = rows.len().div_ceil(step);
            if most < 2 || tally[usize::from(most)] as usize * 10 / seen < 5 {
                return None;
            }
            let some: Vec<u32> = rows.iter().copied().filter(|row| count(row) == most).collect();
            (some.len() < rows.len() && some.len() >= 4).then_some(some)
        })
    }
}

/// The usual rows, if only a few rows are exceptions. An exception has another value where nearly all rows agree, or a
/// blank value.
fn usual_rows(text: &str, parts: &[Part], rows: &[u32]) -> Option<Vec<u32>> {
    let count = rows.len();
    if count < 8 {
        return None;
    }
    let mut is_usual = vec![true; count];
    let columns =
        parts.iter().filter_map(|part| if let Part::Cells(cells, _) = part { Some(cells) } else { None });
    for cells in columns {
        // A value that nearly all rows have also occurs in the middle.
        let value = [count / 3, count / 2, count - 1].map(|row| cells[row].bytes(text));
        let value = if value[0] == value[1] { value[0] } else { value[2] };
        let is_common = cells.iter().filter(|cell| cell.bytes(text) == value).count() * 10 >= count * 9;
        for (usual, cell) in is_usual.iter_mut().zip(cells) {
            *usual &= if is_common {
                cell.bytes(text) == value
            } else {
                cell.is_empty() || !cell.of(text).trim().is_empty()
            };
        }
    }
    let usual: Vec<u32> =
        rows.iter().zip(&is_usual).filter(|(_, usual)| **usual).map(|(row, _)| *row).collect();
    (usual.len() < count && usual.len() * 10 >= count * 8).then_some(usual)
}
