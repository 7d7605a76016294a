//! Lists of paths with each folder said once, what it holds indented below.

use super::lead::{Lead, folder};
use super::{Edit, Scene, Stage, other};
use crate::{Loss, Mode, Room};

/// A text of paths, one a line, with or without a count or a hash before each.
pub(super) struct Paths;

/// Fewer paths than this have nothing to give.
const MIN_PATHS: usize = 4;
/// How many paths are looked at before a folder is chosen.
const AHEAD: usize = 32;
/// What the line of a folder costs beside its name, in bytes.
const COST: usize = 2;
/// How deep folders are looked at.
const DEPTH: usize = 24;

impl Stage for Paths {
    fn name(&self) -> &'static str {
        "paths"
    }

    fn mode(&self) -> Mode {
        Mode::Standard
    }

    fn apply(&self, _: Scene<'_>, text: &str) -> Option<Edit> {
        let (lines, end) = other::lines(text);
        let (lead, count) = Lead::of(&lines);
        if count < MIN_PATHS || count * 2 < lines.len() {
            return None;
        }
        let items: Vec<_> = lines.iter().map(|line| lead.split(line)).collect();
        let base = base(items.iter().flatten().map(|(_, path)| *path));
        let paths: Vec<&str> = items.iter().flatten().map(|(_, path)| &path[base.len()..]).collect();
        let mut sheet =
            Sheet { base, out: String::with_capacity(text.len()), folder: None, others: Vec::new() };
        let mut ahead = &paths[..];
        for (line, item) in lines.iter().zip(&items) {
            match item {
                Some((word, _)) => {
                    sheet.path(line, word, ahead);
                    ahead = ahead.get(1..)?;
                }
                None => sheet.other(line),
            }
        }
        other::push(&mut sheet.out, &sheet.others);
        Some(Edit { text: other::finish(sheet.out, end), loss: Loss::None, note: note(&lead, base) })
    }

    fn restore(&self, room: Room, note: &str, text: &str) -> Option<String> {
        let (lead, base) = parse(note)?;
        let (lines, end) = other::lines(text);
        let mut lines = lines.into_iter();
        let mut out = String::with_capacity(text.len() * 2);
        let mut folder = "";
        while let Some(line) = lines.next() {
            if let Some(count) = other::count(line) {
                other::copy(&mut out, count, &mut lines)?;
                continue;
            }
            if let Some(row) = line.strip_prefix(' ') {
                let (word, name) = if lead == Lead::None { ("", row) } else { row.split_once(' ')? };
                out.extend([&lead.join(word), base, folder, name, "\n"]);
            } else if line.ends_with(SLASHES) {
                folder = if line == HERE && !base.is_empty() { "" } else { line };
            } else {
                out.extend([line, "\n"]);
            }
            room.fits(out.len())?;
        }
        Some(other::finish(out, end))
    }
}

const SLASHES: [char; 2] = ['/', '\\'];
/// The folder that all are under.
const HERE: &str = "./";

/// The folder that all paths are under, if they are not all in it.
fn base<'a>(mut paths: impl Iterator<Item = &'a str>) -> &'a str {
    let Some(mut base) = paths.next().and_then(folder) else { return "" };
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
    if folders > 2 { base } else { "" }
}

/// What is written: folders, rows in them, and lines as they came.
struct Sheet<'a> {
    base: &'a str,
    out: String,
    /// The last folder said, below the base.
    folder: Option<&'a str>,
    others: Vec<&'a str>,
}

impl<'a> Sheet<'a> {
    /// Writes the first of the paths that are left, which `line` holds.
    fn path(&mut self, line: &'a str, word: &str, ahead: &[&'a str]) {
        let Some(path) = ahead.first() else { return };
        let folder = best(self.base, self.folder.filter(|folder| path.starts_with(folder)), ahead);
        let Some(folder) = folder else { return self.other(line) };
        self.close();
        if self.folder != Some(folder) {
            self.folder = Some(folder);
            self.out.push_str(if folder.is_empty() { HERE } else { folder });
            self.out.push('\n');
        }
        let gap = if word.is_empty() { "" } else { " " };
        self.out.extend([" ", word, gap, &path[folder.len()..], "\n"]);
    }

    /// A line as it came; one that would be read as a folder or a row stands in a run.
    fn other(&mut self, line: &'a str) {
        let odd = line.starts_with(' ') || line.ends_with(SLASHES) || other::count(line).is_some();
        if odd || !self.others.is_empty() {
            self.others.push(line);
        } else {
            self.out.extend([line, "\n"]);
        }
    }

    fn close(&mut self) {
        other::push(&mut self.out, &self.others);
        self.others.clear();
    }
}

/// The folder to say before the first path, or the one that was said if no other spares more.
fn best<'a>(base: &str, current: Option<&'a str>, ahead: &[&'a str]) -> Option<&'a str> {
    let whole = if base.is_empty() { None } else { ahead.first().map(|path| &path[..0]) };
    let mut best = current.or(whole);
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

const UNDER: &str = "all under ";

/// Writes `counts to column 7; all under /srv/me/`.
fn note(lead: &Lead<'_>, base: &str) -> String {
    let lead = lead.note();
    let gap = if lead.is_empty() || base.is_empty() { "" } else { "; " };
    let under = if base.is_empty() { "" } else { UNDER };
    format!("{lead}{gap}{under}{base}")
}

fn parse(note: &str) -> Option<(Lead<'_>, &str)> {
    let (lead, base) = note.split_once(UNDER).unwrap_or((note, ""));
    Some((Lead::parse(lead.strip_suffix("; ").unwrap_or(lead))?, base))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::stage::proof::{self, check, check_odd, read_foreign};

    const USUAL: &str = "src/core/a.rs\nsrc/core/b.rs\nsrc/core/c/\nsrc/core/c/d.rs\nsrc/core/c/e f.rs\nC:\\x\\y\nhttps://a.b/c/d\nsrc//x/y";
    /// Beside what is odd everywhere.
    const ODD: &[&str] = &["/", "\\", "a/b/./c", "src/core/", "src/core/3 other lines:", "src/ x/"];

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
            "/srv/me/p/a.rs\n/srv/me/p/src/b.rs\n/srv/me/p/src/c.rs\n/srv/me/p/d/e.rs\n(cut)",
            "all under /srv/me/p/",
            "./\n a.rs\n src/b.rs\n src/c.rs\n d/e.rs\n(cut)",
        );
    }

    #[test]
    fn counts_and_hashes_stay_beside_their_paths() {
        check(
            &Paths,
            "   12 lib/a.go\n  224 lib/b.go\n 1161 lib/c.go\n    1 lib/d.go\n 1398 total\n",
            "counts to column 5",
            "lib/\n 12 a.go\n 224 b.go\n 1161 c.go\n 1 d.go\n1 other line:\n 1398 total\n",
        );
        check(
            &Paths,
            "100644 aa 0\tsrc/a\n100644 bb 0\tsrc/b\n100644 cc 0\tsrc/c\n100644 dd 0\tsrc/d",
            "each line \"100644 <first> 0\\t<path>\"",
            "src/\n aa a\n bb b\n cc c\n dd d",
        );
    }

    /// Every order of a few odd lines around usual ones comes back.
    #[test]
    fn odd_lines_come_back() {
        check_odd(&Paths, &[proof::ODD, ODD].concat(), USUAL);
    }

    #[test]
    fn what_it_never_wrote_is_no_fault() {
        read_foreign(&Paths);
    }
}
