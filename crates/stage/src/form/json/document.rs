//! Writes a JSON document in the terse form.

use tersely_codec::json::Layout;
use tersely_codec::{Value, json, terse};

use crate::form::json::keys;
use crate::form::json::worth::is_shorter;
use crate::plan::{Loss, Mode};
use crate::read::json::MIN_BYTES;
use crate::room::Room;
use crate::stage::{Edit, Scene, Stage};
use crate::view::TextView;

/// A text that consists of one JSON document.
pub(crate) struct Json;

impl Stage for Json {
    fn name(&self) -> &'static str {
        "json"
    }

    fn mode(&self) -> Mode {
        Mode::Standard
    }

    fn apply(&self, scene: Scene<'_>, text: &TextView<'_>) -> Option<Edit> {
        let (value, keys) = (document(text)?, keys::place_for(scene.plan.reader));
        let layout = Layout::of(text, &value);
        let (loss, note) = match &layout {
            Some(layout) => {
                text.record_document();
                (Loss::None, layout.to_string())
            }
            None => (Loss::Form, String::new()),
        };
        // The pipeline decodes exact forms to check them, so they are not checked here too.
        let written =
            if layout.is_some() { terse::draft_as(keys, &value) } else { terse::encode_as(keys, &value) }?;
        is_shorter(text, &written).then_some(Edit { text: written, loss, note })
    }

    fn restore(&self, room: Room, note: &str, text: &str) -> Option<String> {
        let layout: Layout = note.parse().ok()?;
        layout.write_within(room.bytes(), &terse::decode(text).ok()?)
    }
}

/// Parses a text that is one JSON document, if it is long enough.
pub(super) fn document(text: &str) -> Option<Value<'_>> {
    if text.len() < MIN_BYTES || !text.trim_start().starts_with(['{', '[']) {
        return None;
    }
    json::decode(text).ok()
}
