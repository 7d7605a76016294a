//! Shortens `JUnit` reports: replaces passing test cases, which have no content, by a count.

use crate::class::{CutClass, Omission};
use crate::omit;
use crate::plan::{Loss, Mode};
use crate::stage::{Edit, Scene, Stage};
use crate::view::TextView;

/// The cut for a report in XML, on one line or several.
pub(crate) struct Junit;

impl Stage for Junit {
    fn name(&self) -> &'static str {
        "junit"
    }

    fn mode(&self) -> Mode {
        Mode::Standard
    }

    /// A report is often a single line, so lines cannot be compared.
    fn cuts_lines(&self) -> bool {
        false
    }

    fn leaves(&self) -> &'static [Omission] {
        &[(CutClass::Noise, &["passed"])]
    }

    fn apply(&self, _: Scene<'_>, text: &TextView<'_>) -> Option<Edit> {
        let near = text.get(..text.floor_char_boundary(ROOT_WITHIN_BYTES)).unwrap_or(text);
        if !near.contains("<testsuite") {
            return None;
        }
        let (mut out, mut rest) = (String::with_capacity(text.len() / 2), &**text);
        while let Some(at) = rest.find(CASE) {
            let run = Run::of(&rest[at..]);
            out.push_str(&rest[..at]);
            let (taken, words) = if run.count >= MIN_CASES {
                (run.len, omit::things(run.count, "test cases", "passed"))
            } else {
                let len = run.len.max(CASE.len());
                (len, rest[at..at + len].to_owned())
            };
            out.push_str(&words);
            rest = &rest[at + taken..];
        }
        out.push_str(rest);
        (out.len() < text.len()).then_some(Edit { text: out, loss: Loss::Detail, note: String::new() })
    }
}

const CASE: &str = "<testcase ";

/// The root element must begin within this many bytes.
const ROOT_WITHIN_BYTES: usize = 1000;

/// A run with fewer passing cases is not worth a marker.
const MIN_CASES: usize = 2;

/// Maximum number of bytes in a tag, which limits the work per test case.
const MAX_TAG_BYTES: usize = 1 << 11;

/// A run of consecutive passing test cases.
struct Run {
    count: usize,
    len: usize,
}

impl Run {
    fn of(text: &str) -> Self {
        let mut run = Self { count: 0, len: 0 };
        loop {
            let rest = &text[run.len..];
            let gap = if run.count == 0 { 0 } else { rest.len() - rest.trim_start().len() };
            let Some(len) = passing_case(&rest[gap..]) else { return run };
            run.count += 1;
            run.len += gap + len;
        }
    }
}

/// The length of the passing test case at the start of `text`, if there is one.
fn passing_case(text: &str) -> Option<usize> {
    if !text.starts_with(CASE) {
        return None;
    }
    let mut quoted = false;
    let end = text.bytes().take(MAX_TAG_BYTES).position(|byte| {
        quoted ^= byte == b'"';
        byte == b'>' && !quoted
    })?;
    let empty = || text[end + 1..].starts_with("</testcase>").then_some(end + 1 + "</testcase>".len());
    if text[..end].ends_with('/') { Some(end + 1) } else { empty() }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::cut::family::proof::{check, declines};

    #[test]
    fn cases_without_words_become_a_count() {
        let case = "<testcase name=\"a>b\" time=\"0\" />";
        let red = "<testcase name=\"c\"><failure>é</failure></testcase>";
        check(
            &Junit,
            &format!(
                "<testsuite tests=\"6\">\n  {case}\n  {case}\n  {red}{case}{red}{case}{case}<testcase name=\"d\"></testcase></testsuite>"
            ),
            &format!(
                "<testsuite tests=\"6\">\n  [2 test cases left out: passed]\n  {red}{case}{red}\
                 [3 test cases left out: passed]</testsuite>"
            ),
        );
    }

    #[test]
    fn other_texts_are_left_alone() {
        for text in
            ["", "<testsuite>", "<testsuite><testcase ", "<testcase />", "<testsuite><testcase name=\"é"]
        {
            declines(&Junit, text);
        }
    }
}
