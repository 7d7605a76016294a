//! The way back: what a compressed text came from.

use std::borrow::Cow;

use crate::session::duplicate;
use crate::{Room, mark, reference, stage, wrap};

/// The text that `text`, as `compress` sent it, came from; `None` when it is marked as ours and is not, which is also
/// so when it would come back as more than 256 bytes for each of its own.
///
/// Exact edits are undone byte for byte; a text that no exact stage changed comes back as it was. Of a text that
/// names its original, what is in sight comes back under that name: the rest is with whoever keeps originals.
#[must_use]
pub fn restore(text: &str) -> Option<Cow<'_, str>> {
    restore_within(Room::of(text), text)
}

/// The same, if it comes back as no more bytes than there is room for.
#[must_use]
pub fn restore_within(room: Room, text: &str) -> Option<Cow<'_, str>> {
    if let Some((name, shown)) = reference::split(text) {
        return unwrap(room, shown).map(|shown| Cow::Owned(format!("{name}{shown}")));
    }
    unwrap(room, text)
}

/// The text below the mark of a wrapping, put back where it stood, or the text below another mark.
fn unwrap(room: Room, text: &str) -> Option<Cow<'_, str>> {
    match mark::read(text) {
        Some(marked) if marked.is_ours() && marked.stage().0 == stage::WRAPPED => {
            wrap::rewrap(room, marked.stage().1, &peel(room, marked.body)?).map(Cow::Owned)
        }
        _ => peel(room, text),
    }
}

/// The text below one mark that is not that of a wrapping.
fn peel(room: Room, text: &str) -> Option<Cow<'_, str>> {
    let Some(marked) = mark::read(text) else { return Some(unescape(text)) };
    if let Some(foreign) = marked.foreign() {
        return Some(Cow::Owned(foreign));
    }
    match marked.stage() {
        (stage::TEXT, "") => Some(Cow::Owned(marked.body.to_owned())),
        (name, note) => stage::find(name)?.restore(room, note, marked.body).map(Cow::Owned),
    }
}

/// A text without a mark, as it was before it was told from our own work.
fn unescape(text: &str) -> Cow<'_, str> {
    let foreign = reference::unescape(text).or_else(|| duplicate::unescape(text));
    foreign.map_or(Cow::Borrowed(text), Cow::Owned)
}

/// True when `text` begins with a mark of ours, or names an original.
#[must_use]
pub fn is_marked(text: &str) -> bool {
    mark::read(text).is_some() || reference::split(text).is_some()
}

/// The name of the original that `text` stands for, if detail was left out of it.
#[must_use]
pub fn original_of(text: &str) -> Option<&str> {
    reference::split(text).map(|(line, _)| reference::id(line))
}

/// `text` under a mark that says it is as it came, for readers that would take it for something else.
#[must_use]
pub fn as_text(text: &str) -> String {
    mark::mark(stage::TEXT, "", text)
}
