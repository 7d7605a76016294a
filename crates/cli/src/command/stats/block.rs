//! Lays out lists with titles side by side, in as many columns as fit.

use std::fmt::Write as _;

use clap::builder::styling::{AnsiColor, Style};

/// The style of a heading.
pub(crate) const HEAD: Style = Style::new().bold();
/// The style of less important text.
pub(crate) const DIM: Style = Style::new().dimmed();
/// The style of savings.
pub(crate) const GOOD: Style = AnsiColor::Green.on_default();

/// The number of spaces between two lists.
const GAP: usize = 4;

/// The minimum width of a list.
const NARROW: usize = 38;

/// A list: its heading, and rows with a name and two numbers.
pub(crate) struct StatsBlock {
    pub(crate) title: &'static str,
    /// The names of the two columns of numbers.
    pub(crate) columns: [&'static str; 2],
    pub(crate) rows: Vec<[String; 3]>,
}

/// Lays out lists within `width` characters and `height` lines. A list that is cut short says so.
pub(crate) fn arrange(width: usize, height: Option<usize>, blocks: &[StatsBlock]) -> String {
    let columns = ((width + GAP) / (NARROW + GAP)).clamp(1, blocks.len().max(1));
    let each = (width + GAP) / columns - GAP;
    let bands = blocks.len().div_ceil(columns);
    // Each band of lists needs a line for the heading and an empty line.
    let most = height.map_or(10, |height| (height / bands).saturating_sub(2).max(1));
    let mut out = String::new();
    for band in blocks.chunks(columns) {
        let lists: Vec<Vec<String>> = band.iter().map(|block| lines(each.min(64), most, block)).collect();
        for at in 0..lists.iter().map(Vec::len).max().unwrap_or(0) {
            let cells: Vec<_> = lists.iter().map(|list| cell(each, list.get(at))).collect();
            // Colour codes end in front of the padding, so the padding can be trimmed.
            let _ = writeln!(out, "{}", cells.join(&" ".repeat(GAP)).trim_end());
        }
        out.push('\n');
    }
    out
}

fn cell(width: usize, line: Option<&String>) -> String {
    let Some(line) = line else { return " ".repeat(width) };
    format!("{line}{}", " ".repeat(width.saturating_sub(visible_width(line))))
}

/// The heading and rows of a list, fitted to `width`.
fn lines(width: usize, most: usize, block: &StatsBlock) -> Vec<String> {
    let shown = if block.rows.len() > most { most.saturating_sub(1).max(1) } else { most };
    let numbers = 8 + 9;
    let name_width = width.saturating_sub(numbers);
    let (title, [sent, saved]) = (short(name_width, block.title), block.columns);
    let mut lines = vec![format!("{HEAD}{title:<name_width$}{HEAD:#}{DIM}{sent:>8}{saved:>9}{DIM:#}")];
    for [name, sent, saved] in block.rows.iter().take(shown) {
        let name = short(name_width.saturating_sub(1), name);
        lines.push(format!("{name:<name_width$}{sent:>8}{GOOD}{saved:>9}{GOOD:#}"));
    }
    if block.rows.len() > shown && most > 1 {
        lines.push(format!("{DIM}and {} more{DIM:#}", block.rows.len() - shown));
    }
    lines
}

/// Shortens a name to `width` characters.
fn short(width: usize, name: &str) -> String {
    if name.chars().count() <= width {
        return name.to_owned();
    }
    name.chars().take(width.saturating_sub(1)).chain(['…']).collect()
}

/// The number of visible characters, without colour codes.
fn visible_width(line: &str) -> usize {
    let mut width = 0;
    let mut inside = false;
    for letter in line.chars() {
        match letter {
            '\u{1b}' => inside = true,
            'm' if inside => inside = false,
            _ if inside => {}
            _ => width += 1,
        }
    }
    width
}
