//! Removes white space at line ends, and surplus blank lines between paragraphs.
//!
//! Runs after the exact forms; a text that one of them has written does not need this stage.

use crate::form::whitespace::{edit, end, is_space_significant};
use crate::lines;
use crate::plan::Mode;
use crate::stage::{Edit, Scene, Stage};
use crate::view::TextView;

/// Removes trailing white space, and all but two of several blank lines in a row.
pub(crate) struct NormalizeWhitespace;

/// The maximum number of consecutive blank lines.
const MAX_BLANK_LINES: usize = 2;

impl Stage for NormalizeWhitespace {
    fn lines_stand_alone(&self) -> bool {
        true
    }

    fn name(&self) -> &'static str {
        "normalize_whitespace"
    }

    fn mode(&self) -> Mode {
        Mode::Standard
    }

    fn apply(&self, scene: Scene<'_>, text: &TextView<'_>) -> Option<Edit> {
        if is_space_significant(scene, text) {
            return None;
        }
        let mut out = String::with_capacity(text.len());
        let mut blank = 0;
        for line in lines::split_inclusive(text) {
            let words = line.trim_end();
            blank = if words.is_empty() { blank + 1 } else { 0 };
            if blank <= MAX_BLANK_LINES {
                out.push_str(words);
                out.push_str(end(line));
            }
        }
        edit(text, out)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::proof::becomes;

    /// Behaviour 3.7.
    #[test]
    fn blanks_are_few() {
        assert_eq!(
            becomes(&NormalizeWhitespace, "a  \nb\t\r\n\n\n\n \n  c d \n").as_deref(),
            Some("a\nb\r\n\n\n  c d\n")
        );
        assert_eq!(becomes(&NormalizeWhitespace, "a\n\n\nb\n"), None);
        assert_eq!(becomes(&NormalizeWhitespace, "a "), Some("a".to_owned()));
    }
}
