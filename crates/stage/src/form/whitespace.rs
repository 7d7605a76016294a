//! Decides whether a text's white space is significant.

use crate::call::Family;
use crate::lines;
use crate::plan::Loss;
use crate::prefix::PrefixSet;
use crate::read::hit;
use crate::stage::{Edit, Scene};
use crate::view::TextView;

/// True when the white space of a text is significant: in a file, in code, and in lines of files found by a search.
pub(super) fn is_space_significant(scene: Scene<'_>, text: &TextView<'_>) -> bool {
    text.is_source(scene.call) || is_code(text) || quotes_files(scene, text)
}

/// True for search results, which consist of lines of files that an edit may quote.
fn quotes_files(scene: Scene<'_>, text: &str) -> bool {
    let lines = || lines::lines(text).take(SAMPLE_LINES);
    let hits = lines().filter(|line| hit::parse_numbered(line).is_some()).count();
    scene.call.family() == Family::Grep || hits * 2 > lines().count()
}

/// The number of lines inspected to recognise search results.
const SAMPLE_LINES: usize = 50;

/// The minimum saving in percent; a text that would save less stays unchanged.
const MIN_SAVED_PERCENT: usize = 1;

/// The edit that replaces `text` with `out`, if it saves enough.
pub(super) fn edit(text: &str, out: String) -> Option<Edit> {
    let saved = text.len().checked_sub(out.len())?;
    (saved * 100 > text.len() * MIN_SAVED_PERCENT).then_some(Edit {
        text: out,
        loss: Loss::Form,
        note: String::new(),
    })
}

/// The line end of a line.
pub(super) fn end(line: &str) -> &str {
    let words = line.trim_end_matches(['\n', '\r']);
    &line[words.len()..]
}

/// The maximum percentage of lines that begin or end like code. A text with more such lines is code.
const MAX_CODE_PERCENT: usize = 20;

/// Suffixes of lines of code.
const CODE_SUFFIXES: [char; 6] = ['{', '}', ';', '(', ',', '\\'];

/// Prefixes of lines of code.
static CODE_PREFIXES: PrefixSet = PrefixSet::new(&[
    "def ", "class ", "import ", "from ", "fn ", "let ", "const ", "return", "if ", "for ", "//", "#include",
    "use ", "- ",
]);

/// True for a text that may be source code, or that is structured by indentation, as YAML is.
fn is_code(text: &str) -> bool {
    let (mut all, mut code) = (0, 0);
    for line in lines::lines(text).map(str::trim).filter(|line| !line.is_empty()) {
        all += 1;
        code += usize::from(line.ends_with(CODE_SUFFIXES) || CODE_PREFIXES.begin(line));
    }
    code * 100 > all * MAX_CODE_PERCENT
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::call::Call;
    use crate::form::minimize_table_whitespace::MinimizeTableWhitespace;
    use crate::form::normalize_whitespace::NormalizeWhitespace;
    use crate::plan::Plan;
    use crate::proof::becomes;
    use crate::stage::Stage;

    /// Behaviour 17.4.
    #[test]
    fn code_stays() {
        let code = "fn a() {\n    let f = ||  x  |  y  |  z;  \n    let g = |x|  y  |  z;  \n    let h = |x|  y;  \n}\n\n\n\n\n";
        assert_eq!(
            (becomes(&NormalizeWhitespace, code), becomes(&MinimizeTableWhitespace, code)),
            (None, None)
        );
        let told = "error: x\n  |\n1 | |   a  b\n2 | |   a  b\n3 | |     a  b\n4 | |   a  b\n";
        assert_eq!(becomes(&MinimizeTableWhitespace, told), None);
        let read = Scene::of(&Plan::USUAL, Call { tool: "Read", ..Call::default() });
        assert_eq!(NormalizeWhitespace.apply(read, &TextView::new("a  \n")), None);
    }
}
