//! The words that stand above a text: they tell a reader all that it needs, and the decoder too.

/// What every such text begins with.
pub(super) const HEAD: &str = "[Written shorter; exact.";

/// What the first line ends with.
pub(super) const HEAD_END: &str = "]\n";

/// The line above the text itself.
pub(super) const TEXT: &str = "[The text:]";

const SIGNS: &str = " Signs in the list stand for the words beside them.";
const TEMPLATES: &str =
    " A line that begins with a name such as A is the text after its \" = \", values filled in.";
const DITTO: &str = ": same value as in the row above.";
const RUNS: &str = " \"A ×9:\": the next 9 lines are rows of A.";
const REPEATS: &str = " \"A ×9\": A nine times.";
const PADS: &str = " {x:>8}: padded to 8 characters.";
const ALARMS: &str = " \"!\": holds an error or a warning.";

const FOLD: &str = " Line ends behind `";
const FOLD_END: &str = "` are ours.";

/// What the first line says that lines were broken behind.
pub(super) fn fold(head: &str) -> Option<&str> {
    head.strip_suffix(FOLD_END)?.rsplit_once(FOLD).map(|(_, end)| end)
}

/// Which of these words a text needs.
#[derive(Debug, Clone, Copy, Default)]
#[expect(clippy::struct_excessive_bools, reason = "each is a sentence")]
pub(super) struct Words {
    pub(super) has_signs: bool,
    pub(super) has_templates: bool,
    pub(super) has_dittos: bool,
    pub(super) has_runs: bool,
    pub(super) has_repeats: bool,
    pub(super) has_pads: bool,
    pub(super) has_alarms: bool,
}

impl Words {
    /// The first line.
    pub(super) fn head(self, ditto: Option<char>, fold: Option<&str>) -> String {
        let ditto =
            ditto.filter(|_| self.has_dittos).map_or_else(String::new, |sign| format!(" {sign}{DITTO}"));
        let said = [
            (self.has_signs, SIGNS),
            (self.has_templates, TEMPLATES),
            (self.has_dittos, &ditto),
            (self.has_runs, RUNS),
            (self.has_repeats, REPEATS),
            (self.has_pads, PADS),
            (self.has_alarms, ALARMS),
        ];
        let said: String = said.iter().filter(|(is_said, _)| *is_said).map(|(_, words)| *words).collect();
        let fold = fold.map_or_else(String::new, |end| [FOLD, end, FOLD_END].concat());
        [HEAD, &said, &fold, HEAD_END].concat()
    }
}

/// The sign that the first line says is the same again.
pub(super) fn ditto(head: &str) -> Option<char> {
    let (before, _) = head.split_once(DITTO)?;
    before.chars().next_back()
}
