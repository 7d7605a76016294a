//! Lists of references as rows: what most of them share is said once.

use std::borrow::Cow;

use super::super::grid::{self, Grid};
use super::super::{Edit, Scene, Stage};
use crate::{Loss, Mode};

/// Lines of `git for-each-ref`: a reference, its commit, a date and a subject.
pub(in crate::stage) struct Refs;

/// Fewer lines than this have nothing to give.
const MIN_LINES: usize = 4;

const NAMES: [&str; 5] = ["name", "kind", "commit", "date", "subject"];

impl Stage for Refs {
    fn name(&self) -> &'static str {
        "git references"
    }

    /// How well its rows read is not measured yet; until it is, they are for those who ask for all there is.
    fn mode(&self) -> Mode {
        Mode::Aggressive
    }

    fn apply(&self, _: Scene<'_>, text: &str) -> Option<Edit> {
        let mut rows = Vec::new();
        let mut rest = text;
        while let Some((line, below)) = rest.split_once('\n')
            && let Some(row) = split(line)
        {
            rows.push(row);
            rest = below;
        }
        let grid = Grid { names: NAMES.map(Cow::Borrowed).to_vec(), rows };
        let note = format!("{} rows", grid.rows.len());
        let enough = grid.rows.len() >= MIN_LINES;
        enough.then_some(Edit { text: grid::write(&grid)? + rest, loss: Loss::None, note })
    }

    fn restore(&self, note: &str, text: &str) -> Option<String> {
        let (grid, rest) = grid::read(text, note.strip_suffix(" rows")?.parse().ok()?)?;
        let mut out = String::with_capacity(text.len() * 2);
        for row in &grid.rows {
            let [name, kind, commit, date, subject] = row.as_slice() else { return None };
            out.extend(["refs/", kind, "/", name, " ", commit, " ", date, " ", subject, "\n"]);
        }
        Some(out + rest)
    }
}

/// The cells of `refs/tags/v1 24cf… 2026-08-21 14:12:44 +0200 subject`.
fn split(line: &str) -> Option<Vec<Cow<'_, str>>> {
    let (reference, rest) = line.strip_prefix("refs/")?.split_once(' ')?;
    let (kind, name) = reference.split_once('/')?;
    let (commit, rest) = rest.split_once(' ')?;
    let (date, subject) = rest.split_at_checked(25)?;
    let hex = commit.len() >= 7 && commit.bytes().all(|byte| byte.is_ascii_hexdigit());
    let dated = date.starts_with(|first: char| first.is_ascii_digit()) && date.matches(' ').count() == 2;
    let cells = [name, kind, commit, date, subject.strip_prefix(' ')?];
    (hex && dated).then(|| cells.map(Cow::Borrowed).to_vec())
}

#[cfg(test)]
mod tests {
    use super::super::tests::check;
    use super::*;

    #[test]
    fn references_become_rows() {
        let line = |tag: &str| format!("refs/tags/{tag} 24cf4628 2026-08-21 14:12:44 +0200 Release {tag}\n");
        let row = |tag: &str| format!("{tag}\n");
        let (texts, rows) =
            (["v1.0", "v1.1", "v1.2", "v1.3"].map(line), ["v1.0", "v1.1", "v1.2", "v1.3"].map(row));
        let facts = "fields: name,kind,commit,date,subject\n\
                     every row: kind=tags, commit=24cf4628, date=2026-08-21 14:12:44 +0200\n\
                     in every row, subject = Release {name}\nname\n";
        check(&Refs, &texts.concat(), "4 rows", &(facts.to_owned() + &rows.concat()));
    }
}
