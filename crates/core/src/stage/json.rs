//! JSON documents in the terse form.

use tersely_codec::json::Layout;
use tersely_codec::{Value, json, terse};

use super::{Edit, Scene, Stage};
use crate::{Loss, Mode};

/// Shorter texts have nothing to give.
const MIN_BYTES: usize = 64;

/// A text that is one JSON document.
pub(super) struct Json;

impl Stage for Json {
    fn name(&self) -> &'static str {
        "json"
    }

    fn mode(&self) -> Mode {
        Mode::Standard
    }

    fn apply(&self, _: Scene<'_>, text: &str) -> Option<Edit> {
        let value = document(text)?;
        let written = terse::encode(&value)?;
        match Layout::of(text, &value) {
            Some(layout) => Some(Edit { text: written, loss: Loss::None, note: layout.to_string() }),
            None => Some(Edit { text: written, loss: Loss::Form, note: String::new() }),
        }
    }

    fn restore(&self, note: &str, text: &str) -> Option<String> {
        let layout: Layout = note.parse().ok()?;
        terse::decode(text).ok().map(|value| layout.write(&value))
    }
}

fn document(text: &str) -> Option<Value<'_>> {
    if text.len() < MIN_BYTES || !text.trim_start().starts_with(['{', '[']) {
        return None;
    }
    json::decode(text).ok()
}

/// A text of JSON documents, one a line.
pub(super) struct Lines;

impl Stage for Lines {
    fn name(&self) -> &'static str {
        "json lines"
    }

    fn mode(&self) -> Mode {
        Mode::Standard
    }

    fn apply(&self, _: Scene<'_>, text: &str) -> Option<Edit> {
        if text.len() < MIN_BYTES || !text.starts_with('{') {
            return None;
        }
        let (body, end) = text.strip_suffix('\n').map_or((text, ""), |body| (body, "newline"));
        let values: Vec<_> = body.split('\n').map(|line| json::decode(line).ok()).collect::<Option<_>>()?;
        let layout = Layout::of(body.split('\n').next()?, values.first()?)?;
        let note = if end.is_empty() { layout.to_string() } else { format!("{layout}; {end}") };
        let written = terse::encode(&Value::Array(values))?;
        Some(Edit { text: written, loss: Loss::None, note })
    }

    fn restore(&self, note: &str, text: &str) -> Option<String> {
        let (layout, end) = note.split_once("; ").map_or((note, ""), |(layout, _)| (layout, "\n"));
        let layout: Layout = layout.parse().ok()?;
        let Ok(Value::Array(values)) = terse::decode(text) else { return None };
        let lines: Vec<_> = values.iter().map(|value| layout.write(value)).collect();
        Some(lines.join("\n") + end)
    }
}
