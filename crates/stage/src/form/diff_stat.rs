//! Change summaries (`git diff --stat`) without their padding, each folder said once.

use crate::form::carried;
use crate::form::paths::Paths;
use crate::plan::{Loss, Mode};
use crate::room::Room;
use crate::stage::{Edit, Scene, Stage, proven};

/// A text with lines like ` src/a.rs   |  12 ++--`.
pub(crate) struct DiffStat;

/// Fewer files than this have nothing to give.
const MIN_FILES: usize = 3;

impl Stage for DiffStat {
    fn name(&self) -> &'static str {
        "diff stat"
    }

    fn mode(&self) -> Mode {
        Mode::Standard
    }

    fn apply(&self, scene: Scene<'_>, text: &str) -> Option<Edit> {
        let columns = text.split('\n').find_map(Columns::of)?;
        let mut files = 0;
        let lines = text.split('\n').map(|line| {
            let file = columns.read(line);
            files += usize::from(file.is_some());
            file.or_else(|| total(line).map(str::to_owned)).unwrap_or_else(|| line.to_owned())
        });
        let bare = lines.collect::<Vec<_>>().join("\n");
        if files < MIN_FILES {
            return None;
        }
        let edit = match Paths.apply(scene, &bare) {
            Some(edit) => Edit { note: format!("{}{FOLDERS}{}", columns.note(), edit.note), ..edit },
            None => Edit { text: bare, loss: Loss::None, note: columns.note() },
        };
        proven(self, text, edit)
    }

    fn restore(&self, room: Room, note: &str, text: &str) -> Option<String> {
        let (columns, folders) = match note.split_once(FOLDERS) {
            Some((columns, folders)) => (columns, Some(folders)),
            None => (note, None),
        };
        let columns = Columns::parse(columns)?;
        let bare = folders.map_or_else(|| Some(text.to_owned()), |note| Paths.restore(room, note, text))?;
        let (lines, end) = carried::lines(&bare);
        let mut out = String::with_capacity(bare.len() * 2);
        for line in lines {
            out.push_str(if is_total(line) { " " } else { "" });
            out.push_str(&columns.line(line).unwrap_or_else(|| line.to_owned()));
            out.push('\n');
            room.fits(out.len())?;
        }
        Some(carried::finish(out, end))
    }
}

const FOLDERS: &str = "; by folder: ";
const NAMES: &str = "names to column ";
const COUNTS: &str = ", counts to ";
const MAX_WIDTH: usize = 1024;

/// The widths of names and counts.
#[derive(Debug, PartialEq, Eq)]
struct Columns {
    name: usize,
    count: usize,
}

impl Columns {
    fn of(line: &str) -> Option<Self> {
        let (name, rest) = line.strip_prefix(' ')?.split_once(" | ")?;
        let (count, _) = count(rest)?;
        let (name, count) = (name.chars().count(), rest.len() - rest.trim_start().len() + count.len());
        (name <= MAX_WIDTH && count <= MAX_WIDTH).then_some(Self { name, count })
    }

    /// The line without padding, if it is one of ours.
    fn read(&self, line: &str) -> Option<String> {
        let (name, rest) = line.strip_prefix(' ')?.split_once(" | ")?;
        let (count, signs) = count(rest)?;
        let short = format!("{} | {count}{signs}", name.trim_end_matches(' '));
        (self.line(&short).as_deref() == Some(line)).then_some(short)
    }

    /// The line as it stood.
    fn line(&self, short: &str) -> Option<String> {
        let (name, rest) = short.split_once(" | ").filter(|(name, _)| !name.starts_with(' '))?;
        let (count, signs) = count(rest)?;
        Some(format!(" {name:<0$} | {count:>1$}{signs}", self.name, self.count))
    }

    fn note(&self) -> String {
        format!("{NAMES}{}{COUNTS}{}", self.name, self.count)
    }

    fn parse(note: &str) -> Option<Self> {
        let (name, count) = note.strip_prefix(NAMES)?.split_once(COUNTS)?;
        let columns = Self { name: name.parse().ok()?, count: count.parse().ok()? };
        (columns.name <= MAX_WIDTH && columns.count <= MAX_WIDTH).then_some(columns)
    }
}

/// What git says below the files, without the blank before it.
fn total(line: &str) -> Option<&str> {
    line.strip_prefix(' ').filter(|line| is_total(line))
}

fn is_total(line: &str) -> bool {
    line.split_once(' ').is_some_and(|(count, rest)| {
        count.bytes().all(|byte| byte.is_ascii_digit())
            && rest.starts_with("file")
            && rest.contains(" changed")
    })
}

/// The count, or `Bin`, that `rest` begins with, and what stands behind it.
fn count(rest: &str) -> Option<(&str, &str)> {
    let rest = rest.trim_start_matches(' ');
    let digits = rest.bytes().take_while(u8::is_ascii_digit).count();
    let end = if rest.starts_with("Bin") { 3 } else { digits };
    let (count, signs) = rest.split_at(end);
    let drawn = end == 3 && digits == 0 || signs.bytes().all(|byte| b" +-\r".contains(&byte));
    (end > 0 && drawn).then_some((count, signs))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::call::Call;
    use crate::plan::Plan;
    use crate::proof;

    #[test]
    fn padding_goes_and_comes_back() {
        for (text, note, body) in [
            (
                " src/core/a.rs    |   4 +---\n src/core/b.rs    |  12 ++++++\n src/core/logo.png | Bin 0 -> 9 bytes\n src/core/é.rs    | 120 +++\n 4 files changed, 9 insertions(+)\n",
                "names to column 16, counts to 3; by folder: ",
                "src/core/\n a.rs | 4 +---\n b.rs | 12 ++++++\n logo.png | Bin 0 -> 9 bytes\n é.rs | 120 +++\n4 files changed, 9 insertions(+)\n",
            ),
            (" a |  1 +\n b | 10 -\n c |  0", "names to column 1, counts to 2", "a | 1 +\nb | 10 -\nc | 0"),
        ] {
            let scene = Scene { plan: &Plan::default(), call: Call::default() };
            let edit = DiffStat.apply(scene, text).unwrap();
            assert_eq!((edit.note.as_str(), edit.text.as_str()), (note, body));
            assert_eq!(proof::read(&DiffStat, note, body).as_deref(), Some(text));
        }
    }

    #[test]
    fn what_it_never_wrote_is_no_fault() {
        for note in
            ["", "names to column x, counts to 1", "names to column 99999, counts to 1", "; by folder: "]
        {
            assert_eq!(proof::read(&DiffStat, note, "a | 1"), None);
        }
    }
}
