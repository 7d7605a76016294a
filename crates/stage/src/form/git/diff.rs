//! A file's header in a diff on one line: `diff src/x.rs index 8827bd4c..379c3f0e 100644`.

use crate::room::Room;

/// The text with such headers; `None` when it has none that can be written so.
pub(super) fn fold(text: &str) -> Option<String> {
    if !text.contains("diff --git a/") {
        return None;
    }
    let mut out = String::with_capacity(text.len());
    let mut rest = text;
    let mut folded = false;
    while !rest.is_empty() {
        if let Some((header, below)) = Header::take(rest) {
            out.push_str(&header.line());
            rest = below;
            folded = true;
        } else {
            let (line, below) = take_line(rest);
            out.push_str(line);
            rest = below;
        }
    }
    folded.then_some(out)
}

/// The text that `fold` made this of.
pub(super) fn unfold(room: Room, text: &str) -> Option<String> {
    let mut out = String::with_capacity(text.len() + text.len() / 8);
    for line in text.split_inclusive('\n') {
        match Header::read(line) {
            Some(header) => out.push_str(&header.lines()),
            None => out.push_str(line),
        }
        room.fits(out.len())?;
    }
    Some(out)
}

/// What git says of a file whose path did not change.
struct Header<'a> {
    path: &'a str,
    /// `new file mode 100644`, when it is one.
    change: Option<&'a str>,
    /// `index 8827bd4c..379c3f0e 100644`
    index: &'a str,
}

const NEW: &str = "new file mode ";
const DELETED: &str = "deleted file mode ";
const INDEX: &str = "index ";

impl<'a> Header<'a> {
    /// The header at the beginning of `text`, in git's words, and what stands below it.
    fn take(text: &'a str) -> Option<(Self, &'a str)> {
        let (first, rest) = text.split_once('\n')?;
        let paths = first.strip_prefix("diff --git a/")?;
        let path = &paths.get(..paths.len().checked_sub(3)? / 2)?;
        let (second, _) = rest.split_once('\n')?;
        let change = Some(second).filter(|line| line.starts_with(NEW) || line.starts_with(DELETED));
        let rest = change.map_or(rest, |line| &rest[line.len() + 1..]);
        let (index, _) = rest.split_once('\n').filter(|(line, _)| line.starts_with(INDEX))?;
        let header = Self { path, change, index };
        Some((header.lines(), header)).and_then(|(lines, header)| Some((header, text.strip_prefix(&lines)?)))
    }

    /// The header in git's words.
    fn lines(&self) -> String {
        let Self { path, index, .. } = self;
        let change = self.change.map_or(String::new(), |change| format!("{change}\n"));
        let kind = self.change.unwrap_or_default();
        let old = if kind.starts_with(NEW) { "/dev/null".to_owned() } else { format!("a/{path}") };
        let new = if kind.starts_with(DELETED) { "/dev/null".to_owned() } else { format!("b/{path}") };
        format!("diff --git a/{path} b/{path}\n{change}{index}\n--- {old}\n+++ {new}\n")
    }

    /// The header on one line.
    fn line(&self) -> String {
        let change = self.change.map_or(String::new(), |change| format!(" {change}"));
        format!("diff {}{change} {}\n", self.path, self.index)
    }

    /// Reads the header on one line.
    fn read(line: &'a str) -> Option<Self> {
        let rest = line.strip_prefix("diff ")?.strip_suffix('\n')?;
        let at = rest.rfind(" index ")?;
        let (head, index) = (&rest[..at], &rest[at + 1..]);
        let kind = [" new file mode ", " deleted file mode "].into_iter().find_map(|words| head.rfind(words));
        let (path, change) = kind.map_or((head, None), |at| (&head[..at], Some(&head[at + 1..])));
        Some(Self { path, change, index })
    }
}

/// The first line with its newline, and the lines below.
fn take_line(text: &str) -> (&str, &str) {
    text.split_at(text.find('\n').map_or(text.len(), |at| at + 1))
}
