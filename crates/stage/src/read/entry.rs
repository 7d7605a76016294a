//! Parses one row of a long listing, and writes it again with its alignment.

/// A row of `ls -l`.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct ListingEntry<'a> {
    pub(crate) mode: &'a str,
    pub(crate) links: &'a str,
    pub(crate) owner: &'a str,
    pub(crate) group: &'a str,
    pub(crate) size: &'a str,
    pub(crate) date: &'a str,
    pub(crate) name: &'a str,
}

impl<'a> ListingEntry<'a> {
    /// Parses a row with any alignment.
    pub(crate) fn read(line: &'a str) -> Option<Self> {
        let (mode, rest) = word(line)?;
        let (links, rest) = word(rest)?;
        let (owner, rest) = word(rest)?;
        let (group, rest) = word(rest)?;
        let (size, rest) = word(rest)?;
        let (date, name) = date(rest)?;
        let entry = Self { mode, links, owner, group, size, date, name };
        let sound = is_mode(mode) && is_number(links) && is_size(size) && !name.is_empty();
        (sound && !line.starts_with(' ')).then_some(entry)
    }
}

/// Splits off the first word and the single space after it.
pub(crate) fn word(text: &str) -> Option<(&str, &str)> {
    text.trim_start_matches(' ').split_once(' ').filter(|(word, _)| !word.is_empty())
}

/// Splits off the date at the start of `text` and the single space after it.
pub(crate) fn date(text: &str) -> Option<(&str, &str)> {
    DATES.iter().find_map(|shape| {
        let fits = |(byte, shape): (u8, u8)| match shape {
            b'0' => byte.is_ascii_digit(),
            b'9' => byte.is_ascii_digit() || byte == b' ',
            b'a' => byte.is_ascii_alphabetic(),
            _ => byte == shape,
        };
        let (date, rest) = text.split_at_checked(shape.len())?;
        let name = rest.strip_prefix(' ')?;
        date.bytes().zip(shape.bytes()).all(fits).then_some((date, name))
    })
}

/// Date patterns in listings: `0` is a digit, `9` is a digit or a space, `a` is a letter.
const DATES: [&str; 5] = ["aaa 90 00:00", "aaa 90  0000", "90 aaa 00:00", "90 aaa  0000", "0000-00-00 00:00"];

/// True for file modes such as `drwxr-xr-x`.
pub(crate) fn is_mode(word: &str) -> bool {
    let rights = |byte: u8| matches!(byte, b'r' | b'w' | b'x' | b's' | b'S' | b't' | b'T' | b'-');
    let bytes = word.as_bytes();
    matches!(bytes.len(), 10 | 11)
        && word.starts_with(KINDS)
        && bytes[1..10].iter().all(|&byte| rights(byte))
        && bytes[10..].iter().all(|byte| matches!(byte, b'@' | b'+' | b'.'))
}

/// The possible first characters of a mode, one for each kind of file.
pub(crate) const KINDS: [char; 7] = ['-', 'd', 'l', 'b', 'c', 'p', 's'];

pub(crate) fn is_number(word: &str) -> bool {
    !word.is_empty() && word.bytes().all(|byte| byte.is_ascii_digit())
}

/// True for sizes such as `4096` and `4.0K`.
pub(crate) fn is_size(word: &str) -> bool {
    let number = word.trim_end_matches(|char: char| char.is_ascii_alphabetic());
    let digits = number.bytes().all(|byte| byte.is_ascii_digit() || matches!(byte, b'.' | b','));
    number.starts_with(|char: char| char.is_ascii_digit()) && digits && word.len() <= number.len() + 1
}

/// The gaps between columns.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Gaps {
    /// One space, as in GNU `ls`.
    Narrow,
    /// Two spaces around the group, and room for an extra sign after the mode, as in BSD and macOS.
    Wide,
}

/// The column layout of a listing.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Spacing {
    pub(crate) gaps: Gaps,
    /// Minimum widths of the links, owner and size columns. Rows that are not shown may have been wider than those
    /// shown.
    pub(crate) min_widths: [usize; 3],
}

impl Spacing {
    pub(crate) fn of(gaps: Gaps) -> Self {
        Self { gaps, min_widths: [0; 3] }
    }

    /// The spacing of `line`, from which `entry` was parsed.
    pub(crate) fn from_line(gaps: Gaps, mode: usize, line: &str, entry: &ListingEntry<'_>) -> Option<Self> {
        let column = |part: &str| {
            let at = part.as_ptr().addr().checked_sub(line.as_ptr().addr())?;
            Some(line.get(..at)?.chars().count())
        };
        let gap = if gaps == Gaps::Wide { 2 } else { 1 };
        let links = (column(entry.links)? + entry.links.len()).checked_sub(mode + 1)?;
        let owner = column(entry.group)?.checked_sub(column(entry.owner)? + gap)?;
        let size = (column(entry.size)? + entry.size.len())
            .checked_sub(column(entry.group)? + entry.group.chars().count() + gap)?;
        Some(Self { gaps, min_widths: [links, owner, size] })
    }
}

/// The column widths of a block of rows.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct ListingLayout {
    gaps: Gaps,
    mode: usize,
    links: usize,
    owner: usize,
    group: usize,
    size: usize,
}

impl ListingLayout {
    fn new(spacing: Spacing) -> Self {
        let Spacing { gaps, min_widths: [links, owner, size] } = spacing;
        let mode = if gaps == Gaps::Wide { 11 } else { 0 };
        Self { gaps, mode, links, owner, group: 0, size }
    }

    fn widen(&mut self, entry: &ListingEntry<'_>) {
        self.mode = self.mode.max(entry.mode.len());
        self.links = self.links.max(entry.links.len());
        self.owner = self.owner.max(entry.owner.chars().count());
        self.group = self.group.max(entry.group.chars().count());
        self.size = self.size.max(entry.size.len());
    }

    /// Writes the original row of `entry`.
    pub(crate) fn line(&self, entry: &ListingEntry<'_>) -> String {
        let ListingEntry { mode, links, owner, group, size, date, name } = entry;
        let gap = if self.gaps == Gaps::Wide { "  " } else { " " };
        let left = format!("{mode:<0$} {links:>1$} ", self.mode, self.links);
        let right = format!("{owner:<0$}{gap}{group:<1$}{gap}{size:>2$}", self.owner, self.group, self.size);
        format!("{left}{right} {date} {name}")
    }
}

/// The layout of every row. Adjacent rows form a block, whose columns are as wide as their widest values.
pub(crate) fn layouts(entries: &[Option<ListingEntry<'_>>], spacing: Spacing) -> Vec<ListingLayout> {
    let mut layouts = Vec::with_capacity(entries.len());
    for block in entries.chunk_by(|above, below| above.is_some() && below.is_some()) {
        let mut layout = ListingLayout::new(spacing);
        block.iter().flatten().for_each(|entry| layout.widen(entry));
        layouts.resize(layouts.len() + block.len(), layout);
    }
    layouts
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn rows_are_distinguished_from_other_lines() {
        for line in [
            "-rw-r--r-- 1 me me 634 Nov 14 23:05 a b",
            "drwxr-xr-x@ 12 me  staff  4.0K Jan  1  2024 c",
            "lrwxrwxrwx 1 0 0 3 2024-01-01 10:00 x -> y",
        ] {
            assert!(ListingEntry::read(line).is_some(), "{line}");
        }
        for line in ["", "total 12", "-rw-r--r-- 1 me me 634 a", "-rw-r--r-- x me me 1 Nov 14 23:05 a", "é"]
        {
            assert_eq!(ListingEntry::read(line), None, "{line}");
        }
    }

    #[test]
    fn blocks_have_their_own_widths() {
        let lines = ["-rw-r--r-- 1 me me 1 Nov 14 23:05 a", "", "-rw-r--r-- 1 me me 12 Nov 14 23:05 b"];
        let entries = lines.map(ListingEntry::read);
        let back = entries.iter().zip(layouts(&entries, Spacing::of(Gaps::Narrow)));
        let back: Vec<_> =
            back.map(|(entry, layout)| entry.map(|entry| layout.line(&entry)).unwrap_or_default()).collect();
        assert_eq!(back, lines);
    }
}
