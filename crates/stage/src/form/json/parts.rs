//! Writes JSON documents among other lines in the terse form, each below a line such as `JSON (indent 2), 14 lines:`.
//!
//! Covers a status line above a response, an echoed command, and several responses in a row. Adjacent documents with
//! the same layout are written as one list, so that separate records become rows.

use tersely_codec::json::Layout;
use tersely_codec::terse::KeyPlace;
use tersely_codec::{Value, json, terse};

use crate::form::json::keys;
use crate::form::json::worth::is_shorter;
use crate::form::verbatim;
use crate::plan::{Loss, Mode};
use crate::read::json::MIN_BYTES;
use crate::room::Room;
use crate::stage::{Edit, Scene, Stage};
use crate::view::TextView;

/// A text that is mostly JSON.
pub(crate) struct JsonParts;

impl Stage for JsonParts {
    fn name(&self) -> &'static str {
        "json parts"
    }

    fn mode(&self) -> Mode {
        Mode::Standard
    }

    fn apply(&self, scene: Scene<'_>, text: &TextView<'_>) -> Option<Edit> {
        // A document alone has fewer words around it in the form for documents.
        if text.is_known_document() {
            return None;
        }
        let near = text.starts_with(['{', '[']) || text.contains_any(&SIGNS);
        if text.len() < MIN_BYTES || !near {
            return None;
        }
        let (_, end) = verbatim::lines(text);
        let body = &text[..text.len() - end.len()];
        let parts = split(body)?;
        let mut out = String::new();
        let keys = keys::place_for(scene.plan.reader);
        parts.iter().try_for_each(|part| part.push(keys, &mut out))?;
        let written = verbatim::finish(out, end);
        is_shorter(text, &written).then_some(Edit { text: written, loss: Loss::None, note: String::new() })
    }

    fn restore(&self, room: Room, _: &str, text: &str) -> Option<String> {
        let (lines, end) = verbatim::lines(text);
        let mut lines = lines.into_iter();
        let mut out = String::new();
        while let Some(line) = lines.next() {
            match verbatim::count(line) {
                Some(count) => verbatim::copy(&mut out, count, &mut lines)?,
                None => Head::read(line)?.copy(room, &mut out, &mut lines)?,
            }
            room.fits(out.len())?;
        }
        Some(verbatim::finish(out, end))
    }
}

/// Strings at the start of a document that is not at the start of the text: the characters in front of it, and its
/// first character.
const SIGNS: [&str; 4] = ["\n{", "\n[", ": {", ": ["];

/// Adjacent lines that are written in the same way.
enum Part<'t> {
    Other(Vec<&'t str>),
    Json(Embedding<'t>, Vec<Value<'t>>),
}

/// How a document is embedded in the text.
#[derive(Clone, PartialEq, Eq)]
struct Embedding<'t> {
    /// The text in front of the document on its first line: `Output: `.
    label: &'t str,
    layout: Layout,
}

/// Splits a text into parts; `None` if the text is not mostly JSON.
fn split(text: &str) -> Option<Vec<Part<'_>>> {
    let mut parts = Vec::new();
    let (mut at, mut json, mut waste) = (0, 0, 0);
    while at <= text.len() {
        let rest = &text[at..];
        let line = rest.find('\n').map_or(rest, |end| &rest[..end]);
        let length = if let Some((found, value, length)) = find_document(rest, line) {
            json += length;
            add_document(&mut parts, found, value);
            length
        } else {
            waste += if line.starts_with(['{', '[']) { line.len() } else { 0 };
            add_line(&mut parts, line);
            line.len()
        };
        // In other texts, many lines merely look like JSON, so the search gives up early.
        if waste > json + MAX_WASTE_BYTES {
            return None;
        }
        at += length + 1;
    }
    (2 * json > text.len()).then_some(parts)
}

/// The maximum excess, in bytes, of lines that only look like JSON over the documents found so far.
const MAX_WASTE_BYTES: usize = 4_096;

/// The maximum length of a label in bytes.
const MAX_LABEL_BYTES: usize = 40;

/// The document at the start of `text`, directly or after a label on its first line.
fn find_document<'t>(text: &'t str, line: &'t str) -> Option<(Embedding<'t>, Value<'t>, usize)> {
    let label = label(line);
    let (layout, value, end) = document(&text[label.len()..])?;
    Some((Embedding { label, layout }, value, label.len() + end))
}

/// The words in front of a document, including the colon: `Output: `.
fn label(line: &str) -> &str {
    let near = line.get(..MAX_LABEL_BYTES).unwrap_or(line);
    let plain = |words: &str| {
        words.bytes().all(|byte| byte.is_ascii_alphanumeric() || matches!(byte, b' ' | b'_' | b'-'))
    };
    match near.find(": ") {
        Some(end) if end > 0 && plain(&near[..end]) => &line[..end + 2],
        _ => "",
    }
}

/// Parses the document at the start of `text`, if the document ends at a line end.
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

fn add_document<'t>(parts: &mut Vec<Part<'t>>, found: Embedding<'t>, value: Value<'t>) {
    match parts.last_mut() {
        Some(Part::Json(last, values)) if *last == found && found.label.is_empty() => values.push(value),
        _ => parts.push(Part::Json(found, vec![value])),
    }
}

fn add_line<'t>(parts: &mut Vec<Part<'t>>, line: &'t str) {
    match parts.last_mut() {
        Some(Part::Other(lines)) => lines.push(line),
        _ => parts.push(Part::Other(vec![line])),
    }
}

impl Part<'_> {
    fn push(&self, keys: KeyPlace, out: &mut String) -> Option<()> {
        let (found, values) = match self {
            Self::Other(lines) => {
                verbatim::push(out, lines);
                return Some(());
            }
            Self::Json(found, values) => (found, values),
        };
        let terse = match values.as_slice() {
            [value] => terse::draft_as(keys, value)?,
            values => terse::draft_as(keys, &Value::Array(values.to_vec()))?,
        };
        let lines = terse.matches('\n').count() + 1;
        let head = Head { documents: values.len(), found: found.clone(), lines };
        out.extend([&*head.text(), "\n", &*terse, "\n"]);
        Some(())
    }
}

/// The line above one or more documents in the terse form.
struct Head<'t> {
    documents: usize,
    found: Embedding<'t>,
    /// The number of lines that the terse form takes.
    lines: usize,
}

impl<'t> Head<'t> {
    fn text(&self) -> String {
        let Self { documents, found: Embedding { label, layout }, lines } = self;
        match documents {
            1 => format!("{label}JSON ({layout}), {lines} lines:"),
            _ => format!("{documents} JSON documents ({layout}), {lines} lines:"),
        }
    }

    fn read(line: &'t str) -> Option<Self> {
        let (start, lines) = line.strip_suffix(" lines:")?.rsplit_once("), ")?;
        let (words, layout) = start.split_once(" (")?;
        let (label, documents) = match words.strip_suffix("JSON") {
            Some(label) => (label, 1),
            None => ("", words.strip_suffix(" JSON documents")?.parse().ok().filter(|&count| count > 1)?),
        };
        let found = Embedding { label, layout: layout.parse().ok()? };
        Some(Self { documents, found, lines: lines.parse().ok()? })
    }

    /// Takes the lines of the terse form from `lines`, and appends the original JSON to `out`.
    fn copy<'a>(
        &self,
        room: Room,
        out: &mut String,
        lines: &mut impl Iterator<Item = &'a str>,
    ) -> Option<()> {
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
        out.push_str(self.found.label);
        for value in values {
            out.push_str(&self.found.layout.write_within(room.bytes(), &value)?);
            out.push('\n');
            room.fits(out.len())?;
        }
        Some(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::proof;
    use crate::proof::{apply, check, read_foreign};

    /// A document that is shorter in the terse form.
    fn pets() -> String {
        let pets: Vec<_> = (1..=20).map(|id| format!("{{\"id\":{id},\"kind\":\"cat\"}}")).collect();
        format!("[{}]", pets.join(","))
    }

    #[test]
    fn lines_around_a_document_stay() {
        let pets = pets();
        let text = format!("$ pets --all\nHTTP/1.1 200 OK\n\n{pets}\n{pets}\ndone\n");
        let edit = apply(&JsonParts, &text).unwrap();
        assert!(edit.text.starts_with(
            "[3 lines as they came:]\n$ pets --all\nHTTP/1.1 200 OK\n\n2 JSON documents (compact), "
        ));
        assert!(edit.text.ends_with("\n[1 line as it came:]\ndone\n"));
        check(&JsonParts, &text, "", &edit.text);
    }

    /// Gemini CLI passes on the output of a command in this way.
    #[test]
    fn a_label_may_stand_before_a_document() {
        let pets = pets();
        let text = format!("<untrusted_context>\nOutput: {pets}\nExit-Code: 0\n</untrusted_context>");
        let edit = apply(&JsonParts, &text).unwrap();
        assert!(
            edit.text.starts_with("[1 line as it came:]\n<untrusted_context>\nOutput: JSON (compact), "),
            "{}",
            edit.text
        );
        check(&JsonParts, &text, "", &edit.text);
    }

    #[test]
    fn every_order_comes_back() {
        let pets = pets();
        let pretty = "{\n  \"a\": [\n    1\n  ]\n}";
        let odd = [
            "",
            "JSON (compact), 1 lines:",
            "a: {}",
            "a b: [1]",
            ": {}",
            "a:  {}",
            "é: {}",
            "[2 lines as they came:]",
            "[x] y",
            "{",
            "{}",
            "[1] x",
            "é\t",
            pretty,
        ];
        for first in odd {
            for second in odd {
                for end in ["", "\n", "\n\n", "\r\n", "\n "] {
                    let text = format!("{first}\n{pets}\r\n{second}\n{pretty}\n{pets}\n{first}{end}");
                    let edit = apply(&JsonParts, &text).unwrap_or_else(|| panic!("declined {text:?}"));
                    assert_eq!(
                        proof::read(&JsonParts, "", &edit.text).as_deref(),
                        Some(&*text),
                        "{}",
                        edit.text
                    );
                }
            }
        }
        read_foreign(&JsonParts);
    }

    #[test]
    fn mostly_other_texts_are_left_alone() {
        let line = "[2024-01-01] something that is no JSON at all, though it begins like it\n";
        for text in [line.repeat(200), format!("{}\n{}", pets(), line.repeat(30)), "{\n".repeat(5000)] {
            assert_eq!(apply(&JsonParts, &text), None);
        }
    }
}
