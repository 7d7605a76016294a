//! Lines that lead others: what they say tells whether to read on below them.

/// Why a line is worth showing, the best reason first.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Lead {
    /// It may tell of trouble, or sums up.
    Telling,
    /// A heading.
    Heading,
    /// Others stand below it, indented.
    Opening,
    /// A paragraph begins with it.
    First,
}

impl Lead {
    pub(super) const ALL: [Self; 4] = [Self::Telling, Self::Heading, Self::Opening, Self::First];
}

/// Words, in small letters, of lines that tell of trouble or sum up.
const TELLING: [&str; 22] = [
    "warn",
    "fail",
    "crash",
    "denied",
    "refused",
    "timed out",
    "timeout",
    "not found",
    "unable to",
    "cannot ",
    "exited",
    "exit code",
    "backoff",
    "unhealthy",
    "conflict",
    "blocked",
    "total",
    "passed",
    "summary",
    "conclusion",
    "in total",
    "finished",
];

/// A longer line is a sentence, not a heading.
const MAX_HEADING: usize = 100;

/// What each line is.
pub(super) fn leads(lines: &[&str]) -> Vec<Option<Lead>> {
    let next: Vec<Option<usize>> = following(lines);
    (0..lines.len())
        .map(|at| {
            let line = lines[at].trim_end();
            let bare = line.trim_start();
            if !bare.contains(char::is_alphanumeric) {
                return None;
            }
            let below = next[at].map_or(0, |next| indent(lines[next]));
            if is_telling(bare) {
                Some(Lead::Telling)
            } else if is_heading(bare) {
                Some(Lead::Heading)
            } else if indent(line) < below {
                Some(Lead::Opening)
            } else {
                let above = at.checked_sub(1).map_or("", |above| lines[above]);
                (above.trim().is_empty() && indent(line) < 4).then_some(Lead::First)
            }
        })
        .collect()
}

/// The next line of each that is not blank.
fn following(lines: &[&str]) -> Vec<Option<usize>> {
    let mut next = vec![None; lines.len()];
    let mut seen = None;
    for at in (0..lines.len()).rev() {
        next[at] = seen;
        if !lines[at].trim().is_empty() {
            seen = Some(at);
        }
    }
    next
}

fn indent(line: &str) -> usize {
    line.len() - line.trim_start().len()
}

fn is_telling(line: &str) -> bool {
    // A long line has all of these sooner or later.
    let start = line[..line.floor_char_boundary(MAX_HEADING * 2)].to_ascii_lowercase();
    TELLING.iter().any(|word| start.contains(word))
}

/// True for `## Heading`, `**Heading**` and `Heading:`.
fn is_heading(line: &str) -> bool {
    let marked = line.starts_with('#') && line.trim_start_matches('#').starts_with(' ');
    let bold = line.starts_with("**") && line.trim_end_matches(':').ends_with("**");
    line.len() <= MAX_HEADING && (marked || bold || line.ends_with(':'))
}
