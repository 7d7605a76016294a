//! Aligns cells in columns.

/// Aligns the cells of `rows` in columns with two spaces between them. Each letter of `columns` is a column: `l` is
/// left-aligned, `r` is right-aligned.
#[must_use]
pub fn align(columns: &str, rows: &[Vec<String>]) -> String {
    let widths: Vec<usize> = (0..columns.len()).map(|at| width(rows, at)).collect();
    let lines = rows.iter().map(|row| line(columns, &widths, row));
    lines.collect::<Vec<_>>().join("\n")
}

fn width(rows: &[Vec<String>], column: usize) -> usize {
    rows.iter().filter_map(|row| row.get(column)).map(|cell| cell.chars().count()).max().unwrap_or(0)
}

fn line(columns: &str, widths: &[usize], row: &[String]) -> String {
    let cells = columns.chars().zip(widths).zip(row).map(|((side, &width), cell)| match side {
        'r' => format!("{cell:>width$}"),
        _ => format!("{cell:<width$}"),
    });
    cells.collect::<Vec<_>>().join("  ").trim_end().to_owned()
}

#[cfg(test)]
mod tests {
    use super::align;

    #[test]
    fn columns_line_up_on_their_side() {
        let rows = [["form", "tokens", ""], ["é", "7", "chosen"], ["terse", "-", ""]];
        let rows = rows.map(|row| row.map(str::to_owned).to_vec());
        assert_eq!(align("lrl", &rows), "form   tokens\né           7  chosen\nterse       -");
    }
}
