//! Keeps, omits or rewrites lines, as configured by a filter.

use std::borrow::Cow;

use regex::{Regex, RegexBuilder};

use crate::cut::family::sift::{KeptLines, LineFate};
use crate::plan::Loss;
use crate::signal;
use crate::stage::Edit;

/// A regular expression that is matched against lines. Matching takes time linear in the length of the line.
#[derive(Debug, Clone)]
pub struct LinePattern(Regex);

/// Maximum size of a compiled expression, in bytes.
const MAX_PATTERN_BYTES: usize = 1 << 20;

impl LinePattern {
    /// Parses a regular expression.
    ///
    /// # Errors
    ///
    /// Fails if the expression is invalid or too large. The error gives the reason.
    pub fn parse(text: &str) -> Result<Self, String> {
        let regex = RegexBuilder::new(text).size_limit(MAX_PATTERN_BYTES).build();
        // The message shows the expression with a caret below it; its last line gives the reason.
        regex.map(Self).map_err(|error| {
            let error = error.to_string();
            let said = error.lines().last().unwrap_or_default();
            said.trim_start_matches("error: ").to_owned()
        })
    }

    fn is_in(&self, line: &str) -> bool {
        self.0.is_match(line)
    }
}

impl PartialEq for LinePattern {
    fn eq(&self, other: &Self) -> bool {
        self.0.as_str() == other.0.as_str()
    }
}

impl Eq for LinePattern {}

/// Rules for lines, applied in this order: keep, omit, rewrite, and omit the middle if too many lines are left.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct LineRules {
    /// If not empty, only lines that match one of these patterns are kept.
    pub keep: Vec<LinePattern>,
    /// Lines that match one of these patterns are omitted.
    pub drop: Vec<LinePattern>,
    /// Patterns, and the replacement for each match; `$1` and `$name` refer to groups.
    pub replace: Vec<(LinePattern, String)>,
    /// Maximum number of lines to keep.
    pub cap: Option<usize>,
}

/// If a text is capped, the percentage of kept lines that come from its beginning.
const HEAD_PERCENT: usize = 60;

/// The number of lines before and after an error that are kept with it.
const ERROR_CONTEXT_LINES: usize = 3;

impl LineRules {
    /// True when there are no rules.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.keep.is_empty() && self.drop.is_empty() && self.replace.is_empty() && self.cap.is_none()
    }

    /// The text without the omitted lines, which the marker describes as `left_out`. `None` when the text does not
    /// change.
    pub(super) fn apply(&self, left_out: &'static str, text: &str) -> Option<Edit> {
        let lines: Vec<&str> = text.split_inclusive('\n').collect();
        let safe = beside_errors(&lines);
        let mut stays: Vec<bool> =
            lines.iter().zip(&safe).map(|(line, safe)| *safe || self.stays(bare(line))).collect();
        self.cap(&mut stays, &safe);
        let written =
            lines.iter().zip(&safe).map(|(line, safe)| if *safe { (*line).into() } else { self.write(line) });
        let written: Vec<Cow<'_, str>> = written.collect();
        let mut kept = KeptLines::default();
        for (line, stays) in written.iter().zip(&stays) {
            kept.line(line, if *stays { LineFate::Keep } else { LineFate::Known(left_out) });
        }
        let is_new = |at: &usize| stays[*at] && lines[*at] != written[*at];
        let rewritten = (0..lines.len()).filter(is_new).count();
        if !kept.is_worth() {
            // Too few lines would be omitted to be worth a marker, so all lines are kept.
            kept = KeptLines::default();
            for line in &written {
                kept.line(line, LineFate::Keep);
            }
            if rewritten == 0 {
                return None;
            }
        }
        Some(Edit { text: append_note(kept.text(), rewritten), loss: Loss::Detail, note: String::new() })
    }

    fn stays(&self, line: &str) -> bool {
        let has = |patterns: &[LinePattern]| patterns.iter().any(|pattern| pattern.is_in(line));
        (self.keep.is_empty() || has(&self.keep)) && !has(&self.drop)
    }

    /// Omits the middle of the kept lines if there are too many.
    fn cap(&self, stays: &mut [bool], safe: &[bool]) {
        let Some(cap) = self.cap else { return };
        let count = stays.iter().filter(|stays| **stays).count();
        if count <= cap {
            return;
        }
        let head = cap * HEAD_PERCENT / 100;
        let tail = count - (cap - head);
        let kept = stays.iter_mut().zip(safe).filter(|(stays, _)| **stays);
        for (at, (stays, safe)) in kept.enumerate() {
            *stays = at < head || at >= tail || *safe;
        }
    }

    /// Applies the replacements to a line.
    fn write<'t>(&self, line: &'t str) -> Cow<'t, str> {
        let body = bare(line);
        let mut new = Cow::Borrowed(body);
        for (pattern, with) in &self.replace {
            if let Cow::Owned(replaced) = pattern.0.replace_all(&new, with.as_str()) {
                new = Cow::Owned(replaced);
            }
        }
        match new {
            Cow::Borrowed(_) => Cow::Borrowed(line),
            Cow::Owned(new) => Cow::Owned(new + &line[body.len()..]),
        }
    }
}

/// Appends a note that gives the number of rewritten lines.
fn append_note(mut text: String, rewritten: usize) -> String {
    if rewritten > 0 {
        let end = if text.ends_with('\n') { "" } else { "\n" };
        let lines = if rewritten == 1 { "line" } else { "lines" };
        text.extend([end, "[", &rewritten.to_string(), " ", lines, " rewritten]\n"]);
    }
    text
}

/// For each line, whether it reports an error or is near a line that does.
fn beside_errors(lines: &[&str]) -> Vec<bool> {
    let mut beside = vec![false; lines.len()];
    for (at, _) in lines.iter().enumerate().filter(|(_, line)| signal::find(bare(line)).is_some()) {
        let end = (at + ERROR_CONTEXT_LINES + 1).min(lines.len());
        beside[at.saturating_sub(ERROR_CONTEXT_LINES)..end].fill(true);
    }
    beside
}

fn bare(line: &str) -> &str {
    line.trim_end_matches(['\n', '\r'])
}

#[cfg(test)]
mod tests {
    use super::*;

    fn patterns(list: &[&str]) -> Vec<LinePattern> {
        list.iter().map(|text| LinePattern::parse(text).unwrap()).collect()
    }

    fn check(rules: &LineRules, text: &str, expected: &str) {
        let edit = rules.apply("noise", text);
        assert_eq!(edit.map(|edit| edit.text).as_deref().unwrap_or(text), expected);
    }

    #[test]
    fn lines_are_left_out_and_counted() {
        let rules = LineRules { drop: patterns(&["^ok"]), ..LineRules::default() };
        check(&rules, "a\nok 1\nok 2\nok 3\nok 4\nb\n", "a\n[4 lines left out: noise]\nb\n");
        check(&rules, "a\nok 1\nb\n", "a\nok 1\nb\n");
        let rules =
            LineRules { keep: patterns(&["^a", "z"]), drop: patterns(&["b"]), ..LineRules::default() };
        check(&rules, "a\nab\nx\ny\nxz\nw\n", "a\n[4 lines left out: noise, here and below]\nxz\n");
    }

    #[test]
    fn errors_stay_with_what_is_beside_them() {
        let rules = LineRules { keep: patterns(&["nothing"]), ..LineRules::default() };
        let text = "1\n2\n3\n4\n5\nerror: no\n6\n7\n8\n9\n10\n";
        check(&rules, text, "[4 lines left out: noise, here and below]\n3\n4\n5\nerror: no\n6\n7\n8\n");
    }

    #[test]
    fn lines_are_written_shorter_but_for_errors() {
        let replace = vec![(LinePattern::parse(r"(\w+)=\w+").unwrap(), "$1".to_owned())];
        let rules = LineRules { replace, ..LineRules::default() };
        let text = "a=1 b=2\r\nplain\n1\n2\n3\nerror: c=3\n";
        check(&rules, text, "a b\r\nplain\n1\n2\n3\nerror: c=3\n[1 line rewritten]\n");
        check(&rules, "plain", "plain");
    }

    #[test]
    fn a_cap_takes_the_middle_but_for_errors() {
        let rules = LineRules { cap: Some(5), ..LineRules::default() };
        let text = (1..=20).map(|n| format!("{n}\n")).collect::<Vec<_>>().concat();
        check(&rules, &text, "1\n2\n3\n[15 lines left out: noise]\n19\n20\n");
        let text = text.replace("\n10\n", "\nerror: 10\n");
        let shown = rules.apply("noise", &text).unwrap().text;
        assert!(shown.contains("7\n8\n9\nerror: 10\n11\n12\n13\n"), "{shown}");
        check(&rules, "1\n2\n3\n4\n5\n", "1\n2\n3\n4\n5\n");
    }

    #[test]
    fn expressions_are_bounded_and_explained() {
        assert_eq!(LinePattern::parse("a(b").unwrap_err(), "unclosed group");
        assert!(LinePattern::parse(r"(\w{1000}){1000}").is_err());
        let hostile = LineRules { drop: patterns(&["(a+)+$"]), ..LineRules::default() };
        check(&hostile, &format!("{}b\n", "a".repeat(100_000)), &format!("{}b\n", "a".repeat(100_000)));
    }
}
