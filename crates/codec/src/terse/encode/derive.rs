//! Finds fields whose values can be built from other fields: `https://x/{owner.login}/{name}`.

use std::cmp::Reverse;
use std::collections::HashSet;

use super::column::{Column, ColumnTrail, Columns};
use super::hoist::{Hoist, MIN_RECORDS};
use super::level::Level;
use super::weigh::{TOKEN, weigh};
use crate::Value;
use crate::terse::template::{MAX_PARTS, TemplatePart, parse};

/// Finds templates for the fields of a level and of the levels below; each template comes with the position of its
/// field.
pub(super) fn find<'v>(level: &Level<'v>) -> Vec<(Vec<usize>, Hoist<'v>)> {
    let mut search = Search::default();
    search.list(level, &ColumnTrail::default(), &[]);
    search.found
}

/// The maximum number of comparisons for each record, so that the time for wide lists grows only in proportion to
/// their size.
const MAX_TRIES_PER_RECORD: usize = 4096;

/// The maximum length of a value that can be built from other fields.
const MAX_VALUE_BYTES: usize = 400;

/// The maximum number of sources in one template.
const MAX_SOURCES: usize = 12;

#[derive(Default)]
struct Search<'v> {
    found: Vec<(Vec<usize>, Hoist<'v>)>,
    /// The names of the columns that are built from others. No other column may be built from them.
    derived: HashSet<String>,
    /// The names of the columns that others are built from. They must be kept.
    sources: HashSet<String>,
}

/// A column that values can be built from. It belongs to the same list as the target, or to the enclosing list.
#[derive(Clone, Copy)]
struct Source<'c, 'v> {
    column: &'c Column<'v>,
    owners: Option<&'c [u32]>,
}

impl<'v> Source<'_, 'v> {
    fn text(&self, record: usize) -> Option<&'v str> {
        let record = self.owners.map_or(record, |owners| owners[record] as usize);
        self.column.texts[record]
    }

    /// True when the target's text contains the source's text.
    fn is_inside(&self, target: &Column<'_>, record: usize) -> bool {
        match (self.text(record), target.texts[record]) {
            (Some(source), Some(target)) => !source.is_empty() && target.contains(source),
            _ => false,
        }
    }
}

impl<'v> Search<'v> {
    /// Searches the records of one list; `outer` contains the columns of the enclosing list.
    fn list(&mut self, level: &Level<'v>, trail: &ColumnTrail<'v>, outer: &[Source<'_, 'v>]) {
        let Columns { list: columns, lists, .. } = Columns::of(level, trail);
        if level.size() >= MIN_RECORDS {
            self.derive(&columns, outer, MAX_TRIES_PER_RECORD * level.size());
        }
        for list in &lists {
            let around = columns.iter().filter(|column| !self.derived.contains(&column.name));
            let around = around.map(|column| Source { column, owners: Some(&list.owners) });
            self.list(list.level, &list.trail, &around.collect::<Vec<_>>());
        }
    }

    fn derive(&mut self, columns: &[Column<'v>], outer: &[Source<'_, 'v>], mut tries: usize) {
        let own = columns.iter().map(|column| Source { column, owners: None });
        let all: Vec<_> = own.chain(outer.iter().copied()).collect();
        let mut targets: Vec<_> = columns.iter().filter(|column| column.strings).collect();
        targets.sort_by_key(|column| column.size);
        for target in targets {
            if self.sources.contains(&target.name) || tries < all.len() {
                continue;
            }
            tries -= all.len();
            let sources: Vec<_> = all.iter().filter(|source| self.allows(source, target)).copied().collect();
            if let Some(made) = make(target, &sources)
                && let Some(hoist) = made.hoist(target)
            {
                self.sources.extend(made.pieces.iter().filter_map(Piece::name).map(str::to_owned));
                self.derived.insert(target.name.clone());
                self.found.push((target.place.clone(), hoist));
            }
        }
    }

    /// True when `target` may be built from `source`. A name in quotes is not allowed: it would be hard to read in a
    /// template.
    fn allows(&self, source: &Source<'_, '_>, target: &Column<'_>) -> bool {
        let name = &source.column.name;
        *name != target.name && !name.contains('"') && !self.derived.contains(name)
    }
}

/// A piece of a new template.
enum Piece<'c, 'v> {
    Text(&'v str),
    Field(Source<'c, 'v>),
}

impl<'c, 'v> Piece<'c, 'v> {
    fn name(&self) -> Option<&'c str> {
        match self {
            Self::Text(_) => None,
            Self::Field(source) => Some(&source.column.name),
        }
    }

    fn text(&self, record: usize) -> Option<&'v str> {
        match self {
            Self::Text(text) => Some(text),
            Self::Field(source) => source.text(record),
        }
    }
}

/// The pieces of a template, and the number of records that it fits.
struct TextTemplate<'c, 'v> {
    pieces: Vec<Piece<'c, 'v>>,
    hits: usize,
    /// True when the template builds every value correctly, and builds nothing where there is no value.
    all: bool,
}

/// The template that builds the most values of `target`. It is derived from the first, middle or last value.
fn make<'c, 'v>(target: &Column<'v>, sources: &[Source<'c, 'v>]) -> Option<TextTemplate<'c, 'v>> {
    let filled: Vec<usize> =
        (0..target.texts.len()).filter(|&record| target.texts[record].is_some()).collect();
    let mut probes = vec![*filled.first()?, *filled.get(filled.len() / 2)?, *filled.last()?];
    probes.dedup();
    let mut best: Option<TextTemplate<'_, '_>> = None;
    for &probe in &probes {
        let Some(text) = target.texts[probe].filter(|text| text.len() <= MAX_VALUE_BYTES) else { continue };
        let near = nearby(target, sources, probe, &probes);
        // A source that equals the whole value is less informative than a source that is a part of it, so it is tried
        // last.
        let (twins, parts): (Vec<_>, Vec<_>) =
            near.iter().partition(|source| source.text(probe) == Some(text));
        let attempts = std::iter::once(&parts[..]).chain(parts.chunks(1)).chain(twins.chunks(1));
        for sources in attempts.filter(|sources| !sources.is_empty()) {
            for edges in [Edges::Whole, Edges::Any] {
                let made = TextTemplate::new(compose(text, sources, probe, edges), target);
                if made.all {
                    return Some(made);
                }
                if best.as_ref().is_none_or(|best| best.hits < made.hits) {
                    best = Some(made);
                }
            }
        }
    }
    best
}

/// The sources whose text the target contains at `probe` and at another probe, the longest first.
fn nearby<'c, 'v>(
    target: &Column<'v>,
    sources: &[Source<'c, 'v>],
    probe: usize,
    probes: &[usize],
) -> Vec<Source<'c, 'v>> {
    let others = || probes.iter().filter(|&&other| other != probe);
    let near = sources.iter().copied().filter(|source| {
        source.is_inside(target, probe) && others().any(|&other| source.is_inside(target, other))
    });
    let mut near: Vec<_> = near.collect();
    near.sort_by_key(|source| Reverse(source.text(probe).map_or(0, str::len)));
    near.truncate(MAX_SOURCES);
    near
}

impl<'c, 'v> TextTemplate<'c, 'v> {
    fn new(pieces: Vec<Piece<'c, 'v>>, target: &Column<'v>) -> Self {
        let records = target.texts.len();
        let sample = (0..records.min(64)).filter(|&record| makes(&pieces, target, record)).count();
        if !pieces.iter().any(|piece| matches!(piece, Piece::Field(_))) || sample * 3 < records.min(64) {
            return Self { pieces, hits: 0, all: false };
        }
        let hits = (0..records).filter(|&record| makes(&pieces, target, record)).count();
        let all = (0..records).all(|record| match target.texts[record] {
            Some(_) => makes(&pieces, target, record),
            None => !target.held[record] || pieces.iter().any(|piece| piece.text(record).is_none()),
        });
        Self { pieces, hits, all }
    }

    /// How to write the field with this template, if the template saves more than its line costs.
    fn hoist(&self, target: &Column<'v>) -> Option<Hoist<'v>> {
        let text = self.print();
        let hidden = (0..target.texts.len()).filter(|&record| makes(&self.pieces, target, record));
        let hidden: Vec<&'v Value<'v>> = hidden.filter_map(|record| target.cells[record]).collect();
        let line = weigh(&target.name) + weigh(&text) + 3 * TOKEN;
        let worth = hidden.len() * (line - 2 * TOKEN) > line + line / 2;
        if !worth || !self.reads_back(&text) || text.contains('\\') {
            return None;
        }
        if self.all {
            return Some(Hoist::Derived(text));
        }
        let held = target.held.iter().filter(|held| **held).count();
        let filled = target.cells.iter().flatten().count() == held;
        (filled && self.hits * 10 >= held * 6)
            .then(|| Hoist::Mostly(text, hidden.into_iter().map(std::ptr::from_ref).collect()))
    }

    /// True when parsing `text` gives these pieces again. It may not, because braces in a value may look like a
    /// field.
    fn reads_back(&self, text: &str) -> bool {
        let parts = parse(text);
        parts.len() == self.pieces.len()
            && parts.len() <= MAX_PARTS
            && parts.iter().zip(&self.pieces).all(|pair| match pair {
                (TemplatePart::Text(part), Piece::Text(piece)) => part == piece,
                (TemplatePart::Field(_), Piece::Field(_)) => true,
                _ => false,
            })
    }

    fn print(&self) -> String {
        self.pieces.iter().fold(String::new(), |mut out, piece| {
            match piece {
                Piece::Text(text) => out.push_str(text),
                Piece::Field(source) => out.extend(["{", &source.column.name, "}"]),
            }
            out
        })
    }
}

/// True when the pieces, joined together, equal the target's value in `record`.
fn makes(pieces: &[Piece<'_, '_>], target: &Column<'_>, record: usize) -> bool {
    let Some(text) = target.texts[record] else { return false };
    let rest = pieces.iter().try_fold(text, |rest, piece| rest.strip_prefix(piece.text(record)?));
    rest.is_some_and(str::is_empty)
}

/// Whether letters may come directly before or after a source.
#[derive(Clone, Copy, PartialEq)]
enum Edges {
    /// They may not: a source matches only whole words.
    Whole,
    /// They may: a source matches anywhere.
    Any,
}

/// Splits `text` into sources, searched from the longest to the shortest, and the text between them.
fn compose<'c, 'v>(
    text: &'v str,
    sources: &[Source<'c, 'v>],
    record: usize,
    edges: Edges,
) -> Vec<Piece<'c, 'v>> {
    let mut pieces = Vec::new();
    let mut from = 0;
    let mut at = 0;
    while at < text.len() {
        let hit = sources.iter().find_map(|source| {
            let part = source.text(record)?;
            let free = edges == Edges::Any && part.len() > 1 || stands_alone(text, at, part.len());
            (text[at..].starts_with(part) && free).then_some((*source, part.len()))
        });
        if let Some((source, length)) = hit {
            if at > from {
                pieces.push(Piece::Text(&text[from..at]));
            }
            pieces.push(Piece::Field(source));
            at += length;
            from = at;
        } else {
            at += text[at..].chars().next().map_or(1, char::len_utf8);
        }
    }
    if from < text.len() {
        pieces.push(Piece::Text(&text[from..]));
    }
    pieces
}

/// True when no letter or digit is next to the part, so that no word is split.
fn stands_alone(text: &str, at: usize, length: usize) -> bool {
    let word = |byte: Option<&u8>| byte.is_some_and(|byte| byte.is_ascii_alphanumeric() || *byte >= 0x80);
    let bytes = text.as_bytes();
    let before = at.checked_sub(1).and_then(|before| bytes.get(before));
    !word(before) && !word(bytes.get(at + length))
}
