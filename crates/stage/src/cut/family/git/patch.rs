//! Splits a diff into files, and shortens each file according to its kind.

use crate::cut::family::git::file::FileKind;
use crate::cut::family::git::{file, hunk, lock};
use crate::{omit, signal};

/// Shortens a diff; `None` when the text is not a diff.
pub(super) fn shorten(text: &str) -> Option<String> {
    if !text.starts_with(MARK) && !text.contains("\ndiff --git ") {
        return None;
    }
    let margin = if text.len() >= LONG_DIFF_BYTES { 1 } else { usize::MAX };
    let mut out = String::with_capacity(text.len());
    let mut rest = text;
    let mut missing = 0;
    while let Some(at) = next(rest) {
        out.push_str(&rest[..at]);
        let file = File::read(&rest[at..]);
        missing += file.write(margin, &mut out);
        rest = &rest[at + file.head.len() + file.body.len()..];
    }
    out.push_str(rest);
    Some(if missing == 0 { out } else { format!("{}\n{out}", omit::lines(missing, AROUND)) })
}

/// Describes the lines omitted around changes. It is written once per diff, because a note in every hunk would cost
/// more than it saves.
const AROUND: &str = "unchanged, here and below";

const MARK: &str = "diff --git ";

/// A diff of at least this many bytes shows fewer unchanged lines.
const LONG_DIFF_BYTES: usize = 16_384;

/// The position of the next file.
fn next(text: &str) -> Option<usize> {
    if text.starts_with(MARK) { Some(0) } else { text.find("\ndiff --git ").map(|at| at + 1) }
}

/// Prefixes of the lines between the line that names a file and its first hunk.
const HEADERS: [&str; 15] = [
    "index ",
    "--- ",
    "+++ ",
    "old mode ",
    "new mode ",
    "new file mode ",
    "deleted file mode ",
    "similarity index ",
    "dissimilarity index ",
    "rename from ",
    "rename to ",
    "copy from ",
    "copy to ",
    "Binary files ",
    "GIT binary patch",
];

/// One file of a diff.
struct File<'a> {
    path: &'a str,
    head: &'a str,
    body: &'a str,
}

impl<'a> File<'a> {
    /// Parses the file at the start of `text`.
    fn read(text: &'a str) -> Self {
        let first = text.find('\n').map_or(text.len(), |at| at + 1);
        let line = text[..first].trim_end();
        let path = line.rsplit_once(" b/").map_or("", |(_, path)| path);
        let mut end = first;
        for line in text[first..].split_inclusive('\n') {
            if !HEADERS.iter().any(|header| line.starts_with(header)) {
                break;
            }
            end += line.len();
        }
        let (head, rest) = text.split_at(end);
        let body = if head.contains("\nGIT binary patch") { binary(rest) } else { hunk::body(rest) };
        Self { path, head, body }
    }

    /// Writes the file. Returns the number of omitted unchanged lines that no marker in the file reports.
    fn write(&self, margin: usize, out: &mut String) -> usize {
        out.push_str(self.head);
        match file::kind(self.path, self.head) {
            FileKind::Lock if self.is_long() => lock::write(self.path, self.body, out),
            FileKind::Dull(what) if self.is_long() => self.write_dull(what, out),
            _ => return hunk::write(self.body, margin, out),
        }
        0
    }

    /// True when the changes are too long to be shown whole. Short changes are shown in files of any kind.
    fn is_long(&self) -> bool {
        self.body.len() >= 2048 || self.body.lines().nth(11).is_some()
    }

    /// Writes the first changes of a generated file, and the number of omitted lines.
    fn write_dull(&self, what: &str, out: &mut String) {
        let changes = || self.body.lines().filter(|line| line.starts_with(['+', '-']));
        let mut room = FIRST_CHANGES;
        let kept: Vec<&str> = changes()
            .filter(|line| {
                let fits = line.len() <= MAX_LINE_BYTES;
                room -= usize::from(fits && room > 0);
                fits && (room > 0 || signal::find(line).is_some())
            })
            .collect();
        let (added, removed) = hunk::count(self.body);
        let left = self.body.lines().count() - kept.len();
        let words = format!("{what}, {added} added and {removed} removed; the first changes stay");
        out.extend([&*omit::lines(left, &words), "\n"]);
        for line in kept {
            out.extend([line, "\n"]);
        }
    }
}

/// The number of changes shown of a generated file.
const FIRST_CHANGES: usize = 7;

/// Longer lines, in bytes, are omitted.
const MAX_LINE_BYTES: usize = 200;

/// The data of a binary file at the start of `text`.
fn binary(text: &str) -> &str {
    let end = text.find("\n\n").map_or(text.len(), |at| at + 1);
    let end = next(&text[..end]).unwrap_or(end);
    &text[..end]
}
