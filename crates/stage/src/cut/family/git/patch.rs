//! A diff taken apart into files, each shown as its kind deserves.

use crate::cut::family::git::file::FileKind;
use crate::cut::family::git::{file, hunk, lock};
use crate::{omit, signal};

/// The diff in short; `None` when the text is none.
pub(super) fn shorten(text: &str) -> Option<String> {
    if !text.starts_with(MARK) && !text.contains("\ndiff --git ") {
        return None;
    }
    let margin = if text.len() >= BIG { 1 } else { usize::MAX };
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

/// What is missing around changes, said once: in every hunk it would cost more than it spares.
const AROUND: &str = "unchanged, here and below";

const MARK: &str = "diff --git ";

/// From this many bytes on, a diff has less room for what did not change.
const BIG: usize = 16_384;

/// Where the next file begins.
fn next(text: &str) -> Option<usize> {
    if text.starts_with(MARK) { Some(0) } else { text.find("\ndiff --git ").map(|at| at + 1) }
}

/// What the lines between a file's name and its first hunk begin with.
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
    /// Reads the file that `text` begins with.
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

    /// Writes the file, and tells how many unchanged lines are missing for which nothing stands in their place.
    fn write(&self, margin: usize, out: &mut String) -> usize {
        out.push_str(self.head);
        match file::kind(self.path, self.head) {
            FileKind::Lock if self.is_long() => lock::write(self.path, self.body, out),
            FileKind::Dull(what) if self.is_long() => self.write_dull(what, out),
            _ => return hunk::write(self.body, margin, out),
        }
        0
    }

    /// Short changes are shown whatever they are in.
    fn is_long(&self) -> bool {
        self.body.len() >= 2048 || self.body.lines().nth(11).is_some()
    }

    /// What nobody wrote: its first changes, and a count of the rest.
    fn write_dull(&self, what: &str, out: &mut String) {
        let changes = || self.body.lines().filter(|line| line.starts_with(['+', '-']));
        let mut room = FIRST;
        let kept: Vec<&str> = changes()
            .filter(|line| {
                let fits = line.len() <= WIDE;
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

/// Changes that are shown of what nobody wrote, and one more.
const FIRST: usize = 7;

/// A longer line says nothing at a glance.
const WIDE: usize = 200;

/// The data of a binary file.
fn binary(text: &str) -> &str {
    let end = text.find("\n\n").map_or(text.len(), |at| at + 1);
    let end = next(&text[..end]).unwrap_or(end);
    &text[..end]
}
