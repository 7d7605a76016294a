//! JSON documents among other lines: `JSON (indent 2), 14 lines:`, and then those of its terse form.
//!
//! A status line above an answer, a command that was echoed, several answers one after the other. Neighbours of
//! one layout are written as one list, so that records that came as documents become rows.

use tersely_codec::json::Layout;
use tersely_codec::{Value, json, terse};

use super::{MIN_BYTES, is_shorter};
use crate::stage::{Edit, Scene, Stage, other};
use crate::{Loss, Mode};

/// A text that is mostly JSON.
pub(in crate::stage) struct Parts;

impl Stage for Parts {
    fn name(&self) -> &'static str {
        "json parts"
    }

    fn mode(&self) -> Mode {
        Mode::Standard
    }

    fn apply(&self, _: Scene<'_>, text: &str) -> Option<Edit> {
        if text.len() < MIN_BYTES
            || !text.starts_with(['{', '[']) && !text.contains("\n{") && !text.contains("\n[")
        {
            return None;
        }
        let (_, end) = other::lines(text);
        let body = &text[..text.len() - end.len()];
        let parts = split(body)?;
        let mut out = String::new();
        parts.iter().try_for_each(|part| part.push(&mut out))?;
        let written = other::finish(out, end);
        is_shorter(text, &written).then_some(Edit { text: written, loss: Loss::None, note: String::new() })
    }

    fn restore(&self, _: &str, text: &str) -> Option<String> {
        let (lines, end) = other::lines(text);
        let mut lines = lines.into_iter();
        let mut out = String::new();
        while let Some(line) = lines.next() {
            match other::count(line) {
                Some(count) => other::copy(&mut out, count, &mut lines)?,
                None => Head::read(line)?.copy(&mut out, &mut lines)?,
            }
            other::bounded(&out)?;
        }
        Some(other::finish(out, end))
    }
}

/// Neighbouring lines that are written in one way.
enum Part<'t> {
    Other(Vec<&'t str>),
    Json(Layout, Vec<Value<'t>>),
}

/// The parts of a text of which most is JSON.
fn split(text: &str) -> Option<Vec<Part<'_>>> {
    let mut parts = Vec::new();
    let (mut at, mut json, mut waste) = (0, 0, 0);
    while at <= text.len() {
        let rest = &text[at..];
        let line = rest.find('\n').map_or(rest, |end| &rest[..end]);
        let length = if let Some((layout, value, length)) = document(rest) {
            json += length;
            add_document(&mut parts, layout, value);
            length
        } else {
            waste += if line.starts_with(['{', '[']) { line.len() } else { 0 };
            add_line(&mut parts, line);
            line.len()
        };
        // Lines that merely look like JSON are many in other texts: those are soon left alone.
        if waste > json + MAX_WASTE {
            return None;
        }
        at += length + 1;
    }
    (2 * json > text.len()).then_some(parts)
}

/// Bytes of lines that begin like JSON and are not, before the first that is.
const MAX_WASTE: usize = 4_096;

/// The document that `text` begins with, if it ends at the end of a line.
fn document(text: &str) -> Option<(Layout, Value<'_>, usize)> {
    if !text.starts_with(['{', '[']) {
        return None;
    }
    let (value, end) = json::decode_first(text).ok()?;
    let blank = text[end..].bytes().take_while(|byte| matches!(byte, b' ' | b'\t' | b'\r')).count();
    let end = end + blank;
    if !matches!(text.as_bytes().get(end), None | Some(b'\n')) {
        return None;
    }
    let layout = Layout::of(&text[..end], &value)?;
    Some((layout, value, end))
}

fn add_document<'t>(parts: &mut Vec<Part<'t>>, layout: Layout, value: Value<'t>) {
    match parts.last_mut() {
        Some(Part::Json(last, values)) if *last == layout => values.push(value),
        _ => parts.push(Part::Json(layout, vec![value])),
    }
}

fn add_line<'t>(parts: &mut Vec<Part<'t>>, line: &'t str) {
    match parts.last_mut() {
        Some(Part::Other(lines)) => lines.push(line),
        _ => parts.push(Part::Other(vec![line])),
    }
}

impl Part<'_> {
    fn push(&self, out: &mut String) -> Option<()> {
        let (layout, values) = match self {
            Self::Other(lines) => {
                other::push(out, lines);
                return Some(());
            }
            Self::Json(layout, values) => (layout, values),
        };
        let terse = match values.as_slice() {
            [value] => terse::draft(value)?,
            values => terse::draft(&Value::Array(values.to_vec()))?,
        };
        let lines = terse.matches('\n').count() + 1;
        let head = Head { documents: values.len(), layout: layout.clone(), lines };
        out.extend([&*head.text(), "\n", &*terse, "\n"]);
        Some(())
    }
}

/// The line above a document, or above several.
struct Head {
    documents: usize,
    layout: Layout,
    /// Lines below it.
    lines: usize,
}

impl Head {
    fn text(&self) -> String {
        let Self { documents, layout, lines } = self;
        match documents {
            1 => format!("JSON ({layout}), {lines} lines:"),
            _ => format!("{documents} JSON documents ({layout}), {lines} lines:"),
        }
    }

    fn read(line: &str) -> Option<Self> {
        let (start, lines) = line.strip_suffix(" lines:")?.rsplit_once("), ")?;
        let (words, layout) = start.split_once(" (")?;
        let documents = match words {
            "JSON" => 1,
            words => words.strip_suffix(" JSON documents")?.parse().ok().filter(|&count| count > 1)?,
        };
        Some(Self { documents, layout: layout.parse().ok()?, lines: lines.parse().ok()? })
    }

    /// Moves what stands below it from `lines` to `out`, as JSON.
    fn copy<'a>(&self, out: &mut String, lines: &mut impl Iterator<Item = &'a str>) -> Option<()> {
        let body: Vec<&str> = lines.take(self.lines).collect();
        if body.len() != self.lines {
            return None;
        }
        let body = body.join("\n");
        let values = match (terse::decode(&body).ok()?, self.documents) {
            (value, 1) => vec![value],
            (Value::Array(values), _) => values,
            _ => return None,
        };
        for value in values {
            out.push_str(&self.layout.write(&value));
            out.push('\n');
        }
        Some(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::stage::proof::{apply, check, read_foreign};

    /// A document that the terse form says in less.
    fn pets() -> String {
        let pets: Vec<_> = (1..=20).map(|id| format!("{{\"id\":{id},\"kind\":\"cat\"}}")).collect();
        format!("[{}]", pets.join(","))
    }

    #[test]
    fn lines_around_a_document_stay() {
        let pets = pets();
        let text = format!("$ pets --all\nHTTP/1.1 200 OK\n\n{pets}\n{pets}\ndone\n");
        let edit = apply(&Parts, &text).unwrap();
        assert!(
            edit.text
                .starts_with("3 other lines:\n$ pets --all\nHTTP/1.1 200 OK\n\n2 JSON documents (compact), ")
        );
        assert!(edit.text.ends_with("\n1 other line:\ndone\n"));
        check(&Parts, &text, "", &edit.text);
    }

    #[test]
    fn every_order_comes_back() {
        let pets = pets();
        let pretty = "{\n  \"a\": [\n    1\n  ]\n}";
        let odd =
            ["", "JSON (compact), 1 lines:", "2 other lines:", "[x] y", "{", "{}", "[1] x", "é\t", pretty];
        for first in odd {
            for second in odd {
                for end in ["", "\n", "\n\n", "\r\n", "\n "] {
                    let text = format!("{first}\n{pets}\r\n{second}\n{pretty}\n{pets}\n{first}{end}");
                    let edit = apply(&Parts, &text).unwrap_or_else(|| panic!("declined {text:?}"));
                    assert_eq!(Parts.restore("", &edit.text).as_deref(), Some(&*text), "{}", edit.text);
                }
            }
        }
        read_foreign(&Parts);
    }

    #[test]
    fn mostly_other_texts_are_left_alone() {
        let line = "[2024-01-01] something that is no JSON at all, though it begins like it\n";
        for text in [line.repeat(200), format!("{}\n{}", pets(), line.repeat(30)), "{\n".repeat(5000)] {
            assert_eq!(apply(&Parts, &text), None);
        }
    }
}
