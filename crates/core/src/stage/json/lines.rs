//! JSON documents, one a line, in the terse form.

use tersely_codec::json::Layout;
use tersely_codec::{Value, json, terse};

use super::{MIN_BYTES, is_shorter};
use crate::stage::{Edit, Scene, Stage};
use crate::{Loss, Mode, Room};

/// A text of JSON documents, one a line.
pub(in crate::stage) struct Lines;

impl Stage for Lines {
    fn name(&self) -> &'static str {
        "json lines"
    }

    fn mode(&self) -> Mode {
        Mode::Standard
    }

    fn apply(&self, _: Scene<'_>, text: &str) -> Option<Edit> {
        let value = decode(text)?;
        let Value::Array(values) = &value else { return None };
        let (body, end) = text.strip_suffix('\n').map_or((text, ""), |body| (body, "newline"));
        let layout = Layout::of(body.split('\n').next()?, values.first()?)?;
        let note = if end.is_empty() { layout.to_string() } else { format!("{layout}; {end}") };
        let written = terse::draft(&value)?;
        is_shorter(text, &written).then_some(Edit { text: written, loss: Loss::None, note })
    }

    fn restore(&self, room: Room, note: &str, text: &str) -> Option<String> {
        let (layout, end) = note.split_once("; ").map_or((note, ""), |(layout, _)| (layout, "\n"));
        let layout: Layout = layout.parse().ok()?;
        let Ok(Value::Array(values)) = terse::decode(text) else { return None };
        let mut out = String::with_capacity(text.len() * 2);
        for (at, value) in values.iter().enumerate() {
            out.push_str(if at > 0 { "\n" } else { "" });
            out.push_str(&layout.write_within(room.bytes(), value)?);
            room.fits(out.len())?;
        }
        Some(out + end)
    }
}

/// The documents of a text of several, one a line.
pub(super) fn decode(text: &str) -> Option<Value<'_>> {
    if text.len() < MIN_BYTES || !text.starts_with('{') {
        return None;
    }
    let body = text.strip_suffix('\n').unwrap_or(text);
    let values = body.split('\n').map(|line| json::decode(line).ok()).collect::<Option<Vec<_>>>()?;
    (values.len() > 1).then_some(Value::Array(values))
}
