//! The line that stands where something was left out: `[12 lines left out: passing tests]`.

/// Says that `count` lines of `what` are missing here.
pub(crate) fn lines(count: usize, what: &str) -> String {
    things(count, if count == 1 { "line" } else { "lines" }, what)
}

/// Says that `count` of `unit` are missing here.
pub(crate) fn things(count: usize, unit: &str, what: &str) -> String {
    let colon = if what.is_empty() { "" } else { ": " };
    format!("[{count} {unit} left out{colon}{what}]")
}

/// The lines that stay, with what is missing between them; a shorter gap than `least` bytes is not worth its mark.
pub(crate) fn gaps(lines: &[&str], kept: &[bool], (least, what): (usize, &str)) -> String {
    let mut out = String::new();
    let mut at = 0;
    for run in kept.chunk_by(|one, two| one == two) {
        let part = &lines[at..at + run.len()];
        at += run.len();
        if run[0] || part.iter().map(|line| line.len()).sum::<usize>() < least {
            out.extend(part.iter().copied());
        } else {
            out.push_str(&self::lines(run.len(), what));
            out.push('\n');
        }
    }
    out
}

/// True when `line` looks like such a line, which should stay as it is.
pub(crate) fn is_said(line: &str) -> bool {
    line.starts_with('[') && line.contains(" left out")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn it_says_how_much_and_of_what() {
        assert_eq!(lines(1, "progress"), "[1 line left out: progress]");
        assert_eq!(lines(290, "passing tests"), "[290 lines left out: passing tests]");
        assert_eq!(things(40, "records", ""), "[40 records left out]");
    }
}
