//! Shortens long texts: keeps their head, their tail and every line between them that reports an error.

use crate::class::{CutClass, Omission};
use crate::lines;
use crate::plan::{Loss, Mode};
use crate::read::json;
use crate::stage::{Edit, Scene, Stage};
use crate::view::TextView;
use crate::{omit, signal};

/// The cut for texts that are longer than a reader needs at first.
pub(crate) struct Preview;

/// Shorter texts, in bytes, are sent whole.
const MIN_BYTES: usize = 12_000;

/// The number of bytes kept at the beginning.
const HEAD_BYTES: usize = 3_600;

/// The number of bytes kept at the end.
const TAIL_BYTES: usize = 2_400;

/// The number of lines kept before and after an error.
const ERROR_CONTEXT_LINES: usize = 1;

impl Stage for Preview {
    fn name(&self) -> &'static str {
        "preview"
    }

    fn mode(&self) -> Mode {
        Mode::Aggressive
    }

    fn leaves(&self) -> &'static [Omission] {
        &[(CutClass::Content, &["lines between both ends"])]
    }

    fn apply(&self, _: Scene<'_>, text: &TextView<'_>) -> Option<Edit> {
        // Another stage cuts JSON, at the ends of its values.
        if text.len() < MIN_BYTES || json::opens(text) {
            return None;
        }
        let lines: Vec<&str> = lines::split_inclusive(text).collect();
        let head = omit::lines_within(lines.iter(), HEAD_BYTES);
        let tail = lines.len() - omit::lines_within(lines.iter().rev(), TAIL_BYTES);
        if head == 0 || tail == lines.len() || head >= tail {
            return None;
        }
        let short = omit::gaps(&lines, &lines_to_keep(&lines, head, tail), 0, |_| "".into());
        (short != **text).then_some(Edit { text: short, loss: Loss::Detail, note: String::new() })
    }
}

/// For each line, whether it is kept.
fn lines_to_keep(lines: &[&str], head: usize, tail: usize) -> Vec<bool> {
    let mut kept: Vec<bool> = (0..lines.len()).map(|at| at < head || at >= tail).collect();
    for at in head..tail {
        if signal::find(lines[at].trim_end()).is_some() || omit::is_marker(lines[at]) {
            kept[at.saturating_sub(ERROR_CONTEXT_LINES)..(at + ERROR_CONTEXT_LINES + 1).min(lines.len())]
                .fill(true);
        }
    }
    kept
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::proof;

    fn text(odd: &str) -> String {
        let line = |n: usize| format!("a line like any other, of which there are many: {n}\n");
        let half = |range: std::ops::Range<usize>| range.map(line).collect::<String>();
        half(0..300) + odd + &half(300..600)
    }

    #[test]
    fn head_and_tail_stay() {
        let text = text("");
        let out = proof::apply(&Preview, &text).unwrap().text;
        let counts: Vec<&str> = out.lines().filter(|line| line.starts_with('[')).collect();
        let kept = out.lines().count() - 1;
        assert_eq!(counts, [format!("[{} lines left out]", 600 - kept)]);
        assert!(
            text.starts_with(&out[..HEAD_BYTES - 100])
                && text.ends_with(&out[out.len() - TAIL_BYTES + 100..])
        );
    }

    /// Behaviour 3.15.
    #[test]
    fn errors_stay() {
        for odd in ["error: it broke\n", "x FAILED\r\n", "[9 lines left out: more]\n"] {
            let out = proof::apply(&Preview, &text(odd)).unwrap().text;
            assert!(out.contains(&format!("many: 299\n{odd}a line")), "{out}");
        }
    }

    #[test]
    fn what_is_short_or_json_is_left_alone() {
        let rows = "{\"a\":1},\n".repeat(9_000);
        for text in ["", &text("")[..11_000], &format!("[{rows}]"), &rows, &"x".repeat(99_999)] {
            assert_eq!(proof::apply(&Preview, text), None);
        }
    }
}
