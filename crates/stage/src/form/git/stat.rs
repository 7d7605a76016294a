//! The lines of `git diff --stat` without their padding: `src/x.rs 82 ++--`.
//!
//! How they were laid out follows from the longest path and the longest count of each run of such lines.

use crate::room::Room;

/// The text with such lines; `None` when it has none.
pub(super) fn fold(text: &str) -> Option<String> {
    if !text.contains(" | ") {
        return None;
    }
    rewrite(Room::of(text), text, (Line::take, Line::write)).filter(|out| out != text)
}

/// The text that `fold` made this of.
pub(super) fn unfold(room: Room, text: &str) -> Option<String> {
    rewrite(room, text, (Line::read, Line::lay))
}

/// How lines are read, and how they are written in a run whose paths and counts are so wide.
type Ways<'a> = (fn(&'a str) -> Option<Line<'a>>, fn(&Line<'a>, &mut String, (usize, usize)));

/// Rewrites every run of lines that the first way can read, if there is one, and room for them.
fn rewrite<'a>(room: Room, text: &'a str, (read, write): Ways<'a>) -> Option<String> {
    let mut out = String::with_capacity(text.len());
    let mut run: Vec<Line<'a>> = Vec::new();
    let mut runs = 0;
    for line in text.split_inclusive('\n') {
        if let Some(line) = read(line) {
            run.push(line);
            continue;
        }
        runs += push_run(room, &mut out, &mut run, write)?;
        out.push_str(line);
    }
    runs += push_run(room, &mut out, &mut run, write)?;
    (runs > 0).then_some(out)
}

fn push_run<'a>(
    room: Room,
    out: &mut String,
    run: &mut Vec<Line<'a>>,
    write: fn(&Line<'a>, &mut String, (usize, usize)),
) -> Option<usize> {
    let path = run.iter().map(|line| line.path.chars().count()).max().unwrap_or(0);
    let count = run.iter().map(|line| line.count.len()).max().unwrap_or(0);
    for line in &*run {
        write(line, out, (path, count));
        room.fits(out.len())?;
    }
    let any = usize::from(!run.is_empty());
    run.clear();
    Some(any)
}

/// Longer paths would make the padding of a run grow out of proportion.
const MAX_PATH: usize = 512;

/// One file's line.
struct Line<'a> {
    path: &'a str,
    count: &'a str,
    /// ` ++--`, or nothing.
    graph: &'a str,
}

impl<'a> Line<'a> {
    /// Reads git's line.
    fn take(line: &'a str) -> Option<Self> {
        let rest = line.strip_prefix(' ')?.strip_suffix('\n')?;
        let (path, rest) = rest.split_once(" | ")?;
        Self::new(path.trim_end_matches(' '), rest.trim_start_matches(' '))
    }

    /// Reads our line.
    fn read(line: &'a str) -> Option<Self> {
        let rest = line.strip_suffix('\n')?;
        let graph = rest.trim_end_matches(['+', '-']);
        let body = if graph.len() < rest.len() { graph.strip_suffix(' ')? } else { rest };
        let at = body.rfind(' ')?;
        Self::new(&rest[..at], &rest[at + 1..])
    }

    fn new(path: &'a str, counts: &'a str) -> Option<Self> {
        let (count, graph) = counts.split_at(counts.bytes().take_while(u8::is_ascii_digit).count());
        let drawn = graph
            .strip_prefix(' ')
            .is_some_and(|marks| !marks.is_empty() && marks.bytes().all(|mark| b"+-".contains(&mark)));
        let sound = (1..=MAX_PATH).contains(&path.len())
            && !path.starts_with(' ')
            && (1..=9).contains(&count.len())
            && (drawn || graph.is_empty());
        sound.then_some(Self { path, count, graph })
    }

    fn write(&self, out: &mut String, _: (usize, usize)) {
        out.extend([self.path, " ", self.count, self.graph, "\n"]);
    }

    fn lay(&self, out: &mut String, (path, count): (usize, usize)) {
        let padding = " ".repeat(path - self.path.chars().count());
        let digits = " ".repeat(count - self.count.len());
        out.extend([" ", self.path, &padding, " | ", &digits, self.count, self.graph, "\n"]);
    }
}
