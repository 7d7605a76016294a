//! Trees with plain indentation in place of their drawn branches.
//!
//! Which branch is drawn follows from what comes below, so indentation alone brings the drawing back.

use crate::form::carried;
use crate::plan::{Loss, Mode};
use crate::room::Room;
use crate::stage::{Edit, Scene, Stage, proven};

/// A text as `tree`, `cargo tree` and `npm ls` draw it.
pub(crate) struct Tree;

/// Fewer branches than this have nothing to give.
const MIN_BRANCHES: usize = 4;

impl Stage for Tree {
    fn name(&self) -> &'static str {
        "tree"
    }

    fn mode(&self) -> Mode {
        Mode::Standard
    }

    fn apply(&self, _: Scene<'_>, text: &str) -> Option<Edit> {
        let (lines, end) = carried::lines(text);
        let style = Style::of(&lines)?;
        let enough = MIN_BRANCHES.max(lines.len() / 4);
        let mut out = String::with_capacity(text.len());
        let (mut others, mut branches, mut last) = (Vec::new(), 0, "");
        for line in lines {
            match style.read(line) {
                Some((depth, name)) => {
                    carried::push(&mut out, &others);
                    others.clear();
                    indent(&mut out, depth, name);
                    branches += 1;
                    last = line;
                }
                None if others.is_empty() && !odd(line) => indent(&mut out, 0, line),
                None => others.push(line),
            }
        }
        carried::push(&mut out, &others);
        let note = note(style, &style.open(last));
        let edit = Edit { text: carried::finish(out, end), loss: Loss::None, note };
        if branches >= enough { proven(self, text, edit) } else { None }
    }

    fn restore(&self, room: Room, note: &str, text: &str) -> Option<String> {
        let (style, open) = parse(note)?;
        let (lines, end) = carried::lines(text);
        let mut rows = Vec::with_capacity(lines.len());
        let mut lines = lines.into_iter();
        while let Some(line) = lines.next() {
            match carried::count(line) {
                Some(count) => rows.extend(lines.by_ref().take(count).map(|line| Row {
                    depth: 0,
                    name: line,
                    other: true,
                })),
                None => rows.push(Row::read(line)),
            }
        }
        Some(carried::finish(style.draw(&rows, &open), end)).filter(|text| room.fits(text.len()).is_some())
    }
}

/// What a level is indented by.
const STEP: &str = "  ";

fn indent(out: &mut String, depth: usize, name: &str) {
    out.extend(std::iter::repeat_n(STEP, depth));
    out.push_str(name);
    out.push('\n');
}

/// True for a line that would be read as a branch, or as a count of other lines.
fn odd(line: &str) -> bool {
    line.starts_with(STEP) || carried::count(line).is_some()
}

/// A line below the mark.
struct Row<'a> {
    depth: usize,
    name: &'a str,
    /// One that stands in a run of its own.
    other: bool,
}

impl<'a> Row<'a> {
    fn read(line: &'a str) -> Self {
        let name = line.trim_start_matches(' ');
        let depth = (line.len() - name.len()) / STEP.len();
        Self { depth, name: &line[depth * STEP.len()..], other: false }
    }
}

/// How branches are drawn.
#[derive(Debug, PartialEq, Eq)]
struct Style {
    name: &'static str,
    /// Before a name that others follow.
    tee: &'static str,
    /// Before the last of its level.
    corner: &'static str,
    /// The same two before a name that has branches of its own, where they are drawn otherwise.
    forks: Option<[&'static str; 2]>,
    /// Above what follows on a level.
    bar: &'static str,
    /// Where nothing does.
    blank: &'static str,
}

const STYLES: [Style; 6] = [
    Style { name: "", tee: "├── ", corner: "└── ", forks: None, bar: "│   ", blank: "    " },
    Style {
        name: "hard spaces",
        tee: "├── ",
        corner: "└── ",
        forks: None,
        bar: "│\u{a0}\u{a0} ",
        blank: "    ",
    },
    Style { name: "drawn |--", tee: "|-- ", corner: "`-- ", forks: None, bar: "|   ", blank: "    " },
    Style { name: "drawn +---", tee: "+--- ", corner: "\\--- ", forks: None, bar: "|    ", blank: "     " },
    Style { name: "drawn +-", tee: "+- ", corner: "\\- ", forks: None, bar: "|  ", blank: "   " },
    Style {
        name: "forked",
        tee: "├── ",
        corner: "└── ",
        forks: Some(["├─┬ ", "└─┬ "]),
        bar: "│ ",
        blank: "  ",
    },
];

impl Style {
    /// The style that reads most lines.
    fn of(lines: &[&str]) -> Option<&'static Self> {
        let count = |style: &&Self| lines.iter().filter(|line| style.read(line).is_some()).count();
        let drawn = |line: &&str| line.starts_with(['├', '│', '└', '|', '+', '`', '\\']);
        lines.iter().any(drawn).then(|| STYLES.iter().rev().max_by_key(count))?
    }

    /// The depth and name of a branch.
    fn read<'l>(&self, line: &'l str) -> Option<(usize, &'l str)> {
        let (mut rest, mut depth) = (line, 1);
        loop {
            if let Some(name) = self.signs().find_map(|sign| rest.strip_prefix(sign)) {
                return (!name.starts_with(' ')).then_some((depth, name));
            }
            rest = rest.strip_prefix(self.bar).or_else(|| rest.strip_prefix(self.blank))?;
            depth += 1;
        }
    }

    /// What stands right before a name.
    fn signs(&self) -> impl Iterator<Item = &'static str> {
        [self.tee, self.corner].into_iter().chain(self.forks.into_iter().flatten())
    }

    /// The levels on which more was to come after `line`: a tree that was cut off.
    fn open(&self, line: &str) -> Vec<usize> {
        let (mut rest, mut depth, mut open) = (line, 1, Vec::new());
        loop {
            let [tee, corner] = self.forks.unwrap_or([self.tee, self.corner]);
            let more = [self.tee, tee, self.bar].iter().find_map(|sign| rest.strip_prefix(sign));
            let none = [self.corner, corner, self.blank].iter().find_map(|sign| rest.strip_prefix(sign));
            if more.is_some() {
                open.push(depth);
            }
            match more.or(none) {
                Some(below) if !self.signs().any(|sign| rest.starts_with(sign)) => rest = below,
                _ => return open,
            }
            depth += 1;
        }
    }

    /// Draws the branches; from below, because what follows decides.
    fn draw(&self, rows: &[Row<'_>], cut: &[usize]) -> String {
        let deepest = cut.iter().copied().max().unwrap_or(0);
        let mut open = vec![false; deepest + 1];
        for &level in cut {
            open[level] = true;
        }
        let mut drawn = vec![String::new(); rows.len()];
        let last = rows.iter().rposition(|row| row.depth > 0).unwrap_or(0);
        for (row, guide) in rows.iter().zip(&mut drawn).take(last + 1).rev() {
            for level in 1..row.depth {
                guide.push_str(if open.get(level) == Some(&true) { self.bar } else { self.blank });
            }
            let more = open.get(row.depth) == Some(&true);
            let forks = self.forks.filter(|_| open.get(row.depth + 1) == Some(&true));
            let [tee, corner] = forks.unwrap_or([self.tee, self.corner]);
            open.resize(row.depth + 1, false);
            open[row.depth] = true;
            if row.depth > 0 && !row.other {
                guide.push_str(if more { tee } else { corner });
            }
        }
        rows.iter().zip(drawn).fold(String::new(), |out, (row, guide)| out + &guide + row.name + "\n")
    }
}

const CUT: &str = "goes on at level ";

/// Writes `hard spaces; goes on at level 1 3`.
fn note(style: &Style, open: &[usize]) -> String {
    let levels: Vec<_> = open.iter().map(ToString::to_string).collect();
    let cut = if open.is_empty() { String::new() } else { format!("{CUT}{}", levels.join(" ")) };
    let parts = [style.name, &cut].into_iter().filter(|part| !part.is_empty());
    parts.collect::<Vec<_>>().join("; ")
}

fn parse(note: &str) -> Option<(&'static Style, Vec<usize>)> {
    let (name, levels) = match note.split_once(CUT) {
        Some((name, levels)) => (name.strip_suffix("; ").unwrap_or(name), levels),
        None => (note, ""),
    };
    let style = STYLES.iter().find(|style| style.name == name)?;
    let levels: Option<Vec<_>> = levels.split_whitespace().map(|level| level.parse().ok()).collect();
    levels.filter(|levels| levels.iter().all(|&level| level < 4096)).map(|levels| (style, levels))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::proof;
    use crate::proof::{check, check_odd, read_foreign};

    const USUAL: &str = "r\n├── a\n│   └── b\n└── c\n    └── d\nr\n├── a\n│   └── b\n└── c\n    └── d";
    /// Beside what is odd everywhere.
    const ODD: &[&str] = &["    x", "  [3 lines as they came:]", "├──"];

    #[test]
    fn branches_become_indentation() {
        check(
            &Tree,
            "r\n├── a\n│   ├── b\n│   │   └── c\n│   └── d\n└── e\n    └── f\n\n2 directories\n",
            "",
            "r\n  a\n    b\n      c\n    d\n  e\n    f\n\n2 directories\n",
        );
        check(&Tree, "|-- a\n|   `-- b\n|-- c\n`-- d", "drawn |--", "  a\n    b\n  c\n  d");
        check(
            &Tree,
            "r\n├─┬ a\n│ ├── b\n│ └─┬ c\n│   └── d\n└─┬ e\n  └── f\n",
            "forked",
            "r\n  a\n    b\n    c\n      d\n  e\n    f\n",
        );
        check(&Tree, "├── a\n│\u{a0}\u{a0} └── b\n├── c\n└── d", "hard spaces", "  a\n    b\n  c\n  d");
    }

    #[test]
    fn a_tree_that_was_cut_says_where_it_goes_on() {
        check(
            &Tree,
            "├── a\n├── b\n│   └── c\n│       ├── d\n",
            "goes on at level 1 3",
            "  a\n  b\n    c\n      d\n",
        );
    }

    /// Every order of a few odd lines around usual ones comes back.
    #[test]
    fn odd_lines_come_back() {
        check_odd(&Tree, &[proof::ODD, ODD].concat(), USUAL);
    }

    #[test]
    fn what_it_never_wrote_is_no_fault() {
        read_foreign(&Tree);
    }
}
