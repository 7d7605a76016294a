//! JSON documents, one a line, in the terse form.

use tersely_codec::json::Layout;
use tersely_codec::{Value, terse};

use crate::form::json::keys;
use crate::form::json::worth::is_shorter;
use crate::plan::{Loss, Mode};
use crate::read::json::documents;
use crate::room::Room;
use crate::stage::{Edit, Scene, Stage};

/// A text of JSON documents, one a line.
pub(crate) struct JsonLines;

impl Stage for JsonLines {
    fn name(&self) -> &'static str {
        "json lines"
    }

    fn mode(&self) -> Mode {
        Mode::Standard
    }

    fn apply(&self, scene: Scene<'_>, text: &str) -> Option<Edit> {
        let value = documents(text)?;
        let Value::Array(values) = &value else { return None };
        let (body, end) = text.strip_suffix('\n').map_or((text, ""), |body| (body, "newline"));
        let layout = Layout::of(body.split('\n').next()?, values.first()?)?;
        let note = if end.is_empty() { layout.to_string() } else { format!("{layout}; {end}") };
        let written = terse::draft_as(keys::place_for(scene.plan.reader), &value)?;
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
