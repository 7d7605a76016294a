//! How much of a text a reader has before them in what is sent for it.

use std::collections::HashSet;

use crate::pipeline::restore::restore;

/// How many lines of `text` can be read in `sent`, which stands for it; blank ones are nothing to read.
pub(crate) fn lines(text: &str, sent: &str) -> usize {
    let shown = restore(sent);
    let shown: HashSet<&str> = shown.as_deref().unwrap_or(sent).lines().map(str::trim).collect();
    text.lines().map(str::trim).filter(|line| !line.is_empty() && shown.contains(line)).count()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lines_are_counted_as_often_as_they_stand_in_the_text() {
        assert_eq!(lines("a\n  b\n\na\nc\n", "b\na\n[1 line left out]\n"), 3);
        assert_eq!(lines("", "a"), 0);
    }
}
