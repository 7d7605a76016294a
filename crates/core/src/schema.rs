//! Removes superfluous white space from tool descriptions.

use crate::fence;

/// The description without spaces at the ends of lines, with no more than one blank line in a row and single spaces
/// between words; `None` when nothing changes. A description of white space alone becomes empty.
///
/// In code fences only the ends of lines are trimmed. At the start of a line, where indentation shows structure, each
/// level keeps one space, so nested lists and code without a fence keep their order.
#[must_use]
pub fn minify(description: &str) -> Option<String> {
    let mut out = String::with_capacity(description.len());
    let mut levels = Levels::default();
    let (mut open, mut blank) = (None, 0);
    for line in description.split('\n').map(str::trim_end) {
        if line.is_empty() {
            blank += 1;
            continue;
        }
        if !out.is_empty() {
            let lines = if open.is_some() { blank } else { blank.min(1) };
            (0..=lines).for_each(|_| out.push('\n'));
        }
        blank = 0;
        if let Some(ticks) = open {
            out.push_str(line);
            open = (!fence::closes(ticks, line)).then_some(ticks);
            continue;
        }
        open = fence::opens(line);
        if open.is_some() {
            out.push_str(line);
        } else {
            levels.push(&mut out, line);
        }
    }
    (out != description).then_some(out)
}

/// The indentations of the lines that the next line can be nested in.
#[derive(Default)]
struct Levels(Vec<usize>);

impl Levels {
    /// Writes a line outside fences.
    fn push(&mut self, out: &mut String, line: &str) {
        let text = line.trim_start_matches(SPACE);
        let level = self.level(line.len() - text.len());
        (0..level).for_each(|_| out.push(' '));
        let mut words = text.split(SPACE).filter(|word| !word.is_empty());
        out.extend(words.next());
        words.for_each(|word| out.extend([" ", word]));
    }

    /// The nesting level of a line with this indentation.
    fn level(&mut self, indent: usize) -> usize {
        while self.0.last().is_some_and(|&last| last > indent) {
            self.0.pop();
        }
        if self.0.last() != Some(&indent) {
            self.0.push(indent);
        }
        self.0.len() - 1
    }
}

const SPACE: [char; 2] = [' ', '\t'];

#[cfg(test)]
mod tests {
    use super::*;

    /// Checks the description that is sent; minifying it again changes nothing (Behaviour 9.3).
    fn check(description: &str, expected: &str) {
        let short = minify(description).unwrap_or_else(|| description.to_owned());
        assert_eq!(short, expected, "{description:?}");
        assert_eq!(minify(&short), None, "{short:?}");
    }

    /// Behaviour 9.2.
    #[test]
    fn ends_of_lines_are_trimmed() {
        check("hello   \nworld \t\r\n", "hello\nworld");
        check("a\r\nb", "a\nb");
    }

    /// Behaviour 9.2.
    #[test]
    fn blank_lines_stand_alone() {
        check("a\n\n\n\nb\n \n\t\nc\n\nd", "a\n\nb\n\nc\n\nd");
        check("\n\n a\n\n", "a");
    }

    /// Behaviour 9.2.
    #[test]
    fn runs_of_space_become_one() {
        check("  hello   world  ", "hello world");
        check("a\tb \t c", "a b c");
        check("| a    | b  |\n|------|----|", "| a | b |\n|------|----|");
    }

    #[test]
    fn what_belongs_to_what_stays() {
        check("- a\n    - b\n        - c\n    - d\n- e", "- a\n - b\n  - c\n - d\n- e");
        check("    Does.\n    Well.\n      More.", "Does.\nWell.\n More.");
        check("Does.\n\n\tArgs:\n\t\ta: x\n", "Does.\n\n Args:\n  a: x");
        check("a\n      b\n   c\n d", "a\n b\n c\n d");
    }

    /// Behaviour 9.2.
    #[test]
    fn fences_are_only_trimmed_at_the_ends_of_lines() {
        check(
            "Before:  x\n```py\n  a   =  1  \n\n\n\n\tb\n```\nAfter   that",
            "Before: x\n```py\n  a   =  1\n\n\n\n\tb\n```\nAfter that",
        );
        check("````\n```\na  b\n```\n````\nc  d", "````\n```\na  b\n```\n````\nc d");
        check("  ```\n  a  b\n  ```  \nc  d", "  ```\n  a  b\n  ```\nc d");
        check("```a  b``` c  d", "```a b``` c d");
        check("```\nopen  to the end\n\n\n", "```\nopen  to the end");
    }

    /// Behaviour 9.2: a description that becomes empty is removed.
    #[test]
    fn space_alone_becomes_nothing() {
        for blank in [" ", "\n", " \t\r\n\n  "] {
            check(blank, "");
        }
        assert_eq!(minify(""), None);
    }

    /// Behaviour 9.3.
    #[test]
    fn any_order_of_pieces_settles_at_once() {
        let pieces =
            ["a", " ", "  ", "\t", "\n", "\n\n", "```", "`", "- ", "\r\n", "é", "\u{a0}", "\u{2028}"];
        let mut seed = 7_usize;
        for _ in 0..20_000 {
            let mut text = String::new();
            for _ in 0..14 {
                seed = seed.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
                text.push_str(pieces[(seed >> 33) % pieces.len()]);
            }
            let short = minify(&text).unwrap_or_else(|| text.clone());
            assert_eq!(minify(&short), None, "{text:?}");
            assert!(short.len() <= text.len(), "{text:?}");
            let bare = |text: &str| text.split_whitespace().collect::<String>();
            assert_eq!(bare(&short), bare(&text));
        }
    }
}
