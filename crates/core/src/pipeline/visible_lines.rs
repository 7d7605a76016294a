//! Counts the lines of a text that remain visible in its compressed form.

use std::collections::HashSet;

use crate::pipeline::restore::restore;

/// How many lines of `text` can be read in `sent`, its compressed form. Blank lines do not count.
pub(crate) fn count(text: &str, sent: &str) -> usize {
    let shown = restore(sent);
    let shown: HashSet<&str> = shown.as_deref().unwrap_or(sent).lines().map(str::trim).collect();
    text.lines().map(str::trim).filter(|line| !line.is_empty() && shown.contains(line)).count()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lines_are_counted_as_often_as_they_stand_in_the_text() {
        assert_eq!(count("a\n  b\n\na\nc\n", "b\na\n[1 line left out]\n"), 3);
        assert_eq!(count("", "a"), 0);
    }
}
