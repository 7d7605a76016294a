//! Groups similar lines and counts them, to find the lines that differ from the others.

use std::collections::{HashMap, HashSet};
use std::ops::Range;

use crate::cut::alike::field::LineField;
use crate::cut::alike::range;
use crate::cut::alike::template::Template;

/// The groups of a text's lines.
pub(super) struct Groups {
    lines: Vec<Line>,
    /// The values of all lines, one line after the other.
    fields: Vec<LineField>,
    kinds: Vec<Group>,
}

struct Line {
    group: usize,
    fields: Range<usize>,
}

#[derive(Default)]
struct Group {
    lines: usize,
    /// The number of lines of this group that are shown so far.
    shown: usize,
    places: Vec<Place>,
}

/// A position in a template, with the values that occur at this position.
#[derive(Default)]
struct Place {
    values: HashSet<u64>,
    /// The numbers at this position, until their usual range is computed.
    numbers: Vec<f64>,
    usual: Option<range::UsualRange>,
    /// Hashes of the values, and of their words, in the lines shown so far.
    shown: HashSet<u64>,
}

/// The number of lines of every group that are always kept.
const FIRST_LINES: usize = 2;

/// A group with no more lines than this is kept whole.
const MAX_RARE_LINES: usize = 3;

/// If a position has more distinct values than this, the values identify single lines, not kinds of lines.
const MAX_KINDS: usize = 32;

/// Values count as kinds only if each occurs in at least this many lines on average.
const MIN_LINES_PER_KIND: usize = 8;

impl Groups {
    pub(super) fn of(lines: &[&str]) -> Self {
        let mut all = Self { lines: Vec::with_capacity(lines.len()), fields: Vec::new(), kinds: Vec::new() };
        let mut known: HashMap<u64, usize> = HashMap::new();
        for line in lines {
            let template = Template::of(line.trim_end());
            let next = all.kinds.len();
            let group = *known.entry(template.key).or_insert(next);
            if group == next {
                all.kinds.push(Group::default());
            }
            all.kinds[group].count(&template.fields);
            let start = all.fields.len();
            all.fields.extend(template.fields);
            all.lines.push(Line { group, fields: start..all.fields.len() });
        }
        all.kinds.iter_mut().flat_map(|group| &mut group.places).for_each(Place::close);
        all
    }

    /// True when the line at `at` contains something that no line above it contains. Must be called once for each
    /// line, in order.
    pub(super) fn is_new(&mut self, at: usize) -> bool {
        let line = &self.lines[at];
        self.kinds[line.group].is_new(&self.fields[line.fields.clone()])
    }
}

impl Group {
    fn count(&mut self, fields: &[LineField]) {
        self.lines += 1;
        self.places.resize_with(self.places.len().max(fields.len()), Place::default);
        for (place, field) in self.places.iter_mut().zip(fields) {
            if place.values.len() <= MAX_KINDS {
                place.values.insert(field.whole);
            }
            place.numbers.extend(field.number);
        }
    }

    fn is_new(&mut self, fields: &[LineField]) -> bool {
        let lines = self.lines;
        let fresh = self.places.iter().zip(fields).any(|(place, field)| place.is_new(lines, field));
        if !fresh && self.shown >= FIRST_LINES && lines > MAX_RARE_LINES {
            return false;
        }
        self.shown += 1;
        for (place, field) in self.places.iter_mut().zip(fields) {
            place.shown.extend([field.words, field.whole]);
        }
        true
    }
}

impl Place {
    fn close(&mut self) {
        self.usual = range::UsualRange::of(std::mem::take(&mut self.numbers));
    }

    /// True when the values at this position divide the lines of a group into kinds.
    fn has_kinds(&self, lines: usize) -> bool {
        self.values.len() <= MAX_KINDS && self.values.len() * MIN_LINES_PER_KIND <= lines
    }

    /// True when the field has words that no shown line has at this position, or a rare value, or an outlying number.
    fn is_new(&self, lines: usize, field: &LineField) -> bool {
        let odd = |number: f64| self.usual.as_ref().is_some_and(|usual| !usual.contains(number));
        !self.shown.contains(&field.words)
            || self.has_kinds(lines) && !self.shown.contains(&field.whole)
            || field.number.is_some_and(odd)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn new(lines: &[String]) -> Vec<usize> {
        let lines: Vec<&str> = lines.iter().map(String::as_str).collect();
        let mut groups = Groups::of(&lines);
        (0..lines.len()).filter(|at| groups.is_new(*at)).collect()
    }

    #[test]
    fn the_first_of_a_group_are_new() {
        let lines: Vec<String> = (0..40).map(|n| format!("job {n} done")).collect();
        assert_eq!(new(&lines), [0, 1]);
        assert_eq!(new(&lines[..3]), [0, 1, 2], "a few are not many");
    }

    #[test]
    fn a_rare_value_is_new() {
        let answer = |n: usize| if n == 30 { 500 } else { 200 };
        let lines: Vec<String> = (0..40).map(|n| format!("job {n} answered {}", answer(n))).collect();
        assert_eq!(new(&lines), [0, 1, 30]);
    }

    #[test]
    fn every_name_is_new_once() {
        let names = ["anna", "bob", "anna", "anna", "cleo", "anna", "bob", "anna"];
        let lines: Vec<String> = (0..40).map(|n| format!("call {n} by user={} of 9", names[n % 8])).collect();
        assert_eq!(new(&lines), [0, 1, 4]);
    }

    #[test]
    fn a_number_far_from_the_others_is_new() {
        let took = |n: usize| if n == 30 { 30_412 } else { n * 37 % 90 };
        let lines: Vec<String> =
            (0..400).map(|n| format!("request {} took {}ms", 5_000 + n, took(n))).collect();
        assert_eq!(new(&lines), [0, 1, 30]);
    }
}
