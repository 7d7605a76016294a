//! Python's way of printing lists and dictionaries, in the terse form: what tools in that language answer with
//! when nobody asked for JSON.

use tersely_codec::{Text, Value, terse};

use crate::form::json::keys;
use crate::plan::{Loss, Mode};
use crate::room::Room;
use crate::stage::{Edit, Scene, Stage, proven};

/// A text that is one Python list or dictionary.
pub(crate) struct Python;

/// Shorter texts have nothing to give.
const MIN_BYTES: usize = 64;

/// Lists and dictionaries nest no deeper than in the terse form.
const MAX_DEPTH: usize = 128;

impl Stage for Python {
    fn name(&self) -> &'static str {
        "python"
    }

    fn mode(&self) -> Mode {
        Mode::Standard
    }

    fn apply(&self, scene: Scene<'_>, text: &str) -> Option<Edit> {
        if text.len() < MIN_BYTES || !text.starts_with(['[', '{']) {
            return None;
        }
        let (body, note) = text.strip_suffix('\n').map_or((text, ""), |body| (body, "newline"));
        let mut reader = PythonReader { text: body, at: 0 };
        let value = reader.value(MAX_DEPTH).filter(|_| reader.at == body.len())?;
        let written = terse::encode_as(keys::place_for(scene.plan.reader), &value)?;
        proven(self, text, Edit { text: written, loss: Loss::None, note: note.to_owned() })
    }

    fn restore(&self, room: Room, note: &str, text: &str) -> Option<String> {
        let mut out = String::new();
        push(&mut out, &terse::decode(text).ok()?)?;
        room.fits(out.len())?;
        out.push_str(if note == "newline" { "\n" } else { "" });
        Some(out)
    }
}

/// A place in a text, moving forward.
pub(super) struct PythonReader<'a> {
    pub(super) text: &'a str,
    pub(super) at: usize,
}

impl<'a> PythonReader<'a> {
    fn rest(&self) -> &'a str {
        &self.text[self.at..]
    }

    pub(super) fn eat(&mut self, word: &str) -> bool {
        let next = self.rest().starts_with(word);
        self.at += if next { word.len() } else { 0 };
        next
    }

    pub(super) fn value(&mut self, levels: usize) -> Option<Value<'a>> {
        match self.rest().as_bytes().first()? {
            b'[' => self.list(levels.checked_sub(1)?),
            b'{' => self.dictionary(levels.checked_sub(1)?),
            b'\'' | b'"' => self.string().map(Value::String),
            b'N' => self.eat("None").then_some(Value::Null),
            b'T' => self.eat("True").then_some(Value::Bool(true)),
            b'F' => self.eat("False").then_some(Value::Bool(false)),
            _ => self.number(),
        }
    }

    fn list(&mut self, levels: usize) -> Option<Value<'a>> {
        let mut items = Vec::new();
        self.eat("[");
        if self.eat("]") {
            return Some(Value::Array(items));
        }
        loop {
            items.push(self.value(levels)?);
            if self.eat("]") {
                return Some(Value::Array(items));
            }
            self.eat(", ").then_some(())?;
        }
    }

    fn dictionary(&mut self, levels: usize) -> Option<Value<'a>> {
        let mut members = Vec::new();
        self.eat("{");
        if self.eat("}") {
            return Some(Value::Object(members));
        }
        loop {
            let key = self.string()?;
            self.eat(": ").then_some(())?;
            members.push((key, self.value(levels)?));
            if self.eat("}") {
                return Some(Value::Object(members));
            }
            self.eat(", ").then_some(())?;
        }
    }

    fn number(&mut self) -> Option<Value<'a>> {
        let digits = |byte: &u8| byte.is_ascii_digit() || matches!(byte, b'-' | b'+' | b'.' | b'e');
        let length = self.rest().bytes().take_while(|byte| digits(byte)).count();
        let text = &self.rest()[..length];
        self.at += length;
        // JSON's grammar of numbers decides; what Python prints otherwise (nan, 1e+16j) is left alone.
        tersely_codec::json::decode(text).ok().filter(|value| matches!(value, Value::Number(_)))
    }

    fn string(&mut self) -> Option<Text<'a>> {
        let quote = self.rest().chars().next().filter(|quote| matches!(quote, '\'' | '"'))?;
        let inside = &self.rest()[1..];
        let mut value = String::new();
        let mut from = 0;
        let mut places = inside.char_indices();
        while let Some((at, character)) = places.next() {
            if character == quote {
                self.at += at + 2;
                let last = &inside[from..at];
                return Some(if from == 0 { Text::of(last) } else { Text::of(&(value + last)).into_owned() });
            }
            if character == '\\' {
                let (_, escaped) = places.next()?;
                value.push_str(&inside[from..at]);
                value.push(unescape(escaped)?);
                from = at + 1 + escaped.len_utf8();
            }
        }
        None
    }
}

fn unescape(character: char) -> Option<char> {
    match character {
        'n' => Some('\n'),
        'r' => Some('\r'),
        't' => Some('\t'),
        '\\' | '\'' | '"' => Some(character),
        _ => None,
    }
}

/// Writes a value as Python prints it; `None` for what it could not have printed.
pub(super) fn push(out: &mut String, value: &Value<'_>) -> Option<()> {
    match value {
        Value::Null => out.push_str("None"),
        Value::Bool(true) => out.push_str("True"),
        Value::Bool(false) => out.push_str("False"),
        Value::Number(text) => out.push_str(text),
        Value::String(text) => push_string(out, &text.value()?),
        Value::Array(items) => {
            out.push('[');
            for (index, item) in items.iter().enumerate() {
                out.push_str(if index > 0 { ", " } else { "" });
                push(out, item)?;
            }
            out.push(']');
        }
        Value::Object(members) => {
            out.push('{');
            for (index, (key, value)) in members.iter().enumerate() {
                out.push_str(if index > 0 { ", " } else { "" });
                push_string(out, &key.value()?);
                out.push_str(": ");
                push(out, value)?;
            }
            out.push('}');
        }
    }
    Some(())
}

/// Python takes double quotes only where they save an escape.
fn push_string(out: &mut String, text: &str) {
    let quote = if text.contains('\'') && !text.contains('"') { '"' } else { '\'' };
    out.push(quote);
    for character in text.chars() {
        match character {
            '\n' => out.push_str("\\n"),
            '\r' => out.push_str("\\r"),
            '\t' => out.push_str("\\t"),
            '\\' => out.push_str("\\\\"),
            _ if character == quote => out.extend(['\\', quote]),
            _ => out.push(character),
        }
    }
    out.push(quote);
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::proof;
    use crate::proof::apply;

    #[test]
    fn what_python_prints_comes_back() {
        for text in [
            "[{'id': 1, 'name': 'Ann', 'ok': True}, {'id': 2, 'name': \"O'Hara\", 'ok': None}, {'id': 3}]\n",
            "[{'a': 'both \\' and \"', 'b': 'tab\\tline\\n', 'c': 1.5e-07, 'd': [], 'e': {}}, {'a': '\\\\'}]  "
                .trim_end(),
            "{'é': ['日本語', -1, 0.1, False], 'x': {'y': {'z': 'a long enough text to be looked at'}}}",
        ] {
            let edit = apply(&Python, text).unwrap();
            assert_eq!(proof::back(&Python, &edit).as_deref(), Some(text), "{}", edit.text);
        }
    }

    #[test]
    fn what_it_would_print_otherwise_is_left_alone() {
        for text in [
            "[('a', 1), ('b', 2), ('a tuple is not a list, so it must not become one', 3)]",
            "{1: 'a', 2: 'b', 3: 'keys that are numbers cannot be keys of a JSON object'}",
            "['nan is no number', nan, 'and this text is long enough to be looked at by the stage']",
            "[datetime.date(2026, 1, 1), 'objects print themselves in ways that nobody can know']",
            "['unfinished, and long enough to be looked at by the stage, but without an end",
        ] {
            assert_eq!(apply(&Python, text), None, "{text}");
        }
    }
}
