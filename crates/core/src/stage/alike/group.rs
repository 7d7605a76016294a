//! Lines alike, counted, so that the first of them can be told from the rest.

use std::collections::HashMap;
use std::ops::Range;

use super::template::Template;

/// The groups of a text's lines.
pub(super) struct Groups {
    lines: Vec<Line>,
    /// The values of all lines, one after the other.
    values: Vec<u64>,
    kinds: Vec<Group>,
}

struct Line {
    group: usize,
    values: Range<usize>,
}

#[derive(Default)]
struct Group {
    lines: usize,
    /// Lines of it that were shown.
    shown: usize,
    places: Vec<Place>,
}

/// A place in a template, and the values that stand there.
#[derive(Default)]
struct Place {
    values: Vec<u64>,
    /// Those that a line shown has.
    shown: Vec<u64>,
}

/// Lines of every group that stay.
const FIRST: usize = 2;

/// All lines of a group this small stay.
const RARE: usize = 3;

/// A place with more values than this tells lines apart, not kinds of lines.
const FEW: usize = 6;

/// And each of them stands in so many lines, on average.
const EACH: usize = 8;

impl Groups {
    pub(super) fn of(lines: &[&str]) -> Self {
        let mut all = Self { lines: Vec::with_capacity(lines.len()), values: Vec::new(), kinds: Vec::new() };
        let mut known: HashMap<u64, usize> = HashMap::new();
        for line in lines {
            let template = Template::of(line.trim_end());
            let next = all.kinds.len();
            let group = *known.entry(template.key).or_insert(next);
            if group == next {
                all.kinds.push(Group::default());
            }
            all.kinds[group].count(&template.values);
            let start = all.values.len();
            all.values.extend(template.values);
            all.lines.push(Line { group, values: start..all.values.len() });
        }
        all
    }

    /// True when the line at `at` tells what no line above it told; each line is asked about once, in order.
    pub(super) fn is_new(&mut self, at: usize) -> bool {
        let line = &self.lines[at];
        self.kinds[line.group].is_new(&self.values[line.values.clone()])
    }
}

impl Group {
    fn count(&mut self, values: &[u64]) {
        self.lines += 1;
        self.places.resize_with(self.places.len().max(values.len()), Place::default);
        for (place, value) in self.places.iter_mut().zip(values) {
            if place.values.len() <= FEW && !place.values.contains(value) {
                place.values.push(*value);
            }
        }
    }

    fn is_new(&mut self, values: &[u64]) -> bool {
        let lines = self.lines;
        let fresh = self.places.iter().zip(values).any(|(place, value)| place.is_new(lines, *value));
        if !fresh && self.shown >= FIRST && lines > RARE {
            return false;
        }
        self.shown += 1;
        for (place, value) in self.places.iter_mut().zip(values) {
            if place.tells(lines) && !place.shown.contains(value) {
                place.shown.push(*value);
            }
        }
        true
    }
}

impl Place {
    /// True when its values sort the lines of a group into kinds.
    fn tells(&self, lines: usize) -> bool {
        self.values.len() <= FEW && self.values.len() * EACH <= lines
    }

    fn is_new(&self, lines: usize, value: u64) -> bool {
        self.tells(lines) && !self.shown.contains(&value)
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
}
