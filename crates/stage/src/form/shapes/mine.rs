//! Finds lines that say the same with other values: each line is a path of words through a tree, and the nodes are chosen
//! that save most. A node within the tree stands for all lines that begin alike, whatever they end with.

use std::collections::HashMap;

use crate::form::log::weigh::weigh;
use crate::form::shapes::unit::{Unit, split};

/// Lines taken apart.
pub(super) struct LineWords<'a> {
    pub(super) texts: Vec<&'a str>,
    units: Vec<Unit>,
    /// Where the units of each line end.
    ends: Vec<usize>,
}

/// Lines that begin alike.
#[derive(Debug)]
pub(super) struct AlikeLines {
    pub(super) lines: Vec<usize>,
    /// The words that they have in common, or places for them.
    pub(super) depth: usize,
    /// True when nothing follows these words.
    pub(super) whole: bool,
}

impl<'a> LineWords<'a> {
    /// Takes lines apart; those that stay as they are come as empty ones. `None` when there are too many words.
    pub(super) fn new(texts: Vec<&'a str>) -> Option<Self> {
        let (mut units, mut ends) = (Vec::new(), Vec::with_capacity(texts.len()));
        for text in &texts {
            split(text, 0, &mut units);
            ends.push(units.len());
            if units.len() > MAX_UNITS {
                return None;
            }
        }
        Some(Self { texts, units, ends })
    }

    pub(super) fn units(&self, line: usize) -> &[Unit] {
        let start = line.checked_sub(1).map_or(0, |before| self.ends[before]);
        &self.units[start..self.ends[line]]
    }

    /// What follows the last word of a line.
    fn tail(&self, line: usize) -> &'a str {
        let text = self.texts[line];
        &text[self.units(line).last().map_or(0, |unit| unit.end())..]
    }

    fn words(&self, line: usize) -> impl Iterator<Item = (&'a str, &'a str)> {
        let text = self.texts[line];
        self.units(line).iter().map(move |unit| (unit.space(text), unit.text(text)))
    }
}

/// A word that stands in fewer lines than this may be a value.
const MIN_COUNT: usize = 4;

/// A word with digits in it is a value, unless one line in so many has it and it begins like a word: `E0308`.
const CODE_SHARE: usize = 10;

/// Fewer lines are no shape.
const MIN_LINES: i64 = 3;

/// What a shape must save.
const MIN_GAIN: i64 = 16;

/// What a name costs, with its colon.
const NAME: i64 = 2;

/// The words of a text that is taken apart: each may take about 150 bytes of memory.
const MAX_UNITS: usize = 1 << 18;

/// Words of a line that are looked at.
const MAX_DEPTH: usize = 64;

/// The groups of lines that are worth a shape each.
pub(super) fn mine(lines: &LineWords<'_>) -> Vec<AlikeLines> {
    let counts = counts(lines);
    let mut tree = Tree::default();
    let leaves: Vec<usize> = (0..lines.texts.len()).map(|line| tree.add(lines, &counts, line)).collect();
    tree.weigh();
    tree.choose();
    let mut groups: HashMap<usize, AlikeLines> = HashMap::new();
    for (line, leaf) in leaves.into_iter().enumerate() {
        let Some(owner) = tree.owner(leaf) else { continue };
        let node = &tree.nodes[owner];
        let group = AlikeLines { lines: Vec::new(), depth: node.depth, whole: node.whole };
        groups.entry(owner).or_insert(group).lines.push(line);
    }
    let mut groups: Vec<_> = groups.into_values().collect();
    groups.sort_by_key(|group| group.lines[0]);
    groups
}

/// How often each word stands in the lines.
fn counts<'a>(lines: &LineWords<'a>) -> HashMap<&'a str, usize> {
    let mut counts = HashMap::new();
    for line in 0..lines.texts.len() {
        for (_, word) in lines.words(line).take(MAX_DEPTH) {
            *counts.entry(word).or_default() += 1;
        }
    }
    counts
}

/// True when the word stands in all lines of a shape; else there is a place for it.
fn is_fixed(word: &str, count: usize, lines: usize) -> bool {
    let digits = word.bytes().any(|byte| byte.is_ascii_digit());
    let least = if digits { (lines / CODE_SHARE).max(MIN_COUNT * 2) } else { MIN_COUNT };
    count >= least && (!digits || word.starts_with(|first: char| first.is_ascii_alphabetic() || first == '"'))
}

#[derive(Default)]
struct Tree<'a> {
    nodes: Vec<Node<'a>>,
    children: HashMap<(usize, u64), usize>,
}

#[derive(Default)]
struct Node<'a> {
    parent: usize,
    depth: usize,
    whole: bool,
    lines: i64,
    /// Of words that differ, the first and how much of it all have.
    first: &'a str,
    head: usize,
    differs: bool,
    /// The weight of what its lines share, and the places between.
    fixed: i64,
    places: i64,
    /// What the best choice below it saves, and the lines that this leaves as they are.
    saved: i64,
    left: i64,
    chosen: Choice,
}

/// A word on the way of a line: one that its shape has, or one that differs.
#[derive(Clone, Copy)]
enum TreeStep<'a> {
    Word(&'a str),
    Place(&'a str),
}

/// Which lines of a node have its shape.
#[derive(Default, Clone, Copy, PartialEq, Eq)]
enum Choice {
    #[default]
    None,
    /// Those that no node below has taken.
    Rest,
    All,
}

impl<'a> Tree<'a> {
    /// Walks a line, and says where it ends.
    fn add(&mut self, lines: &LineWords<'a>, counts: &HashMap<&str, usize>, line: usize) -> usize {
        if self.nodes.is_empty() {
            self.nodes.push(Node::default());
        }
        let all = lines.texts.len();
        let mut at = 0;
        for (space, word) in lines.words(line).take(MAX_DEPTH) {
            let fixed = is_fixed(word, counts.get(word).copied().unwrap_or_default(), all);
            at = self.step(at, space, if fixed { TreeStep::Word(word) } else { TreeStep::Place(word) });
        }
        let long = lines.units(line).len() > MAX_DEPTH;
        let end = self.step(at, lines.tail(line), TreeStep::Word(if long { "" } else { END }));
        let depth = self.nodes[at].depth;
        let node = &mut self.nodes[end];
        (node.whole, node.depth) = (!long, depth);
        node.lines += 1;
        end
    }

    /// The node below `parent` for a word.
    fn step(&mut self, parent: usize, space: &str, step: TreeStep<'a>) -> usize {
        let next = self.nodes.len();
        let (fixed, first) = match step {
            TreeStep::Word(word) => (word, ""),
            TreeStep::Place(word) => ("", word),
        };
        let key = hash(hash(SEED, space), if first.is_empty() { fixed } else { PLACE });
        let at = *self.children.entry((parent, key)).or_insert(next);
        if at == next {
            let depth = self.nodes[parent].depth + 1;
            let weight = i64::try_from(weigh(space) + weigh(fixed)).unwrap_or_default();
            let head = first.len();
            self.nodes.push(Node { parent, depth, first, head, fixed: weight, ..Node::default() });
        } else if !first.is_empty() {
            let node = &mut self.nodes[at];
            let pairs = node.first.bytes().zip(first.bytes()).take(node.head);
            node.head = pairs.take_while(|(one, other)| one == other).count();
            node.differs |= node.first != first;
        }
        at
    }

    /// Adds up what lines share, from the root down.
    fn weigh(&mut self) {
        for at in 1..self.nodes.len() {
            let above = &self.nodes[self.nodes[at].parent];
            let (fixed, places) = (above.fixed, above.places);
            let node = &mut self.nodes[at];
            node.fixed += fixed + i64::try_from(weigh(node.shared())).unwrap_or_default();
            node.places = places + i64::from(node.differs);
        }
    }

    /// Chooses, from the ends of lines up, what saves most.
    fn choose(&mut self) {
        for at in (1..self.nodes.len()).rev() {
            let node = &mut self.nodes[at];
            if node.whole {
                node.left = node.lines;
            }
            let (rest, all) = (node.gain(node.left), node.gain(node.lines));
            if all > node.saved + rest.max(0) {
                (node.chosen, node.saved, node.left) = (Choice::All, all, 0);
            } else if rest > 0 {
                (node.chosen, node.saved, node.left) = (Choice::Rest, node.saved + rest, 0);
            }
            let (parent, lines, saved, left) = (node.parent, node.lines, node.saved, node.left);
            let above = &mut self.nodes[parent];
            above.lines += lines;
            above.saved += saved;
            above.left += left;
        }
    }

    /// The node whose shape a line has.
    fn owner(&self, leaf: usize) -> Option<usize> {
        let (mut at, mut owner) = (leaf, None);
        while at != 0 {
            let node = &self.nodes[at];
            if node.chosen == Choice::All || node.chosen == Choice::Rest && owner.is_none() {
                owner = Some(at);
            }
            at = node.parent;
        }
        owner
    }
}

impl Node<'_> {
    /// What all words at a place begin with, up to a slash; all of it where they are the same.
    fn shared(&self) -> &str {
        if !self.differs {
            return self.first;
        }
        let head = &self.first.as_bytes()[..self.head];
        let end = head.iter().rposition(|&sign| sign == b'/');
        end.and_then(|end| self.first.get(..end)).unwrap_or_default()
    }

    /// What its shape saves on so many lines; nothing when that is too little.
    fn gain(&self, lines: i64) -> i64 {
        let places = self.places + i64::from(!self.whole);
        let gain = lines * (self.fixed - NAME - places) - (self.fixed + 2 * places + 2 * NAME);
        if lines >= MIN_LINES && gain >= MIN_GAIN { gain } else { 0 }
    }
}

/// What stands for a word that differs, and for the end of a line: no word has a newline in it.
const PLACE: &str = "\n";
const END: &str = "\n\n";

const SEED: u64 = 0xcbf2_9ce4_8422_2325;

/// Folds a text into a number, with a mark behind it.
fn hash(seed: u64, text: &str) -> u64 {
    let add = |hash: u64, byte: u8| (hash ^ u64::from(byte)).wrapping_mul(0x0100_0000_01b3);
    add(text.bytes().fold(seed, add), 0xff)
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The lines, depth and end of each group.
    fn check(text: &str, expected: &[(&[usize], usize, bool)]) {
        let lines = LineWords::new(text.lines().collect()).unwrap();
        let found = mine(&lines);
        let found: Vec<_> = found.iter().map(|group| (&*group.lines, group.depth, group.whole)).collect();
        assert_eq!(found, expected, "{text}");
    }

    #[test]
    fn lines_that_differ_in_values_are_one_group() {
        let line = |n: usize| format!("worker {n} has taken job {} from the long queue\n", n * 7);
        let text: String = (0..9).map(line).collect();
        check(&text, &[(&[0, 1, 2, 3, 4, 5, 6, 7, 8], 10, true)]);
        check(&format!("something else\n{text}"), &[(&[1, 2, 3, 4, 5, 6, 7, 8, 9], 10, true)]);
    }

    #[test]
    fn lines_that_only_begin_alike_are_a_group_too() {
        let end = |n: usize| ["x", "y z", "of all", "q, r; s", "t u v w", "k"][n];
        let line = |n: usize| format!("[pool worker main] com.example.shop.Orders says {}\n", end(n));
        let text: String = (0..6).map(line).collect();
        check(&text, &[(&[0, 1, 2, 3, 4, 5], 5, false)]);
    }

    #[test]
    fn lines_without_a_shape_have_none() {
        for text in ["", "\n\n\n", "a b c\nd e\nf", "x\nx\nx\nx\nx"] {
            check(text, &[]);
        }
    }
}
