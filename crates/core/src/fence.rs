//! Recognises Markdown code fences: lines of three backticks or more.

/// The number of backticks at the start of `line`, if the line opens a fence.
pub(crate) fn opens(line: &str) -> Option<usize> {
    let ticks = backticks(line);
    let words = &line.trim_start()[ticks..];
    (ticks >= 3 && !words.contains('`')).then_some(ticks)
}

/// True when `line` closes a fence that was opened with `ticks` backticks.
pub(crate) fn closes(ticks: usize, line: &str) -> bool {
    let count = backticks(line);
    count >= ticks && line.trim().len() == count
}

fn backticks(line: &str) -> usize {
    line.trim_start().bytes().take_while(|&byte| byte == b'`').count()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn fences_open_and_close() {
        for (line, ticks) in [
            ("```", Some(3)),
            ("  ````json \r", Some(4)),
            ("``", None),
            ("x ```", None),
            ("```a``` is code", None),
            ("", None),
        ] {
            assert_eq!(opens(line), ticks, "{line:?}");
        }
        assert!(closes(3, "```") && closes(3, " ````\r"));
        assert!(!closes(4, "```") && !closes(3, "```json") && !closes(3, ""));
    }
}
