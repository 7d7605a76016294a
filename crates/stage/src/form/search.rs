//! Writes each path in search results once, above its hits, as `rg --heading` does.

use std::collections::BTreeSet;

use crate::form::verbatim;
use crate::plan::{Loss, Mode};
use crate::read::hit;
use crate::read::hit::Hit;
use crate::room::Room;
use crate::stage::{Edit, Scene, Stage};
use crate::view::TextView;

/// A text that consists of `path:12:text` or `path:text` lines.
pub(crate) struct Search;

/// The minimum number of hits; fewer hits are not worth a heading.
const MIN_HITS: usize = 3;

impl Stage for Search {
    fn name(&self) -> &'static str {
        "search"
    }

    fn mode(&self) -> Mode {
        Mode::Standard
    }

    fn apply(&self, _: Scene<'_>, text: &TextView<'_>) -> Option<Edit> {
        let (lines, end) = verbatim::lines(text);
        let form = Form::of(&lines)?;
        let paths = form.paths(&lines);
        let mut sheet = Sheet::default();
        for line in lines {
            sheet.add(&form, &paths, line);
        }
        sheet.close();
        Some(Edit { text: verbatim::finish(sheet.out, end), loss: Loss::None, note: form.note() })
    }

    fn restore(&self, room: Room, note: &str, text: &str) -> Option<String> {
        let form = Form::parse(note)?;
        let (lines, end) = verbatim::lines(text);
        let mut lines = lines.into_iter();
        let mut out = String::with_capacity(text.len() * 2);
        while let Some(head) = lines.next() {
            match verbatim::count(head) {
                Some(count) => {
                    verbatim::copy(&mut out, count, &mut lines)?;
                    lines.next();
                }
                None => {
                    for row in lines.by_ref().take_while(|row| !row.is_empty()) {
                        form.push(&mut out, head, row);
                        room.fits(out.len())?;
                    }
                }
            }
        }
        Some(verbatim::finish(out, end))
    }
}

/// The notation of the original lines.
#[derive(Debug, PartialEq, Eq)]
enum Form<'a> {
    /// Lines with line numbers. In context lines without a colon, the directory `root` preceded the path: Claude Code
    /// does not make the paths on such lines relative.
    Numbered { root: &'a str },
    /// Lines without line numbers.
    Plain,
}

const ROOT_NOTE: &str = "lines without a colon stood under ";
const PLAIN_NOTE: &str = "no line numbers";
const BREAK: &str = "--";

impl<'a> Form<'a> {
    /// The notation that most lines have, if there is one.
    fn of(lines: &[&'a str]) -> Option<Self> {
        let numbered: BTreeSet<_> =
            lines.iter().filter_map(|line| parse_hit(line)).map(|hit| hit.path).collect();
        if numbered.is_empty() {
            return Self::Plain.fits(lines, &numbered).then_some(Self::Plain);
        }
        let root = lines.iter().find_map(|line| hit::root(line, &numbered)).unwrap_or_default();
        let form = Self::Numbered { root };
        if form.fits(lines, &numbered) {
            return Some(form);
        }
        Self::Plain.fits(lines, &BTreeSet::new()).then_some(Self::Plain)
    }

    /// True when most lines are hits, and many adjacent hits have the same path.
    fn fits(&self, lines: &[&'a str], paths: &BTreeSet<&str>) -> bool {
        let (mut hits, mut others, mut groups, mut path) = (0, 0, 0, "");
        for line in lines {
            if let Some(hit) = self.read(paths, line) {
                hits += 1;
                groups += usize::from(hit.path != path);
                path = hit.path;
            } else {
                others += 1;
                if others * 2 > lines.len() {
                    return false;
                }
            }
        }
        hits >= MIN_HITS && groups * 4 <= hits * 3
    }

    fn paths(&self, lines: &[&'a str]) -> BTreeSet<&'a str> {
        match self {
            Self::Plain => BTreeSet::new(),
            Self::Numbered { .. } => {
                lines.iter().filter_map(|line| parse_hit(line)).map(|hit| hit.path).collect()
            }
        }
    }

    fn read(&self, paths: &BTreeSet<&str>, line: &'a str) -> Option<Hit<'a>> {
        match self {
            Self::Plain => hit::plain(line),
            Self::Numbered { .. } if line.contains(':') => {
                parse_hit(line).or_else(|| hit::context(line, paths))
            }
            Self::Numbered { root } => hit::context(line.strip_prefix(root)?, paths),
        }
    }

    /// Restores the original line from a row below `path`.
    fn push(&self, out: &mut String, path: &str, row: &str) {
        let sign = match self {
            Self::Plain => Some(":"),
            Self::Numbered { .. } => hit::sign(row),
        };
        if let Some(sign) = sign {
            let bare = sign == "-" && !row.contains(':') && !path.contains(':');
            out.push_str(if bare { self.root() } else { "" });
            out.push_str(path);
            out.push_str(sign);
        }
        out.push_str(row);
        out.push('\n');
    }

    fn root(&self) -> &'a str {
        match self {
            Self::Plain => "",
            Self::Numbered { root } => root,
        }
    }

    fn note(&self) -> String {
        match self {
            Self::Plain => PLAIN_NOTE.to_owned(),
            Self::Numbered { root: "" } => String::new(),
            Self::Numbered { root } => format!("{ROOT_NOTE}{root}"),
        }
    }

    fn parse(note: &'a str) -> Option<Self> {
        match note {
            "" => Some(Self::Numbered { root: "" }),
            PLAIN_NOTE => Some(Self::Plain),
            _ => Some(Self::Numbered { root: note.strip_prefix(ROOT_NOTE)? }),
        }
    }
}

fn parse_hit(line: &str) -> Option<Hit<'_>> {
    hit::parse_numbered(line).or_else(|| hit::parse_location(line))
}

/// The output: paragraphs that begin with a path, or with a count of unchanged lines.
#[derive(Default)]
struct Sheet<'a> {
    out: String,
    path: Option<&'a str>,
    others: Vec<&'a str>,
}

impl<'a> Sheet<'a> {
    fn add(&mut self, form: &Form<'a>, paths: &BTreeSet<&str>, line: &'a str) {
        let numbered = matches!(form, Form::Numbered { .. });
        match form.read(paths, line).filter(|hit| verbatim::count(hit.path).is_none()) {
            Some(hit) => self.hit(hit),
            None if line == BREAK && numbered && self.path.is_some() => self.row(BREAK),
            None => self.other(line),
        }
    }

    fn hit(&mut self, hit: Hit<'a>) {
        if self.path != Some(hit.path) {
            self.close();
            self.separate();
            self.path = Some(hit.path);
            self.row(hit.path);
        }
        self.row(hit.rest);
    }

    fn other(&mut self, line: &'a str) {
        self.path = None;
        self.others.push(line);
    }

    fn row(&mut self, row: &str) {
        self.out.push_str(row);
        self.out.push('\n');
    }

    /// Writes a blank line between paragraphs.
    fn separate(&mut self) {
        if !self.out.is_empty() {
            self.out.push('\n');
        }
    }

    /// Writes the unchanged lines collected so far.
    fn close(&mut self) {
        if !self.others.is_empty() {
            self.separate();
            verbatim::push(&mut self.out, &self.others);
            self.others.clear();
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::proof;
    use crate::proof::{apply, check, check_odd, read_foreign};

    const USUAL: &str =
        "src/a.rs:1:x\nsrc/a.rs:2:y\nsrc/a.rs-3-z\nb.rs:7:\nb.rs:8:--\nb.rs:9:x\nb.rs:9:y\nb.rs:9:z";
    /// Unusual lines for this form, in addition to those for every form.
    const ODD: &[&str] = &[
        "src/a.rs-4-z",
        "/r/src/a.rs-4-z",
        "/r/src/a.rs-4-z: y",
        "[2 lines as they came:]1:x",
        "12:x",
        "3-x",
        "(1,2): x",
        ":1:x",
        "src/a.rs(1,2): x",
        "src/a.rs:(1): x",
        "a.b:",
    ];

    #[test]
    fn a_path_is_written_once() {
        check(
            &Search,
            "src/a.rs:1:use x;\nsrc/a.rs:9:\n--\nsrc/b.rs:3:}\nsrc/a.rs:4:end",
            "",
            "src/a.rs\n1:use x;\n9:\n--\n\nsrc/b.rs\n3:}\n\nsrc/a.rs\n4:end",
        );
        check(
            &Search,
            "a.c:x\na.c:y\na.c:[2 lines as they came:]\n",
            "no line numbers",
            "a.c\nx\ny\n[2 lines as they came:]\n",
        );
        check(&Search, "a.ts(1,2): e\na.ts(3,4): f\na.ts(5): g", "", "a.ts\n(1,2): e\n(3,4): f\n(5): g");
    }

    #[test]
    fn headers_and_trailers_stay() {
        check(
            &Search,
            "Found 3\n\nC:\\a.go:1:x\r\nC:\\a.go:2:y\r\nC:\\a.go-3-z\r\nC:\\a.go-4-\n\n(more)\n",
            "",
            "[2 lines as they came:]\nFound 3\n\n\nC:\\a.go\n1:x\r\n2:y\r\n3-z\r\n4-\n\n[2 lines as they came:]\n\n(more)\n",
        );
    }

    /// Claude Code makes paths relative only on lines that contain a colon.
    #[test]
    fn context_that_stayed_absolute_joins_its_file() {
        check(
            &Search,
            "src/a.go:1:x\n/srv/me/src/a.go-2-}\nsrc/a.go-3-y: z\n/srv/me/src/a.go-4-",
            "lines without a colon stood under /srv/me/",
            "src/a.go\n1:x\n2-}\n3-y: z\n4-",
        );
    }

    #[test]
    fn other_texts_are_left_alone() {
        for text in ["", "a.rs:1:x", "12:00:01 a\n12:00:02 b\n12:00:03 c", "a/b:1\nc/d:2\ne/f:3\ng/h:4"] {
            assert_eq!(apply(&Search, text), None, "{text}");
        }
    }

    /// A few unusual lines, in every order around usual ones, are restored.
    #[test]
    fn unusual_lines_are_restored() {
        check_odd(&Search, &[proof::ODD, ODD].concat(), USUAL);
    }

    #[test]
    fn what_it_never_wrote_is_no_fault() {
        read_foreign(&Search);
    }
}
