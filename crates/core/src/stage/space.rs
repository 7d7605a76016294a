//! White space that nobody reads: at the ends of lines, between paragraphs, around the cells of tables.
//!
//! It stands behind the exact forms: a text that one of them took needs none of this.

use super::{Edit, Scene, Stage, hit, source};
use crate::{Family, Loss, Mode};

/// Trailing white space, and more than two blank lines in a row.
pub(super) struct Blank;

/// Blank lines in a row that stay.
const MAX_BLANK: usize = 2;

impl Stage for Blank {
    fn lines_stand_alone(&self) -> bool {
        true
    }

    fn name(&self) -> &'static str {
        "normalize_whitespace"
    }

    fn mode(&self) -> Mode {
        Mode::Standard
    }

    fn apply(&self, scene: Scene<'_>, text: &str) -> Option<Edit> {
        if source::is_source(scene.call, text) || is_code(text) || quotes_files(scene, text) {
            return None;
        }
        let mut out = String::with_capacity(text.len());
        let mut blank = 0;
        for line in text.split_inclusive('\n') {
            let words = line.trim_end();
            blank = if words.is_empty() { blank + 1 } else { 0 };
            if blank <= MAX_BLANK {
                out.push_str(words);
                out.push_str(end(line));
            }
        }
        edit(text, out)
    }
}

/// The padding of tables between pipes.
pub(super) struct Cells;

/// Pipes in a row of a table.
const MIN_PIPES: usize = 2;

/// Rows that make a table.
const MIN_ROWS: usize = 3;

impl Stage for Cells {
    fn lines_stand_alone(&self) -> bool {
        true
    }

    fn name(&self) -> &'static str {
        "minimize_table_whitespace"
    }

    fn mode(&self) -> Mode {
        Mode::Standard
    }

    fn apply(&self, scene: Scene<'_>, text: &str) -> Option<Edit> {
        if !text.contains('|')
            || source::is_source(scene.call, text)
            || is_code(text)
            || quotes_files(scene, text)
        {
            return None;
        }
        let lines: Vec<&str> = text.split_inclusive('\n').collect();
        let mut out = String::with_capacity(text.len());
        for part in lines.chunk_by(|one, two| pipes(one) == pipes(two)) {
            let table = part.len() >= MIN_ROWS && pipes(part[0]) >= MIN_PIPES && is_head(part[0]);
            for line in part {
                if table { push_row(&mut out, line) } else { out.push_str(line) }
            }
        }
        edit(text, out)
    }
}

/// True for the hits of a search: their lines are lines of files, as an edit may quote them.
fn quotes_files(scene: Scene<'_>, text: &str) -> bool {
    let lines = || text.lines().take(SAMPLE);
    let hits = lines().filter(|line| hit::numbered(line).is_some()).count();
    scene.call.family() == Family::Grep || hits * 2 > lines().count()
}

/// Lines that tell a search from other texts.
const SAMPLE: usize = 50;

/// What must be saved, in percent: for less, a text stays as it came.
const MIN_PERCENT: usize = 1;

fn edit(text: &str, out: String) -> Option<Edit> {
    let saved = text.len().checked_sub(out.len())?;
    (saved * 100 > text.len() * MIN_PERCENT).then_some(Edit {
        text: out,
        loss: Loss::Form,
        note: String::new(),
    })
}

/// How a line ends.
fn end(line: &str) -> &str {
    let words = line.trim_end_matches(['\n', '\r']);
    &line[words.len()..]
}

/// The pipes that stand alone between cells; none where two of them make an operator.
fn pipes(line: &str) -> usize {
    if line.contains("||") { 0 } else { line.bytes().filter(|byte| *byte == b'|').count() }
}

/// True when every column has a name: bars beside code, as compilers draw them, have none between them.
fn is_head(line: &str) -> bool {
    let line = line.trim();
    let line = line.strip_prefix('|').unwrap_or(line);
    line.strip_suffix('|').unwrap_or(line).split('|').all(|name| !name.trim().is_empty())
}

/// Writes a row with one space around each cell.
fn push_row(out: &mut String, line: &str) {
    let words = line.trim_end_matches(['\n', '\r']);
    let mut cells = words.split('|');
    let first = cells.next().unwrap_or_default();
    out.push_str(if first.trim().is_empty() { first } else { first.trim_end() });
    let mut inside = !first.trim().is_empty();
    for cell in cells {
        out.push_str(if inside { " |" } else { "|" });
        inside = !cell.trim().is_empty();
        if inside {
            out.push(' ');
            out.push_str(cell.trim());
        }
    }
    out.push_str(end(line));
}

/// Lines in a hundred that end or begin as code does; a text with more of them is code.
const MAX_CODE: usize = 20;

/// What lines of code end with.
const ENDS: [char; 6] = ['{', '}', ';', '(', ',', '\\'];

/// What lines of code begin with.
const STARTS: [&str; 14] = [
    "def ", "class ", "import ", "from ", "fn ", "let ", "const ", "return", "if ", "for ", "//", "#include",
    "use ", "- ",
];

/// True for a text that may be a file of code, or one whose lines are told by their indentation.
fn is_code(text: &str) -> bool {
    let (mut all, mut code) = (0, 0);
    for line in text.lines().map(str::trim).filter(|line| !line.is_empty()) {
        all += 1;
        code += usize::from(line.ends_with(ENDS) || STARTS.iter().any(|start| line.starts_with(start)));
    }
    code * 100 > all * MAX_CODE
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::stage::proof;
    use crate::{Call, Plan};

    fn becomes(stage: &dyn Stage, text: &str) -> Option<String> {
        proof::apply(stage, text).map(|edit| edit.text)
    }

    /// Contract 3.7.
    #[test]
    fn blanks_are_few() {
        assert_eq!(becomes(&Blank, "a  \nb\t\r\n\n\n\n \n  c d \n").as_deref(), Some("a\nb\r\n\n\n  c d\n"));
        assert_eq!(becomes(&Blank, "a\n\n\nb\n"), None);
        assert_eq!(becomes(&Blank, "a "), Some("a".to_owned()));
    }

    #[test]
    fn cells_lose_their_padding() {
        let table = "see\n|  id  | name   |\n|------|--------|\n|  1   | a  b   |\r\n| | é      |\nx | y\n";
        let expected = "see\n| id | name |\n| ------ | -------- |\n| 1 | a  b |\r\n|| é |\nx | y\n";
        assert_eq!(becomes(&Cells, table).as_deref(), Some(expected));
    }

    #[test]
    fn tables_that_a_search_found_stay() {
        let hits = "docs/a.md:1:| id   | name |\ndocs/a.md:2:|------|------|\ndocs/a.md:3:| 1    | a    |\n";
        assert_eq!(becomes(&Cells, hits), None);
        let table = "| id   | name |\n|------|------|\n| 1    | a    |\n";
        let call = Call { tool: "Grep", ..Call::default() };
        assert_eq!(Cells.apply(Scene { plan: &Plan::default(), call }, table), None);
        assert!(becomes(&Cells, table).is_some());
    }

    /// Contract 17.4.
    #[test]
    fn code_stays() {
        let code = "fn a() {\n    let f = ||  x  |  y  |  z;  \n    let g = |x|  y  |  z;  \n    let h = |x|  y;  \n}\n\n\n\n\n";
        assert_eq!((becomes(&Blank, code), becomes(&Cells, code)), (None, None));
        let told = "error: x\n  |\n1 | |   a  b\n2 | |   a  b\n3 | |     a  b\n4 | |   a  b\n";
        assert_eq!(becomes(&Cells, told), None);
        let read = Scene { plan: &Plan::default(), call: Call { tool: "Read", ..Call::default() } };
        assert_eq!(Blank.apply(read, "a  \n"), None);
    }
}
