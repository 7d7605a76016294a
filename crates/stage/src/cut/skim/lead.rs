//! Finds leading lines, which help a reader decide whether to read the lines below them.

use crate::lines;

/// The reason why a line is worth showing, the best reason first.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum LeadLine {
    /// The line may mention trouble, or summarises.
    Telling,
    /// A heading.
    Heading,
    /// Indented lines follow the line.
    Opening,
    /// The line begins a paragraph.
    First,
}

/// Words, in lower case, of lines that mention trouble or summarise.
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

/// Longer lines, in bytes, are sentences, not headings.
const MAX_HEADING_BYTES: usize = 100;

/// For each line, the reason to show it, if there is one.
pub(super) fn leads(lines: &[&str]) -> Vec<Option<LeadLine>> {
    let next: Vec<Option<usize>> = following(lines);
    (0..lines.len())
        .map(|at| {
            let line = lines[at].trim_end();
            let bare = line.trim_start();
            if !bare.contains(char::is_alphanumeric) {
                return None;
            }
            let below = next[at].map_or(0, |next| indent(lines[next]));
            if is_heading(line) {
                Some(LeadLine::Heading)
            } else if is_telling(bare) {
                Some(LeadLine::Telling)
            } else if indent(line) == 0 && below > 0 {
                Some(LeadLine::Opening)
            } else {
                let above = at.checked_sub(1).map_or("", |above| lines[above]);
                (above.trim().is_empty() && indent(line) < 4).then_some(LeadLine::First)
            }
        })
        .collect()
}

/// A text with at least this many headings is a document.
const MIN_HEADINGS: usize = 4;

/// True for a text with Markdown headings.
pub(super) fn is_document(text: &str) -> bool {
    let is_marked = |line: &&str| line.starts_with("## ") || line.starts_with("### ");
    lines::lines(text).filter(is_marked).take(MIN_HEADINGS).count() == MIN_HEADINGS
}

/// For each line, the index of the next line that is not blank.
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
    // Only the start is searched, because a long line is likely to contain one of these words by chance.
    let start = line[..line.floor_char_boundary(MAX_HEADING_BYTES * 2)].to_ascii_lowercase();
    TELLING.iter().any(|word| start.contains(word))
}

/// True for `## Heading`, `**Heading**` and `Heading:`, if not indented.
fn is_heading(line: &str) -> bool {
    let marked = line.starts_with('#') && line.trim_start_matches('#').starts_with(' ');
    let bold = line.starts_with("**") && line.trim_end_matches(':').ends_with("**");
    let flush = !line.starts_with(char::is_whitespace);
    flush && line.len() <= MAX_HEADING_BYTES && (marked || bold || line.ends_with(':'))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lines_that_lead_are_known_by_what_stands_around_them() {
        let lines = [
            "# Title",
            "text",
            "",
            "a paragraph begins",
            "and goes on",
            "* Ran it",
            "    with this",
            "---",
            "2 tests failed",
            "Options:",
            "    an indented word:",
            "",
        ];
        let expected = [
            Some(LeadLine::Heading),
            None,
            None,
            Some(LeadLine::First),
            None,
            Some(LeadLine::Opening),
            None,
            None,
            Some(LeadLine::Telling),
            Some(LeadLine::Heading),
            None,
            None,
        ];
        assert_eq!(leads(&lines), expected);
    }

    #[test]
    fn documents_have_headings() {
        assert!(is_document(&"## Part\n\ntext\n".repeat(4)));
        assert!(!is_document(&"# comment\n\ntext\n".repeat(9)));
    }
}
