//! Cuts the last columns off wide tables, and lists their names.

use crate::signal;

/// Maximum width that is kept, in bytes.
const MAX_WIDTH: usize = 180;

/// Minimum width that is kept, in bytes.
const MIN_WIDTH: usize = 60;

/// Lines longer than this, in bytes, are wide.
const WIDE_LINE_BYTES: usize = 280;

/// Tables with fewer wide lines stay unchanged.
const MIN_LINES: usize = 8;

/// Cuts all lines at a gap between two columns. `None` unless at least half of the lines are wide and share such a
/// gap. Lines with errors are kept whole.
pub(super) fn narrow(lines: &[&str]) -> Option<String> {
    let reaching: Vec<&str> =
        lines.iter().map(|line| line.trim_end()).filter(|line| line.len() > MAX_WIDTH).collect();
    let wide = reaching.iter().filter(|line| line.len() > WIDE_LINE_BYTES).count();
    if wide < MIN_LINES || wide * 2 < lines.len() {
        return None;
    }
    let end = gap(&reaching)?;
    let head = reaching.first()?.get(end..)?;
    let names: Vec<&str> = head.split("  ").map(str::trim).filter(|name| !name.is_empty()).collect();
    let mut out = format!("[the last columns are left out: {}]\n", names.join(", "));
    for line in lines {
        let line = line.trim_end();
        let shown = line.get(..end).filter(|_| signal::find(line).is_none()).unwrap_or(line);
        out.push_str(shown.trim_end());
        out.push('\n');
    }
    Some(out)
}

/// The last position, within the limits of the width, that follows two blanks in every line and at which a column
/// name begins in the first line.
fn gap(lines: &[&str]) -> Option<usize> {
    let first = lines.first()?.as_bytes();
    let is_free = |end: usize| lines.iter().all(|line| line.as_bytes()[end - 2..end] == *b"  ");
    (MIN_WIDTH..=MAX_WIDTH).rev().find(|end| first[*end] != b' ' && is_free(*end))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn table(cell: &str) -> Vec<String> {
        let row =
            |name: &str, node: &str, labels: &str| format!("{name:<40}{node:<100}{:<20}{labels}\n", "x");
        let head = row("NAME", "NODE", "LABELS");
        let rows = (0..20).map(|at| row(&format!("shop-{at}"), cell, &"app=shop,tier=front,".repeat(12)));
        std::iter::once(format!("{}{}", head.trim_end(), "  MORE".repeat(9))).chain(rows).collect()
    }

    #[test]
    fn columns_at_the_end_are_named() {
        let rows = table("node-a");
        let lines: Vec<&str> = rows.iter().map(String::as_str).collect();
        let out = narrow(&lines).expect("a table");
        assert!(out.starts_with("[the last columns are left out: LABELS, MORE"), "{out}");
        assert_eq!(out.lines().count(), 22);
        assert!(out.contains("\nshop-19 ") && !out.contains("tier=front"), "{out}");
    }

    #[test]
    fn a_cell_is_never_cut_in_two() {
        let rows = table(&"n".repeat(99));
        let lines: Vec<&str> = rows.iter().map(String::as_str).collect();
        let out = narrow(&lines).expect("a table");
        assert!(
            out.lines().skip(2).all(|line| line.contains(&"n".repeat(99)) != line.contains("tier")),
            "{out}"
        );
    }

    #[test]
    fn what_has_no_columns_is_left_alone() {
        let line = "words of a sentence that goes on ".repeat(12);
        assert_eq!(narrow(&vec![line.as_str(); 30]), None);
        assert_eq!(narrow(&["é"; 30]), None);
        assert_eq!(narrow(&[]), None);
    }
}
