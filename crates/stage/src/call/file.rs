//! Classifies the files that a command shows: files that an agent may edit, and files that are only read.
//!
//! `docs/concepts.md` explains the same rules in a table; a test checks that table row by row.

use crate::lines;

/// How a file is used.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum FileUse {
    /// Written by programs and never edited. The file may contain secrets that a server received.
    Log,
    /// Read but not edited: a program writes the file, or the file is too long for edits that quote its text.
    Data,
    /// A file that an agent may edit.
    Text,
}

/// Extensions of logs.
const LOGS: [&str; 4] = [".log", ".out", ".err", ".output"];

/// Lock files that package managers write.
const LOCKS: [&str; 8] = [
    "package-lock.json",
    "npm-shrinkwrap.json",
    "pnpm-lock.yaml",
    "go.sum",
    "packages.lock.json",
    "package.resolved",
    "gradle.lockfile",
    "bun.lockb",
];

/// Extensions of generated files: lock files, JSON lines, minified code.
const GENERATED: [&str; 7] = [".lock", ".jsonl", ".ndjson", ".min.js", ".min.css", ".js.map", ".css.map"];

/// Directories that a build or an installation creates.
const BUILD_DIRECTORIES: [&str; 5] = ["dist", "build", "target", "coverage", "node_modules"];

/// Extensions of tables and documents, which agents edit only while they are short.
const TABLES: [&str; 3] = [".csv", ".tsv", ".json"];

/// Tables of more bytes than this are not edited.
const MAX_EDITABLE_BYTES: usize = 16 << 10;

/// Extensions of prose, in which a paragraph may be one long line.
const PROSE: [&str; 6] = [".md", ".mdx", ".markdown", ".rst", ".adoc", ".txt"];

/// A line of more bytes than this shows that a file is minified or generated.
const MAX_LINE_BYTES: usize = 2000;

/// Root elements of test and coverage reports.
const REPORTS: [&str; 3] = ["testsuites", "testsuite", "coverage"];

impl FileUse {
    /// Classifies `files`, of which `text` was shown. An empty list means that the file is unknown.
    pub(super) fn of_all(files: &[&str], text: &str) -> Self {
        let mut kinds: Vec<_> = files.iter().map(|path| Self::of_path(path, text.len())).collect();
        if let ([path], [kind @ Self::Text]) = (files, &mut kinds[..])
            && is_written(path, text)
        {
            *kind = Self::Data;
        }
        match &kinds[..] {
            [] if is_written("", text) => Self::Data,
            [] => Self::Text,
            kinds if kinds.contains(&Self::Text) => Self::Text,
            kinds if kinds.contains(&Self::Data) => Self::Data,
            _ => Self::Log,
        }
    }

    /// Classifies the file at `path`, of which `shown` bytes are shown.
    pub(super) fn of_path(path: &str, shown: usize) -> Self {
        let path = path.to_ascii_lowercase().replace('\\', "/");
        let base = path.rsplit('/').next().unwrap_or_default();
        let ends = |endings: &[&str]| endings.iter().any(|end| base.ends_with(end));
        let folders = || path.split('/').rev().skip(1);
        if path.starts_with("/var/log/") || base.contains(".log.") || ends(&LOGS) {
            Self::Log
        } else if LOCKS.contains(&base)
            || ends(&GENERATED)
            || folders().any(|folder| BUILD_DIRECTORIES.contains(&folder))
            || shown > MAX_EDITABLE_BYTES && ends(&TABLES)
        {
            Self::Data
        } else {
            Self::Text
        }
    }
}

/// True when the lines of `text`, the contents of the file at `path`, show that a program wrote the file.
fn is_written(path: &str, text: &str) -> bool {
    let path = path.to_ascii_lowercase();
    let prose = PROSE.iter().any(|end| path.ends_with(end));
    is_report(text) || is_lines(text) || !prose && lines::lines(text).any(|line| line.len() > MAX_LINE_BYTES)
}

/// True when `text` is a test or coverage report.
fn is_report(text: &str) -> bool {
    let mut rest = text.trim_start();
    // An XML declaration, a doctype and comments may precede the root element.
    for _ in 0..8 {
        if !rest.starts_with("<?") && !rest.starts_with("<!") {
            break;
        }
        rest = rest.split_once('>').map_or("", |(_, rest)| rest.trim_start());
    }
    let name = rest.strip_prefix('<').unwrap_or_default();
    REPORTS.iter().any(|root| name.strip_prefix(root).is_some_and(|rest| rest.starts_with([' ', '>', '\n'])))
}

/// The number of lines inspected.
const SAMPLE_LINES: usize = 64;

/// True when every inspected line looks like a JSON object.
fn is_lines(text: &str) -> bool {
    let mut lines = lines::lines(text).filter(|line| !line.trim().is_empty()).take(SAMPLE_LINES);
    let is_object = |line: &str| line.starts_with("{\"") && line.trim_end().ends_with('}');
    let count = lines.by_ref().take_while(|line| is_object(line)).count();
    count >= 3 && lines.next().is_none()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn check(kind: FileUse, paths: &str, text: &str) {
        for path in paths.split(' ') {
            assert_eq!(FileUse::of_all(&[path], text), kind, "{path}");
        }
    }

    const LONG_TEXT: usize = MAX_EDITABLE_BYTES / 4 + 1;

    #[test]
    fn every_row_of_the_table_holds() {
        check(FileUse::Log, "app.log logs/a.LOG.1 /var/log/syslog nohup.out x.err C:\\x\\run.log", "x");
        check(FileUse::Data, "events.jsonl x.ndjson", "x");
        check(FileUse::Data, "notes", "{\"a\":1}\n{\"a\":2}\n\n{\"a\":3}\n");
        check(FileUse::Data, "junit.xml r.xml", "<?xml version=\"1.0\"?>\n<testsuites name=\"x\">\n");
        check(FileUse::Data, "r.xml", "<testsuite>\n</testsuite>");
        check(
            FileUse::Data,
            "c.xml",
            "<?xml?>\n<!-- made -->\n<!DOCTYPE coverage>\n<coverage version=\"7\">",
        );
        check(FileUse::Data, "Cargo.lock yarn.lock go.sum a/package-lock.json pnpm-lock.yaml", "x");
        check(
            FileUse::Data,
            "dist/a.js build/x.py target/doc/a.html a/coverage/b.html node_modules/a/b.js",
            "x",
        );
        check(FileUse::Data, "app.js page.html", &"x".repeat(MAX_LINE_BYTES + 1));
        check(FileUse::Data, "a.csv a.tsv data.json", &"a,b\n".repeat(LONG_TEXT));
    }

    #[test]
    fn everything_else_may_be_edited() {
        check(FileUse::Text, "a.csv a.tsv data.json", "a,b\n");
        check(FileUse::Text, "a.rs Makefile .env builder/a.py target.rs log.rs clock.yaml", "x");
        check(FileUse::Text, "a.py", &"x = 1\n".repeat(LONG_TEXT));
        check(FileUse::Text, "README.md notes.txt", &"word ".repeat(MAX_LINE_BYTES));
        check(FileUse::Text, "pom.xml", "<project>\n<coverage/>\n");
        check(FileUse::Text, "a.json", "{\"a\":1}\n");
    }

    #[test]
    fn one_file_to_edit_is_enough() {
        for (files, kind) in [
            (&["a.py", "app.log"][..], FileUse::Text),
            (&["a.jsonl", "app.log"], FileUse::Data),
            (&["a.log", "b.log"], FileUse::Log),
            (&[], FileUse::Text),
        ] {
            assert_eq!(FileUse::of_all(files, "x"), kind, "{files:?}");
        }
        assert_eq!(FileUse::of_all(&[], "<testsuites>"), FileUse::Data);
    }

    #[test]
    fn any_text_is_looked_at() {
        for text in ["", "<", "<!", "<?xml", "{\"", "\u{feff}<coverage>", "é"] {
            FileUse::of_all(&["é"], text);
        }
    }
}
