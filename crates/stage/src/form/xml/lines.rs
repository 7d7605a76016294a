//! XML line by line: `name: text` for `<name>text</name>`, and closing tags left to the indentation.
//!
//! For documents that people wrote, where comments, blank lines and odd layouts stand between the elements.

use crate::form::carried;
use crate::plan::{Loss, Mode};
use crate::room::Room;
use crate::stage::{Edit, Scene, Stage};

/// A text whose lines are elements.
pub(crate) struct XmlLines;

/// What a reader must know.
const HEAD: &str = "[name: text stands for <name>text</name>; indentation closes what is open]";

/// Fewer closing tags have nothing to give.
const MIN_CLOSED: usize = 8;

impl Stage for XmlLines {
    fn name(&self) -> &'static str {
        "xml lines"
    }

    fn mode(&self) -> Mode {
        Mode::Standard
    }

    fn apply(&self, _: Scene<'_>, text: &str) -> Option<Edit> {
        if !text.starts_with('<') {
            return None;
        }
        let (lines, end) = carried::lines(text);
        let rows = rows(&lines);
        let closed = rows.iter().filter(|row| matches!(row, Row::Close | Row::Leaf { .. })).count();
        if closed < MIN_CLOSED.max(lines.len() / 4) {
            return None;
        }
        let text = format!("{HEAD}\n{}", carried::finish(write(&lines, &rows), end));
        Some(Edit { text, loss: Loss::None, note: String::new() })
    }

    fn restore(&self, room: Room, note: &str, text: &str) -> Option<String> {
        if !note.is_empty() {
            return None;
        }
        let (lines, end) = carried::lines(text.strip_prefix(HEAD)?.strip_prefix('\n')?);
        let mut back = Back::default();
        let mut lines = lines.into_iter();
        while let Some(line) = lines.next() {
            match carried::count(line) {
                Some(count) => carried::copy(&mut back.out, count, &mut lines)?,
                None => back.line(line),
            }
            room.fits(back.out.len())?;
        }
        back.close(0);
        Some(carried::finish(back.out, end))
    }
}

/// What a line is.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Row<'a> {
    /// `<name>` alone.
    Open {
        name: &'a str,
    },
    /// `<name>text</name>`
    Leaf {
        name: &'a str,
        text: &'a str,
    },
    /// The end of the last element that is open.
    Close,
    Blank,
    /// A line that is kept and not taken for another.
    Kept,
    /// A line that would be.
    Other,
}

/// An element that is open: how far in, its name, and its line.
type Element<'a> = (usize, &'a str, usize);

/// What the lines are, one after the other.
fn rows<'a>(lines: &[&'a str]) -> Vec<Row<'a>> {
    let pairs = pairs(lines);
    let mut open: Vec<usize> = Vec::new();
    let mut rows = Vec::with_capacity(lines.len());
    for (at, line) in lines.iter().enumerate() {
        let indent = indent(line);
        let row = match pairs[at] {
            Tag::Close => {
                open.pop();
                Row::Close
            }
            _ if indent < line.len() && open.last().is_some_and(|&last| last >= indent) => Row::Other,
            Tag::Open => {
                open.push(indent);
                let name = opening(&line[indent..]).unwrap_or_default();
                if line.len() == indent + name.len() + 2 { Row::Open { name } } else { Row::Kept }
            }
            Tag::None => row(line, indent),
        };
        rows.push(row);
    }
    rows
}

/// What a line that opens or closes nothing is.
fn row(line: &str, indent: usize) -> Row<'_> {
    let bare = &line[indent..];
    if let Some((name, text)) = leaf(bare) {
        return Row::Leaf { name, text };
    }
    let taken = opening(bare).is_some() || pair(bare).is_some() || carried::count(line).is_some();
    match bare {
        "" if indent == 0 => Row::Blank,
        "" => Row::Other,
        _ if taken => Row::Other,
        _ => Row::Kept,
    }
}

/// Whether a line is one of two tags that belong together.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Tag {
    Open,
    Close,
    None,
}

/// Finds the tags that belong together: one name, equally far in, nothing further out between them.
fn pairs(lines: &[&str]) -> Vec<Tag> {
    let mut tags = vec![Tag::None; lines.len()];
    let mut open: Vec<Element<'_>> = Vec::new();
    for (at, line) in lines.iter().enumerate() {
        let indent = indent(line);
        let bare = &line[indent..];
        if let Some(name) = closing(bare) {
            while open.pop_if(|last| last.0 > indent).is_some() {}
            if let Some(start) = open.pop_if(|last| (last.0, last.1) == (indent, name)) {
                (tags[start.2], tags[at]) = (Tag::Open, Tag::Close);
            }
        } else if let Some(name) = opening(bare) {
            while open.pop_if(|last| last.0 >= indent).is_some() {}
            open.push((indent, name, at));
        }
    }
    tags
}

/// Writes the lines; a closing tag stays where the next line does not tell that it stood there.
fn write(lines: &[&str], rows: &[Row<'_>]) -> String {
    let mut out = String::new();
    let mut others: Vec<&str> = Vec::new();
    for (at, (line, row)) in lines.iter().zip(rows).enumerate() {
        if *row == Row::Other {
            others.push(line);
            continue;
        }
        carried::push(&mut out, &std::mem::take(&mut others));
        let blank = &line[..indent(line)];
        match row {
            Row::Close if follows(blank.len(), lines.get(at + 1), rows.get(at + 1)) => continue,
            Row::Open { name } => out.extend([blank, name, ":"]),
            Row::Leaf { name, text } => out.extend([blank, name, ": ", text]),
            _ => out.push_str(line),
        }
        out.push('\n');
    }
    carried::push(&mut out, &others);
    out
}

/// True when the line below a closing tag tells that the tag stood there.
fn follows(indented: usize, line: Option<&&str>, row: Option<&Row<'_>>) -> bool {
    let (Some(line), Some(row)) = (line, row) else { return true };
    let below = indent(line);
    match row {
        Row::Blank | Row::Other => false,
        Row::Kept if closing(&line[below..]).is_some() => below < indented,
        Row::Open { .. } | Row::Leaf { .. } | Row::Close | Row::Kept => below <= indented,
    }
}

/// The text on its way back.
#[derive(Default)]
struct Back<'a> {
    out: String,
    /// The lead and the name of each element that is open.
    open: Vec<(&'a str, &'a str)>,
}

impl<'a> Back<'a> {
    fn line(&mut self, line: &'a str) {
        let (blank, bare) = line.split_at(indent(line));
        if bare.is_empty() {
            self.push(&[line]);
            return;
        }
        if let Some(name) = closing(bare) {
            self.close(blank.len() + 1);
            self.open.pop_if(|last| *last == (blank, name));
            self.push(&[line]);
            return;
        }
        self.close(blank.len());
        match pair(bare) {
            Some((name, "")) => {
                self.open.push((blank, name));
                self.push(&[blank, "<", name, ">"]);
            }
            Some((name, text)) => self.push(&[blank, "<", name, ">", text, "</", name, ">"]),
            None => {
                self.open.extend(opening(bare).map(|name| (blank, name)));
                self.push(&[line]);
            }
        }
    }

    /// Closes the elements that begin at `indent` or further in.
    fn close(&mut self, indent: usize) {
        while let Some((blank, name)) = self.open.pop_if(|last| last.0.len() >= indent) {
            self.push(&[blank, "</", name, ">"]);
        }
    }

    fn push(&mut self, parts: &[&str]) {
        self.out.extend(parts.iter().copied());
        self.out.push('\n');
    }
}

fn indent(line: &str) -> usize {
    line.bytes().take_while(|byte| matches!(byte, b' ' | b'\t')).count()
}

fn is_name(text: &str) -> bool {
    let part = |byte: u8| byte.is_ascii_alphanumeric() || matches!(byte, b'_' | b'-' | b'.');
    text.starts_with(|first: char| first.is_ascii_alphabetic()) && text.bytes().all(part)
}

/// The name of `</name>`.
fn closing(bare: &str) -> Option<&str> {
    bare.strip_prefix("</")?.strip_suffix('>').filter(|name| is_name(name))
}

/// The name of `<name>` or `<name with="attributes">`.
fn opening(bare: &str) -> Option<&str> {
    let inner = bare.strip_prefix('<')?.strip_suffix('>')?;
    let name = inner.split(' ').next().filter(|name| is_name(name))?;
    (!inner.ends_with('/') && !inner.contains(['<', '>'])).then_some(name)
}

/// The name and the text of `<name>text</name>`.
fn leaf(bare: &str) -> Option<(&str, &str)> {
    let (name, rest) = bare.strip_prefix('<')?.split_once('>')?;
    let text = rest.strip_suffix('>')?.strip_suffix(name)?.strip_suffix("</")?;
    (is_name(name) && !text.is_empty() && !text.contains('<')).then_some((name, text))
}

/// The name and the text of `name: text`, or of `name:` alone.
fn pair(bare: &str) -> Option<(&str, &str)> {
    let (name, rest) = bare.split_once(':')?;
    let text = if rest.is_empty() { rest } else { rest.strip_prefix(' ').filter(|text| !text.is_empty())? };
    is_name(name).then_some((name, text))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::proof;
    use crate::proof::{apply, check, read_foreign};

    const USUAL: &str =
        "<r>\n  <a>\n    <b>1</b>\n    <c>2</c>\n    <b>1</b>\n    <c>2</c>\n    <b>1</b>\n  </a>\n</r>";

    #[test]
    fn elements_are_named_once() {
        check(
            &XmlLines,
            "<?xml version=\"1.0\"?>\n<r>\n  <!-- why -->\n  <a k=\"v\">\n    <b>1: 2</b>\n    <c>é</c>\n    <d/>\n  </a>\n\n  \
             <a>\n    <b>1</b>\n    <c>2</c>\n    <c>3</c>\n  </a>\n</r>\n",
            "",
            "[name: text stands for <name>text</name>; indentation closes what is open]\n\
             <?xml version=\"1.0\"?>\nr:\n  <!-- why -->\n  <a k=\"v\">\n    b: 1: 2\n    c: é\n    <d/>\n  </a>\n\n  a:\n    \
             b: 1\n    c: 2\n    c: 3\n",
        );
    }

    /// Every order of a few odd lines around usual ones comes back.
    #[test]
    fn odd_lines_come_back() {
        let odd = [
            "",
            "\r",
            " ",
            "  </a>",
            "</a>",
            "<a>",
            "  <a>",
            "a: b",
            "a:",
            "  note: x",
            "[2 lines as they came:]",
            "<a",
            "x",
            "<a>x</b>",
            "<a></a>",
            "\t<a>",
            "<!-- a",
            "-->",
            "<a b=\"1\">",
            "é: x",
            "a:  ",
            "<b>x</b>\r",
        ];
        for first in odd {
            for second in odd {
                let text =
                    format!("{USUAL}\n{first}\n{USUAL}\n{second}\n{USUAL}\n{USUAL}\n{first}\n{second}");
                let edit = apply(&XmlLines, &text).unwrap_or_else(|| panic!("declined {text:?}"));
                assert_eq!(proof::back(&XmlLines, &edit).as_deref(), Some(&*text), "{}", edit.text);
            }
        }
    }

    #[test]
    fn what_it_never_wrote_is_no_fault() {
        read_foreign(&XmlLines);
    }
}
