//! JSON documents in the terse form.

mod excerpt;
mod lines;
mod parts;

pub(super) use self::excerpt::Excerpt;
pub(super) use self::lines::Lines;
pub(super) use self::parts::Parts;

use tersely_codec::json::Layout;
use tersely_codec::{Value, json, terse};

use super::{Edit, Scene, Stage};
use crate::{Loss, Mode, Room};

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
        let layout = Layout::of(text, &value);
        let (loss, note) = match &layout {
            Some(layout) => (Loss::None, layout.to_string()),
            None => (Loss::Form, String::new()),
        };
        // An exact form is read back by the pipeline, once is enough.
        let written = if layout.is_some() { terse::draft(&value) } else { terse::encode(&value) }?;
        is_shorter(text, &written).then_some(Edit { text: written, loss, note })
    }

    fn restore(&self, room: Room, note: &str, text: &str) -> Option<String> {
        let layout: Layout = note.parse().ok()?;
        layout.write_within(room.bytes(), &terse::decode(text).ok()?)
    }
}

/// True unless a form is as long as the text: counting its tokens costs more than all the rest.
fn is_shorter(text: &str, written: &str) -> bool {
    written.len() + text.len() / 100 < text.len()
}

/// True for what begins like a JSON document: cheap to ask of any text.
pub(super) fn opens(text: &str) -> bool {
    let mut signs = text.chars().filter(|sign| !sign.is_whitespace());
    match signs.next() {
        Some('{') => matches!(signs.next(), Some('"' | '}')),
        Some('[') => matches!(signs.next(), Some('{' | '[' | '"' | ']')),
        _ => false,
    }
}

fn document(text: &str) -> Option<Value<'_>> {
    if text.len() < MIN_BYTES || !text.trim_start().starts_with(['{', '[']) {
        return None;
    }
    json::decode(text).ok()
}
