//! One cell as text, and back: bare where that is safe, in quotes where it is not.

use std::borrow::Cow;

/// A cell that another one follows.
pub(super) fn push_cell(out: &mut String, cell: &str, separator: char) {
    if cell.contains(separator) { push_quoted(out, cell) } else { push_last(out, cell) }
}

/// A cell that ends its line: it may hold separators.
pub(super) fn push_last(out: &mut String, cell: &str) {
    if cell.starts_with('"') || cell.contains(['\n', '\r']) {
        push_quoted(out, cell);
    } else {
        out.push_str(cell);
    }
}

/// A cell in quotes, its own quotes doubled.
pub(super) fn push_quoted(out: &mut String, cell: &str) {
    out.push('"');
    out.push_str(&cell.replace('"', "\"\""));
    out.push('"');
}

/// A cell as it was read.
pub(super) struct Cell<'a> {
    pub(super) text: Cow<'a, str>,
    pub(super) quoted: bool,
}

/// The cell at the beginning of `text`, and what follows its separator.
pub(super) fn take_cell(text: &str, separator: char) -> Option<(Cell<'_>, &str)> {
    if text.starts_with('"') {
        let (cell, rest) = take_quoted(text)?;
        return Some((cell, rest.strip_prefix(separator)?));
    }
    let end = text.find([separator, '\n'])?;
    let rest = text[end..].strip_prefix(separator)?;
    Some((Cell { text: Cow::Borrowed(&text[..end]), quoted: false }, rest))
}

/// The cell that ends the line, and the lines below.
pub(super) fn take_last(text: &str) -> Option<(Cell<'_>, &str)> {
    if text.starts_with('"') {
        let (cell, rest) = take_quoted(text)?;
        return Some((cell, rest.strip_prefix('\n')?));
    }
    let (line, rest) = text.split_once('\n')?;
    Some((Cell { text: Cow::Borrowed(line), quoted: false }, rest))
}

/// The cell in quotes at the beginning of `text`, and what follows it.
pub(super) fn take_quoted(text: &str) -> Option<(Cell<'_>, &str)> {
    let inner = text.strip_prefix('"')?;
    let mut from = 0;
    loop {
        let at = from + inner[from..].find('"')?;
        if !inner[at + 1..].starts_with('"') {
            let raw = &inner[..at];
            let text = if raw.contains('"') { raw.replace("\"\"", "\"").into() } else { Cow::Borrowed(raw) };
            return Some((Cell { text, quoted: true }, &inner[at + 1..]));
        }
        from = at + 2;
    }
}
