//! Lists of paths with each folder said once, what it holds indented below.
//!
//! What is indented stands in the folder above it. A line that is in none ends the folder, so that nothing seems to be
//! in it that is not; where a line would be taken for a folder or for what is in one, the list stays as it is.

use crate::form::carried;
use crate::form::lead::{Lead, folder};
use crate::plan::{Loss, Mode};
use crate::room::Room;
use crate::stage::{Edit, Scene, Stage};

/// A text of paths, one a line, with or without a count or a hash before each.
pub(crate) struct Paths;

/// Fewer paths than this have nothing to give.
const MIN_PATHS: usize = 4;
/// Paths in a hundred lines: other words amid a list are easily taken for part of it.
const MIN_SHARE: usize = 75;
/// How many paths are looked at before a folder is chosen.
const AHEAD: usize = 32;
/// What the line of a folder costs beside its name, in bytes.
const COST: usize = 2;
/// How deep folders are looked at.
const DEPTH: usize = 24;

const SLASHES: [char; 2] = ['/', '\\'];

impl Stage for Paths {
    fn name(&self) -> &'static str {
        "paths"
    }

    fn mode(&self) -> Mode {
        Mode::Standard
    }

    fn apply(&self, _: Scene<'_>, text: &str) -> Option<Edit> {
        let (lines, end) = carried::lines(text);
        let least = MIN_PATHS.max((lines.len() * MIN_SHARE).div_ceil(100));
        let (lead, count) = Lead::of(&lines, least);
        if count < least {
            return None;
        }
        let items: Vec<_> = lines.iter().map(|line| lead.split(line)).collect();
        let paths: Vec<&str> = items.iter().flatten().map(|(_, path)| *path).collect();
        let base = if paths.len() == lines.len() { base(&paths) } else { "" };
        let paths: Vec<&str> = paths.into_iter().map(|path| &path[base.len()..]).collect();
        let shape = Shape { lead, base };
        let mut sheet = Sheet { out: shape.head(), folder: None, shape: &shape };
        let mut ahead = &paths[..];
        for (line, item) in lines.iter().zip(&items) {
            match item {
                Some((word, _)) => {
                    sheet.path(line, word, ahead);
                    ahead = ahead.get(1..)?;
                }
                None => sheet.other(line)?,
            }
        }
        Some(Edit { text: carried::finish(sheet.out, end), loss: Loss::None, note: shape.note() })
    }

    fn restore(&self, room: Room, note: &str, text: &str) -> Option<String> {
        let (shape, text) = Shape::parse(note, text)?;
        let (lines, end) = carried::lines(text);
        let mut out = String::with_capacity(text.len() * 2);
        let mut folder = None;
        for line in lines {
            if let Some(row) = line.strip_prefix(' ') {
                shape.push(&mut out, folder?, row)?;
            } else if line.ends_with(SLASHES) {
                folder = Some(line);
                continue;
            } else {
                folder = None;
                shape.push_other(&mut out, line)?;
            }
            out.push('\n');
            room.fits(out.len())?;
        }
        Some(carried::finish(out, end))
    }
}

/// The folder that all paths are under, if they are not all in it.
fn base<'a>(paths: &[&'a str]) -> &'a str {
    let Some(mut base) = paths.first().and_then(|path| folder(path)) else { return "" };
    let mut folders = 1;
    let mut above = base;
    for path in paths {
        let here = folder(path).unwrap_or_default();
        folders += usize::from(here != above);
        above = here;
        let same = base.bytes().zip(here.bytes()).take_while(|(left, right)| left == right).count();
        let end = base.as_bytes()[..same].iter().rposition(|byte| matches!(byte, b'/' | b'\\'));
        base = end.map_or("", |end| &base[..=end]);
    }
    // A folder of its own would be taken for one that others are in.
    let plain = paths.iter().all(|path| !path.ends_with(SLASHES));
    if folders > 2 && plain { base } else { "" }
}

/// What all lines have in common.
struct Shape<'a> {
    lead: Lead<'a>,
    base: &'a str,
}

const UNDER: &str = "all under ";
const GAP: &str = "; ";
const HEADED: &str = "headed";

impl<'a> Shape<'a> {
    /// What a reader must know: `[each line: 100644 {word} 0 {path}; all under src/]`.
    fn head(&self) -> String {
        let each = self.lead.words();
        let gap = if each.is_empty() || self.base.is_empty() { "" } else { GAP };
        let under = if self.base.is_empty() { "" } else { UNDER };
        if each.is_empty() && under.is_empty() {
            return String::new();
        }
        ["[", &each, gap, under, self.base, "]\n"].concat()
    }

    /// What only a decoder must know.
    fn note(&self) -> String {
        let lead = if self.lead.words().is_empty() { self.lead.note() } else { String::new() };
        let headed = if self.head().is_empty() { "" } else { HEADED };
        [&*lead, headed].into_iter().filter(|part| !part.is_empty()).collect::<Vec<_>>().join(GAP)
    }

    /// The shape, and what stands below its head.
    fn parse(note: &'a str, text: &'a str) -> Option<(Self, &'a str)> {
        let Some(lead) = note.strip_suffix(HEADED) else {
            return Some((Self { lead: Lead::parse(note)?, base: "" }, text));
        };
        let (head, rows) = text.split_once('\n')?;
        let head = head.strip_prefix('[')?.strip_suffix(']')?;
        let (each, base) = head.split_once(UNDER).unwrap_or((head, ""));
        let each = each.strip_suffix(GAP).unwrap_or(each);
        let lead = match lead.strip_suffix(GAP).unwrap_or(lead) {
            "" => Lead::read(each)?,
            note => Lead::parse(note)?,
        };
        Some((Self { lead, base }, rows))
    }

    /// Writes what a row of a folder stands for.
    fn push(&self, out: &mut String, folder: &str, row: &str) -> Option<()> {
        let (word, name) = if self.lead == Lead::None { ("", row) } else { row.split_once(' ')? };
        out.extend([&self.lead.join(word), self.base, folder, name]);
        Some(())
    }

    /// Writes what a line that is in no folder stands for.
    fn push_other(&self, out: &mut String, line: &str) -> Option<()> {
        if !self.base.is_empty() {
            return self.push(out, "", line);
        }
        match line.split_once(' ') {
            Some((count, rest)) if self.counts() && is_count(count) => {
                out.extend([&self.lead.join(count), rest]);
            }
            _ => out.push_str(line),
        }
        Some(())
    }

    fn counts(&self) -> bool {
        matches!(self.lead, Lead::Count { .. })
    }
}

fn is_count(word: &str) -> bool {
    !word.is_empty() && word.bytes().all(|byte| byte.is_ascii_digit())
}

/// What is written: folders, rows in them, and lines that are in none.
struct Sheet<'s, 'a> {
    out: String,
    /// The folder that the last line is in, below the base.
    folder: Option<&'a str>,
    shape: &'s Shape<'a>,
}

impl<'a> Sheet<'_, 'a> {
    /// Writes the first of the paths that are left, which `line` holds.
    fn path(&mut self, line: &str, word: &str, ahead: &[&'a str]) {
        let Some(path) = ahead.first() else { return };
        let known = self.folder.filter(|folder| path.starts_with(folder));
        let gap = if word.is_empty() { "" } else { " " };
        let folder = best(known, ahead);
        let before = std::mem::replace(&mut self.folder, folder);
        if let Some(folder) = folder {
            if before != Some(folder) {
                self.out.extend([folder, "\n"]);
            }
            self.out.extend([" ", word, gap, &path[folder.len()..], "\n"]);
        } else {
            let short = !self.shape.base.is_empty() || self.shape.counts();
            let line = if short { [word, gap, path].concat() } else { line.to_owned() };
            self.out.extend([&line, "\n"]);
        }
    }

    /// A line without a path; none where one would be taken for a folder or a row.
    fn other(&mut self, line: &str) -> Option<()> {
        self.folder = None;
        let counted = line.trim_start_matches(' ').split_once(' ').filter(|(count, rest)| {
            self.shape.counts() && is_count(count) && format!("{}{rest}", self.shape.lead.join(count)) == line
        });
        match counted {
            Some((count, rest)) => self.out.extend([count, " ", rest, "\n"]),
            None if line.starts_with(' ') || line.ends_with(SLASHES) => return None,
            None => self.out.extend([line, "\n"]),
        }
        Some(())
    }
}

/// The folder to say before the first path, or the one that was said if no other spares more.
fn best<'a>(current: Option<&'a str>, ahead: &[&'a str]) -> Option<&'a str> {
    let mut best = current;
    while let Some(folder) = better(best, ahead) {
        best = Some(folder);
    }
    best
}

/// A folder that spares more than it costs to those who know `current`.
fn better<'a>(current: Option<&'a str>, ahead: &[&'a str]) -> Option<&'a str> {
    let path = ahead.first()?;
    let known = current.map_or(0, str::len);
    let back = current.map_or(0, |current| current.len() + COST);
    let spared = |folder: &&str| {
        let held = ahead.iter().take(AHEAD).take_while(|path| path.starts_with(*folder)).count();
        ((folder.len() - known) * held).saturating_sub(folder.len() + COST + back)
    };
    let ends = path.match_indices(SLASHES).map(|(at, _)| at + 1);
    let deeper = ends.filter(|&end| end < path.len() && end > known).take(DEPTH).map(|end| &path[..end]);
    deeper.filter(|folder| spared(folder) > 0).max_by_key(spared)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::proof;
    use crate::proof::{apply, check, read_foreign};

    #[test]
    fn a_folder_is_said_once() {
        check(
            &Paths,
            "src/core/a.rs\nsrc/core/b.rs\nsrc/core/c.rs\nREADME.md\ndocs/x.md\n",
            "",
            "src/core/\n a.rs\n b.rs\n c.rs\nREADME.md\ndocs/x.md\n",
        );
        check(
            &Paths,
            "/srv/me/p/a.rs\n/srv/me/p/src/core/b.rs\n/srv/me/p/src/core/c.rs\n/srv/me/p/src/core/d.rs\n/srv/me/p/d/e.rs",
            "headed",
            "[all under /srv/me/p/]\na.rs\nsrc/core/\n b.rs\n c.rs\n d.rs\nd/e.rs",
        );
    }

    /// A row below a line that is in no folder would seem to be in that line.
    #[test]
    fn a_folder_is_said_again_below_another_line() {
        let text = "Found 9 files\nsrc\\color\\keys.go\nsrc\\color\\names.go\nsrc\\color\\lists.go\nthemes\\all.json\n\
                    src\\color\\gradient.go\nsrc\\color\\shade.go\nsrc\\color\\tone.go\nweb\\x.md";
        check(
            &Paths,
            text,
            "",
            "Found 9 files\nsrc\\color\\\n keys.go\n names.go\n lists.go\nthemes\\all.json\nsrc\\color\\\n gradient.go\n \
             shade.go\n tone.go\nweb\\x.md",
        );
    }

    #[test]
    fn counts_and_hashes_stay_beside_their_paths() {
        check(
            &Paths,
            "   12 lib/a.go\n  224 lib/b.go\n 1161 lib/c.go\n    1 lib/d.go\n    2 lib/e.go\n    3 lib/f.go\n   17 README\n 1403 total\n",
            "counts to column 5",
            "lib/\n 12 a.go\n 224 b.go\n 1161 c.go\n 1 d.go\n 2 e.go\n 3 f.go\n17 README\n1403 total\n",
        );
        check(
            &Paths,
            "100644 aa 0\tsrc/a\n100644 bb 0\tsrc/b\n100644 cc 0\tsrc/c\n100644 dd 0\tsrc/d",
            "headed",
            "[each line: 100644 {word} 0\t{path}]\nsrc/\n aa a\n bb b\n cc c\n dd d",
        );
        check(
            &Paths,
            "4.0K\t./src/a\n12K\t./src/b\n8.0K\t./src/c\n24K\t./src/d\n",
            "each line \"<first>\\t<path>\"",
            "./src/\n 4.0K a\n 12K b\n 8.0K c\n 24K d\n",
        );
    }

    /// What stands beside paths there are instructions, and where a sign stands tells what it means.
    #[test]
    fn what_git_says_of_a_work_tree_is_left_alone() {
        let long = "On branch main\nChanges not staged for commit:\n  (use \"git add <file>...\" to update)\n\
                    \tmodified:   src/a.rs\n\tmodified:   src/b.rs\n\tmodified:   src/c.rs\n\tmodified:   src/d.rs\n\n";
        let short = " M src/core/a.rs\n M src/core/b.rs\nM  src/core/c.rs\n M src/core/d.rs\n M src/core/e.rs\n?? src/core/f.rs\n";
        for text in [long, short] {
            assert_eq!(apply(&Paths, text), None, "{text}");
        }
    }

    /// Every order of a few odd lines around usual ones comes back, or is left alone.
    #[test]
    fn odd_lines_come_back() {
        let usual = "src/core/a.rs\nsrc/core/b.rs\nsrc/core/c/\nsrc/core/c/d.rs\nsrc/core/c/e f.rs\nC:\\x\\y\n\
                     https://a.b/c/d\nsrc//x/y\nsrc/core/a.rs\nsrc/core/b.rs";
        let odd = [proof::ODD, &["/", "\\", "a/b/./c", "src/core/", "src/ x/", "12 x", " 12 x"]].concat();
        for first in &odd {
            for second in &odd {
                for end in ["", "\n", "\n\n"] {
                    let text = format!("{first}\n{usual}\n{second}\n{usual}{end}");
                    let Some(edit) = apply(&Paths, &text) else { continue };
                    let back = proof::read(&Paths, &edit.note, &edit.text);
                    assert_eq!(back.as_deref(), Some(&*text), "{}\n{}", edit.note, edit.text);
                }
            }
        }
    }

    #[test]
    fn what_it_never_wrote_is_no_fault() {
        read_foreign(&Paths);
        for note in ["headed", "counts to column 3; headed", "; headed"] {
            for body in [
                "",
                "[]",
                "[all under a/]\n x",
                "[each line: {path}]\nx/\n y",
                "[each line: a{word}b{path}]\nx/\n y",
            ] {
                let _ = proof::read(&Paths, note, body);
            }
        }
    }
}
