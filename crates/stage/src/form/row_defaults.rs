//! Finds the values that most rows of a long listing share, and writes rows with only the values that differ.

use std::collections::BTreeMap;

use crate::read::entry::{Gaps, KINDS, ListingEntry, Spacing, date, is_mode, is_number, is_size, word};

/// The default values of a row.
#[derive(Debug, PartialEq, Eq)]
pub(crate) struct RowDefaults<'a> {
    pub(crate) spacing: Spacing,
    owner: &'a str,
    group: &'a str,
    /// The default date; empty when no date is frequent enough.
    date: &'a str,
    /// One default mode for each kind of file, plain files first.
    modes: Vec<&'a str>,
}

/// The default mode of plain files in a listing that contains none.
const FILE: &str = "-rw-r--r--";
const LINKS: &str = "1";
const OPEN: &str = "[each is ";
const HEAD_END: &str = " unless said";
const WIDE: &str = "wide gaps";
const WIDTHS: &str = "widths ";
const MAX_WIDTH: usize = 64;

impl<'a> RowDefaults<'a> {
    pub(crate) fn of(entries: &[Option<ListingEntry<'a>>], spacing: Spacing) -> Option<Self> {
        let rows = || entries.iter().flatten();
        let (owner, group) = most(rows().map(|entry| (entry.owner, entry.group)))?.0;
        let (date, count) = most(rows().map(|entry| entry.date))?;
        let mode = |kind: char| most(rows().map(|entry| entry.mode).filter(|mode| mode.starts_with(kind)));
        let mut modes: Vec<_> = KINDS.into_iter().filter_map(|kind| Some(mode(kind)?.0)).collect();
        if !modes.first()?.starts_with('-') {
            modes.insert(0, FILE);
        }
        let date = if count * 3 >= rows().count() { date } else { "" };
        Some(Self { spacing, owner, group, date, modes })
    }

    /// Writes a row with only the values that differ: `634 Makefile`, `d 2 4096 docs`.
    pub(crate) fn short(&self, entry: &ListingEntry<'_>) -> Option<String> {
        let ListingEntry { mode, links, size, date, name, .. } = entry;
        let kind = self.modes.contains(mode).then(|| &mode[..1]);
        let head = match kind {
            Some("-") if *links == LINKS => String::new(),
            Some(kind) => format!("{kind} {links} "),
            None => format!("{mode} {links} "),
        };
        let date = if *date == self.date { String::new() } else { format!("{date} ") };
        let row = format!("{head}{size} {date}{name}");
        (ListingEntry::read(&row).is_none() && self.read(&row)? == *entry).then_some(row)
    }

    /// Parses a short row.
    pub(crate) fn read<'r>(&self, row: &'r str) -> Option<ListingEntry<'r>>
    where
        'a: 'r,
    {
        let (first, rest) = word(row).filter(|_| !row.starts_with(' '))?;
        let (mode, links, rest) = if is_size(first) {
            (*self.modes.first()?, LINKS, row)
        } else {
            let (links, rest) = word(rest)?;
            (self.mode(first)?, links, rest)
        };
        let (size, rest) = rest.split_once(' ')?;
        let (date, name) = date(rest).unwrap_or((self.date, rest));
        let entry = ListingEntry { mode, links, owner: self.owner, group: self.group, size, date, name };
        (is_number(links) && is_size(size) && !date.is_empty() && !name.is_empty()).then_some(entry)
    }

    /// The mode that `word` is, or that `word` abbreviates.
    fn mode<'r>(&self, word: &'r str) -> Option<&'r str>
    where
        'a: 'r,
    {
        match word.len() {
            1 => self.modes.iter().copied().find(|mode| mode.starts_with(word)),
            _ => is_mode(word).then_some(word),
        }
    }

    /// Writes the line above the rows: `[each is -rw-r--r-- 1 root root Nov 14 23:05 unless said; d is drwxr-xr-x]`.
    pub(crate) fn head(&self) -> String {
        let mut head = format!("{OPEN}{} {LINKS} {} {}", self.modes[0], self.owner, self.group);
        head.extend([if self.date.is_empty() { "" } else { " " }, self.date, HEAD_END]);
        for mode in &self.modes[1..] {
            head.extend(["; ", &mode[..1], " is ", mode]);
        }
        head + "]"
    }

    /// Writes the details that only the decoder needs, such as `wide gaps, widths 2 4 8`.
    pub(crate) fn note(&self) -> String {
        let Spacing { gaps, min_widths: [links, owner, size] } = self.spacing;
        let wide = if gaps == Gaps::Wide { WIDE } else { "" };
        if links + owner + size == 0 {
            return wide.to_owned();
        }
        let comma = if wide.is_empty() { "" } else { ", " };
        format!("{wide}{comma}{WIDTHS}{links} {owner} {size}")
    }

    fn spacing(note: &str) -> Option<Spacing> {
        let (note, gaps) = note.strip_prefix(WIDE).map_or((note, Gaps::Narrow), |note| (note, Gaps::Wide));
        let note = note.strip_prefix(", ").unwrap_or(note);
        let mut spacing = Spacing::of(gaps);
        if let Some(widths) = note.strip_prefix(WIDTHS) {
            let mut widths =
                widths.split(' ').map(|width| width.parse().ok().filter(|&width| width <= MAX_WIDTH));
            spacing.min_widths = [widths.next()??, widths.next()??, widths.next()??];
        }
        Some(spacing)
    }

    pub(crate) fn parse(note: &str, head: &'a str) -> Option<Self> {
        let spacing = Self::spacing(note)?;
        let (each, kinds) = head.strip_prefix(OPEN)?.strip_suffix(']')?.split_once(HEAD_END)?;
        let mut words = each.splitn(5, ' ');
        let (mode, _, owner, group) = (words.next()?, words.next()?, words.next()?, words.next()?);
        let mut modes = vec![mode];
        modes.extend(kinds.split("; ").filter_map(|kind| Some(kind.split_once(" is ")?.1)));
        let sound = modes.iter().all(|mode| is_mode(mode));
        sound.then(|| Self { spacing, owner, group, date: words.next().unwrap_or_default(), modes })
    }
}

/// The most frequent item and its count. Of equally frequent items, takes the smallest.
fn most<T: Ord + Copy>(items: impl Iterator<Item = T>) -> Option<(T, usize)> {
    let mut counts = BTreeMap::new();
    items.for_each(|item| *counts.entry(item).or_insert(0) += 1);
    counts.into_iter().rev().max_by_key(|&(_, count)| count)
}
