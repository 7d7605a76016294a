//! Recognises tables: lines with the same number of cells, separated by spaces, tabs, bars or commas.

/// The maximum number of lines inspected.
const SAMPLE_LINES: usize = 100;

/// The minimum number of lines in a table.
const MIN_LINES: usize = 8;

/// True when nearly all lines of a text are rows of one table. A reader may need any of its rows.
pub(crate) fn is_table(text: &str) -> bool {
    let lines: Vec<&str> = text.lines().filter(|line| !line.trim().is_empty()).take(SAMPLE_LINES).collect();
    let counts: [fn(&str) -> usize; 4] = [
        blanks,
        |line| line.matches('\t').count() + 1,
        |line| line.matches('|').count() + 1,
        |line| line.matches(',').count() + 1,
    ];
    lines.len() >= MIN_LINES && counts.iter().any(|count| is_even(&lines, count))
}

/// True when at least four lines in five have the same number of cells, which must be three or more.
fn is_even(lines: &[&str], count: impl Fn(&str) -> usize) -> bool {
    let mut counts: Vec<usize> = lines.iter().map(|line| count(line)).filter(|count| *count >= 3).collect();
    counts.sort_unstable();
    let most = counts.chunk_by(|one, next| one == next).map(<[usize]>::len).max();
    most.is_some_and(|most| most * 5 >= lines.len() * 4)
}

/// Counts the cells separated by two or more spaces.
fn blanks(line: &str) -> usize {
    line.trim().split("  ").filter(|cell| !cell.trim().is_empty()).count()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn rows_are_recognised_by_their_cells() {
        let row = |cells: &str| format!("{cells}\n").repeat(20);
        for (text, expected) in [
            (row("ii  libc6:amd64  2.36-9  amd64"), true),
            (row("   12    34   567 src/main.rs"), true),
            (row("a\tb\tc"), true),
            (row("Rust,src/main.rs,1"), true),
            (row("| a | b |"), true),
            (row("Here is a sentence, with a comma."), false),
            (row("src/main.rs"), false),
            ("a  b  c\n".repeat(7), false),
            (String::new(), false),
        ] {
            assert_eq!(is_table(&text), expected, "{text}");
        }
    }
}
