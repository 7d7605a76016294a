//! Splits texts into lines, as `str` does, with one search for all line ends of a text in place of one for each line.

use memchr::memchr_iter;

/// The lines without their line ends; the last one is empty when the text ends with a line end. Like `split('\n')`.
pub(crate) fn split(text: &str) -> impl Iterator<Item = &str> {
    let mut start = 0;
    memchr_iter(b'\n', text.as_bytes()).chain([text.len()]).map(move |end| {
        let line = &text[start..end];
        start = end + 1;
        line
    })
}

/// The lines with their line ends. Like `split_inclusive('\n')`.
pub(crate) fn split_inclusive(text: &str) -> impl Iterator<Item = &str> {
    let last = (!text.is_empty() && !text.ends_with('\n')).then_some(text.len());
    let mut start = 0;
    memchr_iter(b'\n', text.as_bytes()).map(|at| at + 1).chain(last).map(move |end| {
        let line = &text[start..end];
        start = end;
        line
    })
}

/// The lines without their line ends, `\n` or `\r\n`. Like `lines`.
pub(crate) fn lines(text: &str) -> impl Iterator<Item = &str> {
    split_inclusive(text).map(|line| match line.strip_suffix('\n') {
        Some(bare) => bare.strip_suffix('\r').unwrap_or(bare),
        None => line,
    })
}

#[cfg(test)]
mod tests {
    use tersely_testing::generate::Choices;

    use super::*;

    #[test]
    fn lines_are_those_of_the_standard_library() {
        for text in ["", "\n", "a", "a\n", "a\nb", "\n\na\r\n\r\nb\r", "é\n日本\n", "\r\n", "a\r"] {
            assert!(split(text).eq(text.split('\n')), "{text:?}");
            assert!(split_inclusive(text).eq(text.split_inclusive('\n')), "{text:?}");
            assert!(lines(text).eq(text.lines()), "{text:?}");
        }
    }

    #[test]
    fn lines_of_any_text_are_those_of_the_standard_library() {
        for seed in 0..4000_u64 {
            let seed = &mut { seed };
            let piece =
                |seed: &mut u64| ["\n", "\r\n", "\r", "a", "日", "\u{2028}", "\u{b}", ""][seed.pick(8)];
            let text: String = (0..seed.pick(12)).map(|_| piece(seed)).collect();
            assert!(split(&text).eq(text.split('\n')), "{text:?}");
            assert!(split_inclusive(&text).eq(text.split_inclusive('\n')), "{text:?}");
            assert!(lines(&text).eq(text.lines()), "{text:?}");
            assert_eq!(split_inclusive(&text).collect::<String>(), text);
        }
    }
}
