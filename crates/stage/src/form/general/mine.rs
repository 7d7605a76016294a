//! Finds lines alike: those that have the same words, of the words that many lines have.
//!
//! The fewer lines a word may stand in, the finer lines are told apart, so the groups are a tree. Where it is cut is
//! decided by what the templates of its nodes save.

use std::collections::HashMap;

use crate::form::general::column::{self, is_wordy};
use crate::form::general::cost::{Cost, TOKEN};
use crate::form::general::field;
use crate::form::general::part::Part;
use crate::form::general::source::ReadText;
use crate::form::general::span::Span;
use crate::form::general::template::{LineTemplate, Rows};

/// What a template must save.
const LEAST: Cost = 8 * TOKEN;

/// Words of a line that are looked at.
const MOST_WORDS: usize = 400;

/// Rows that a group is judged by.
const SEEN: usize = 40;

/// Templates of a text.
const MOST: usize = 40;

/// The templates of a text, the best first.
pub(super) fn mine(source: &ReadText<'_>) -> Vec<LineTemplate> {
    let words = Words::read(source);
    let rows: Vec<u32> =
        (0..).zip(&source.lines).filter(|(_, line)| !line.is_empty()).map(|(row, _)| row).collect();
    if rows.len() < 3 {
        return Vec::new();
    }
    let tree = Tree { source, words };
    let groups = tree.grow(&rows, 0).groups;
    let mut templates: Vec<_> = groups.iter().filter_map(|group| tree.template(group)).collect();
    templates.retain(|template| template.gain >= LEAST);
    templates.sort_by_key(|template| (-template.gain, template.rows[0]));
    templates.truncate(MOST);
    templates
}

/// The words of all lines.
struct Words {
    /// Each word, by number, and where it stands.
    all: Vec<(u32, Span)>,
    /// Where the words of each line begin.
    starts: Vec<u32>,
    /// Of each word, how fine lines must be told apart for it to count.
    levels: Vec<u8>,
    /// How many levels there are.
    finest: u8,
}

impl Words {
    fn read(source: &ReadText<'_>) -> Self {
        let mut numbers: HashMap<&str, u32> = HashMap::new();
        let (mut all, mut starts) = (Vec::new(), Vec::with_capacity(source.lines.len() + 1));
        // Of each word, how many lines have it, and the last that did.
        let mut support: Vec<(u32, u32)> = Vec::new();
        for (row, line) in (1u32..).zip(&source.lines) {
            starts.push(all.len() as u32);
            for word in strong_words(source.text, *line).take(MOST_WORDS) {
                let number = *numbers.entry(word.of(source.text)).or_insert(support.len() as u32);
                if number as usize == support.len() {
                    support.push((0, 0));
                }
                let (count, last) = &mut support[number as usize];
                *count += u32::from(*last != row);
                *last = row;
                all.push((number, word));
            }
        }
        starts.push(all.len() as u32);
        let steps = steps(source.lines.iter().filter(|line| !line.is_empty()).count());
        let level = |count: u32| steps.partition_point(|step| *step > count) as u8;
        let levels = support.into_iter().map(|(count, _)| level(count)).collect();
        Self { all, starts, levels, finest: steps.len() as u8 }
    }

    fn of(&self, row: u32) -> &[(u32, Span)] {
        &self.all[self.starts[row as usize] as usize..self.starts[row as usize + 1] as usize]
    }

    fn level(&self, word: u32) -> u8 {
        self.levels[word as usize]
    }

    /// The words of a row that count at a level, as one number.
    fn signature(&self, row: u32, level: u8) -> u64 {
        let counts = self.of(row).iter().filter(|(word, _)| self.level(*word) <= level);
        counts.fold(0, |sum, (word, _)| {
            (sum ^ u64::from(*word)).wrapping_mul(0x9E37_79B9_7F4A_7C15).rotate_left(23)
        })
    }

    /// The next level at which a word of these rows counts.
    fn next(&self, rows: &[u32], level: u8) -> Option<u8> {
        let words = rows.iter().flat_map(|row| self.of(*row));
        words.map(|(word, _)| self.level(*word)).filter(|next| (level..self.finest).contains(next)).min()
    }
}

/// In how many lines a word stands at least, level by level.
fn steps(lines: usize) -> Vec<u32> {
    let mut steps = Vec::new();
    let mut step = lines as u32;
    while step > 2 {
        steps.push(step);
        step = step * 2 / 3;
    }
    steps.push(2);
    steps
}

/// The words of a line that have a letter.
fn strong_words(text: &str, line: Span) -> impl Iterator<Item = Span> {
    let bytes = text.as_bytes();
    let mut at = line.from();
    std::iter::from_fn(move || {
        loop {
            while at < line.to() && !is_wordy(bytes[at]) {
                at += 1;
            }
            let start = at;
            let mut has_letter = false;
            while at < line.to() && is_wordy(bytes[at]) {
                has_letter |= !bytes[at].is_ascii_digit() && bytes[at] != b'_';
                at += 1;
            }
            if start == at {
                return None;
            }
            if has_letter {
                return Some(Span::new(start, at));
            }
        }
    })
}

struct Tree<'s, 'a> {
    source: &'s ReadText<'a>,
    words: Words,
}

/// Rows that a template is made of.
struct Group {
    rows: Vec<u32>,
    /// Words below this level are the same in all of them.
    level: u8,
}

/// The best cut through a part of the tree.
#[derive(Default)]
struct Cut {
    gain: Cost,
    groups: Vec<Group>,
}

impl Tree<'_, '_> {
    /// The best cut below rows that are not told apart by any level before this one.
    fn grow(&self, rows: &[u32], level: u8) -> Cut {
        if rows.len() < 2 {
            return Cut::default();
        }
        let (level, parts) = self.split(rows, level);
        let own = self.judged(rows, level);
        let mut below = Cut::default();
        for part in parts {
            let cut = self.grow(&part, level + 1);
            below.gain += cut.gain;
            below.groups.extend(cut.groups);
        }
        match own {
            Some((gain, runs, rows)) if gain >= LEAST => {
                let is_table =
                    below.groups.len() > 1 && runs * 10 <= rows.len() && gain * 100 >= below.gain * 85;
                if gain >= below.gain || is_table {
                    return Cut { gain: gain.max(below.gain), groups: vec![Group { rows, level }] };
                }
                below
            }
            _ => below,
        }
    }

    /// The first level from one on that tells rows apart, and the parts; none where no level does.
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

    /// What a template of rows would save, in how many runs they are, and the rows that it is for.
    fn judged(&self, rows: &[u32], level: u8) -> Option<(Cost, usize, Vec<u32>)> {
        let all = self.sampled(rows, level).map(|template| (template.gain, template.runs(), rows.to_vec()));
        let some = self.majority(rows).and_then(|some| {
            let template = self.sampled(&some, level)?;
            Some((template.gain, template.runs(), some))
        });
        all.into_iter().chain(some).max_by_key(|(gain, ..)| *gain)
    }

    /// The template of rows, by the cells of some of them.
    fn sampled(&self, rows: &[u32], level: u8) -> Option<LineTemplate> {
        let step = rows.len().div_ceil(SEEN);
        let seen: Vec<u32> = rows.chunks(step).map(|chunk| chunk[chunk.len() / 2]).collect();
        let parts = self.parts(&seen, level)?;
        LineTemplate::new(self.source, parts, &Rows { all: rows, seen: &seen, height: 1 })
    }

    /// The template of a group, without the few rows that are unlike the others if that saves more.
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

    /// Rows as parts: the words below a level are the same in all of them, and what stands between is taken apart.
    fn parts(&self, rows: &[u32], level: u8) -> Option<Vec<Part>> {
        let counts =
            |row: u32| self.words.of(row).iter().filter(move |(word, _)| self.words.level(*word) < level);
        let same: Vec<_> = counts(rows[0]).collect();
        let mut gaps = vec![Vec::with_capacity(rows.len()); same.len() + 1];
        for row in rows {
            let line = self.source.lines[*row as usize];
            let (mut start, mut place) = (line.from(), 0);
            for (word, span) in counts(*row) {
                if same.get(place).is_none_or(|(same, _)| same != word) {
                    return None;
                }
                gaps[place].push(Span::new(start, span.from()));
                start = span.to();
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
            if let Some((_, span)) = same.next() {
                column::put_same(&mut parts, *span);
            }
        }
        Some(parts)
    }

    /// Those of the rows that have as many fields as most of them, where a few have more or fewer.
    fn majority(&self, rows: &[u32]) -> Option<Vec<u32>> {
        if rows.len() < 8 {
            return None;
        }
        let step = rows.len().div_ceil(SEEN);
        let seen: Vec<u32> = rows.iter().copied().step_by(step).collect();
        [b'\t', b'|', b',', b' '].into_iter().find_map(|separator| {
            let width = |row: u32| field::width(self.source.text, self.source.lines[row as usize], separator);
            let widths: Vec<usize> = seen.iter().map(|row| width(*row)).collect();
            let most =
                *widths.iter().max_by_key(|wide| widths.iter().filter(|width| width == wide).count())?;
            let share = widths.iter().filter(|width| **width == most).count() * 10 / widths.len();
            if most < 3 || share < 5 {
                return None;
            }
            let some: Vec<u32> = rows.iter().copied().filter(|row| width(*row) == most).collect();
            (some.len() < rows.len() && some.len() >= 4).then_some(some)
        })
    }
}

/// The rows that have the usual value wherever nearly all do, and none of blanks, if a few have not.
fn usual_rows(text: &str, parts: &[Part], rows: &[u32]) -> Option<Vec<u32>> {
    let count = rows.len();
    if count < 8 {
        return None;
    }
    let mut is_usual = vec![true; count];
    let columns =
        parts.iter().filter_map(|part| if let Part::Cells(cells, _) = part { Some(cells) } else { None });
    for cells in columns {
        // What nearly all have stands in the middle, too.
        let value = [count / 3, count / 2, count - 1].map(|row| cells[row].of(text));
        let value = if value[0] == value[1] { value[0] } else { value[2] };
        let is_common = cells.iter().filter(|cell| cell.of(text) == value).count() * 10 >= count * 9;
        for (usual, cell) in is_usual.iter_mut().zip(cells) {
            let cell = cell.of(text);
            *usual &= if is_common { cell == value } else { cell.is_empty() || !cell.trim().is_empty() };
        }
    }
    let usual: Vec<u32> =
        rows.iter().zip(&is_usual).filter(|(_, usual)| **usual).map(|(row, _)| *row).collect();
    (usual.len() < count && usual.len() * 10 >= count * 8).then_some(usual)
}
