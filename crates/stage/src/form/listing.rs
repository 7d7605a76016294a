//! Writes long listings with the values that most rows share stated once. Decoding aligns the columns again by their
//! widest values.

use crate::form::row_defaults::RowDefaults;
use crate::form::verbatim;
use crate::plan::{Loss, Mode, Reader};
use crate::read::entry::{Gaps, ListingEntry, Spacing, layouts};
use crate::room::Room;
use crate::stage::{Edit, Scene, Stage};
use crate::view::TextView;

/// A text that contains rows of `ls -l`.
pub(crate) struct Listing;

/// The minimum number of rows; fewer rows are not worth a head.
const MIN_ROWS: usize = 4;

impl Stage for Listing {
    fn name(&self) -> &'static str {
        "listing"
    }

    fn mode(&self) -> Mode {
        Mode::Standard
    }

    /// Of all tested notations, cells separated only by blanks are the hardest for a small model to read.
    fn reader(&self) -> Reader {
        Reader::Strong
    }

    fn apply(&self, _: Scene<'_>, text: &TextView<'_>) -> Option<Edit> {
        let (lines, end) = verbatim::lines(text);
        let entries: Vec<_> = lines.iter().map(|line| ListingEntry::read(line)).collect();
        if entries.iter().flatten().count() < MIN_ROWS {
            return None;
        }
        let usual = RowDefaults::of(&entries, spacing(&lines, &entries))?;
        let mut sheet = Sheet::default();
        for ((line, entry), layout) in lines.iter().zip(&entries).zip(layouts(&entries, usual.spacing)) {
            match entry {
                Some(entry) if layout.line(entry) == *line => {
                    sheet.row(usual.short(entry).as_deref().unwrap_or(line));
                }
                Some(_) => sheet.row(line),
                None => sheet.other(line, &usual),
            }
        }
        let text = format!("{}\n{}", usual.head(), verbatim::finish(sheet.close(), end));
        Some(Edit { text, loss: Loss::None, note: usual.note() })
    }

    fn restore(&self, room: Room, note: &str, text: &str) -> Option<String> {
        let (head, text) = text.split_once('\n')?;
        let usual = RowDefaults::parse(note, head)?;
        let (lines, end) = verbatim::lines(text);
        let (mut rows, mut entries) = (Vec::new(), Vec::new());
        let mut lines = lines.into_iter();
        while let Some(line) = lines.next() {
            if let Some(count) = verbatim::count(line) {
                rows.extend(lines.by_ref().take(count));
            } else {
                entries.resize(rows.len(), None);
                entries.push(ListingEntry::read(line).or_else(|| usual.read(line)));
                rows.push(line);
            }
        }
        entries.resize(rows.len(), None);
        let mut out = String::with_capacity(text.len() * 3);
        for ((row, entry), layout) in rows.iter().zip(&entries).zip(layouts(&entries, usual.spacing)) {
            let short = entry.filter(|_| ListingEntry::read(row).is_none());
            out.push_str(&short.map_or_else(|| (*row).to_owned(), |entry| layout.line(&entry)));
            out.push('\n');
            room.fits(out.len())?;
        }
        Some(verbatim::finish(out, end))
    }
}

/// The spacing that restores most rows. Columns are as wide as the rows need, or as wide as in the first row if wider
/// rows are missing.
fn spacing(lines: &[&str], entries: &[Option<ListingEntry<'_>>]) -> Spacing {
    let fits = |spacing: Spacing| {
        let rows = lines.iter().zip(entries).zip(layouts(entries, spacing));
        rows.filter(|((line, entry), layout)| entry.is_some_and(|entry| layout.line(&entry) == **line))
            .count()
    };
    let mode = entries.iter().flatten().map(|entry| entry.mode.len()).max().unwrap_or(0);
    let first = lines.iter().zip(entries).find_map(|(line, entry)| Some((line, (*entry)?)));
    let from_first = |gaps: Gaps| {
        let mode = if gaps == Gaps::Wide { mode.max(11) } else { mode };
        first.and_then(|(line, entry)| Spacing::from_line(gaps, mode, line, &entry))
    };
    let all = entries.iter().flatten().count();
    let mut best = (Spacing::of(Gaps::Narrow), 0);
    let plain = [Gaps::Narrow, Gaps::Wide].map(|gaps| Some(Spacing::of(gaps)));
    for spacing in plain.into_iter().chain([from_first(Gaps::Narrow), from_first(Gaps::Wide)]).flatten() {
        let count = if best.1 < all { fits(spacing) } else { 0 };
        if count > best.1 {
            best = (spacing, count);
        }
    }
    best.0
}

/// The output: rows and other lines.
#[derive(Default)]
struct Sheet<'a> {
    out: String,
    others: Vec<&'a str>,
}

impl<'a> Sheet<'a> {
    fn row(&mut self, row: &str) {
        verbatim::push(&mut self.out, &self.others);
        self.others.clear();
        self.out.push_str(row);
        self.out.push('\n');
    }

    /// Adds a line that is not a row. If the decoder could mistake it for a row, the line goes into a counted run of
    /// unchanged lines.
    fn other(&mut self, line: &'a str, usual: &RowDefaults<'_>) {
        if self.others.is_empty() && usual.read(line).is_none() && verbatim::count(line).is_none() {
            self.row(line);
        } else {
            self.others.push(line);
        }
    }

    fn close(mut self) -> String {
        verbatim::push(&mut self.out, &self.others);
        self.out
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::proof;
    use crate::proof::{check, check_odd, read_foreign};

    const USUAL: &str = "-rw-r--r-- 1 me me   634 Nov 14 23:05 a\n-rw-r--r-- 1 me me     6 Nov 14 23:05 b\ndrwxr-xr-x 2 me me 12345 Jan  1  2024 c";
    /// Unusual lines for this form, in addition to those for every form.
    const ODD: &[&str] = &[
        "12 x",
        "d 2 4096 x",
        "12 Nov 14 23:05 x",
        "drwxr-xr-x 2 4096 x",
        "-rw-r--r-- 1 1 2 3 Nov 14 23:05 x",
        "-rw-r--r--   1 me me 634 Nov 14 23:05 x",
        "lrwxrwxrwx 1 me me     3 Nov 14 23:05 x -> y",
    ];

    #[test]
    fn rows_say_what_differs() {
        let rows = [
            ("total 12", "total 12"),
            ("-rw-r--r-- 1 me   staff   634 Nov 14 23:05 Makefile", "634 Makefile"),
            ("-rwxr-xr-x 2 me   staff     9 Nov 14 23:05 run", "-rwxr-xr-x 2 9 run"),
            ("-rw-r--r-- 1 me   staff     0 Nov 14 23:05  a b", "0  a b"),
            ("-rw-r--r-- 3 me   staff     0 Nov 14 23:05 c", "- 3 0 c"),
            ("drwxr-xr-x 2 me   staff 14096 Jan  1  2024 docs", "d 2 14096 Jan  1  2024 docs"),
            (
                "drwxr-xr-x 3 root root   4096 Nov 14 23:05 ..",
                "drwxr-xr-x 3 root root   4096 Nov 14 23:05 ..",
            ),
            ("", ""),
            ("-rw-r--r-- 1 me staff 4.0K Nov 14 23:05 x", "4.0K x"),
        ];
        let column = |side: fn(&(&'static str, &'static str)) -> &'static str| {
            rows.iter().map(side).collect::<Vec<_>>().join("\n")
        };
        check(
            &Listing,
            &column(|row| row.0),
            "",
            &format!(
                "[each is -rw-r--r-- 1 me staff Nov 14 23:05 unless said; d is drwxr-xr-x]\n{}",
                column(|row| row.1)
            ),
        );
    }

    #[test]
    fn wide_gaps_come_back() {
        check(
            &Listing,
            "-rw-r--r--   1 me  staff   9 14 Nov 23:05 a\n-rw-r--r--@  1 me  staff  10 14 Nov 23:05 b\n\
            drwxr-xr-x  12 me  staff   1 14 Nov 23:05 c\n-rw-r--r--   1 me  staff   9 14 Nov 23:05 d\n",
            "wide gaps",
            "[each is -rw-r--r-- 1 me staff 14 Nov 23:05 unless said; d is drwxr-xr-x]\n9 a\n-rw-r--r--@ 1 10 b\nd 12 1 c\n9 d\n",
        );
    }

    /// The output of `ls -l | head`, in which the widest row is missing.
    #[test]
    fn rows_that_were_cut_off_come_back() {
        check(
            &Listing,
            "total 88\n-rw-r--r--  1 me    staff      634 Nov 14 23:05 a\n-rw-r--r--  1 me    staff        6 Nov 14 23:05 b\n\
            drwxr-xr-x  2 me    staff     4096 Nov 14 23:05 c\n-rw-r--r--  1 me    staff       12 Nov 14 23:05 d\n",
            "widths 2 5 8",
            "[each is -rw-r--r-- 1 me staff Nov 14 23:05 unless said; d is drwxr-xr-x]\ntotal 88\n634 a\n6 b\nd 2 4096 c\n12 d\n",
        );
    }

    #[test]
    fn rows_with_dates_of_their_own_keep_them() {
        check(
            &Listing,
            "-rw-r--r-- 1 0 0 1 2024-01-01 10:00 a\n-rw-r--r-- 1 0 0 2 2024-01-02 10:00 b\n\
            -rw-r--r-- 1 0 0 3 2024-01-03 10:00 c\n-rw-r--r-- 1 0 0 4 2024-01-04 10:00 d",
            "",
            "[each is -rw-r--r-- 1 0 0 unless said]\n1 2024-01-01 10:00 a\n2 2024-01-02 10:00 b\n3 2024-01-03 10:00 c\n4 2024-01-04 10:00 d",
        );
    }

    /// A few unusual lines, in every order around usual ones, are restored.
    #[test]
    fn unusual_lines_are_restored() {
        check_odd(&Listing, &[proof::ODD, ODD].concat(), USUAL);
    }

    #[test]
    fn what_it_never_wrote_is_no_fault() {
        read_foreign(&Listing);
    }
}
