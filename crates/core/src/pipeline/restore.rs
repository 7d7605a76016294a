//! The way back: what a compressed text came from.

use std::borrow::Cow;

use tersely_stage::form::GENERAL;
use tersely_stage::{Room, form_named};

use crate::pipeline::reference::Telling;
use crate::pipeline::{footer, reference, wrap};

/// The mark of the byte order, which some files begin with: it stays where it is, and no stage sees it.
pub(crate) const BYTE_ORDER: char = '\u{feff}';

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
    let Some(plain) = text.strip_prefix(BYTE_ORDER) else { return without_mark(room, text) };
    without_mark(room, plain).map(|back| match back {
        Cow::Borrowed(_) => Cow::Borrowed(text),
        Cow::Owned(back) => Cow::Owned(format!("{BYTE_ORDER}{back}")),
    })
}

/// The same for a text without a mark of the byte order.
fn without_mark(room: Room, text: &str) -> Option<Cow<'_, str>> {
    if let Some((name, shown)) = reference::split(text) {
        return untold(room, shown).map(|shown| Cow::Owned(format!("{name}{shown}")));
    }
    untold(room, text)
}

/// The same for a text that names no original, as it was before what plays our marks in it was told from them.
fn untold(room: Room, text: &str) -> Option<Cow<'_, str>> {
    match reference::unescape(text) {
        Some(plain) => unsigned(room, &plain).map(|back| Cow::Owned(back.into_owned())),
        None => unsigned(room, text),
    }
}

/// The text in a wrapping, put back where it stood, or any other text of ours.
pub(crate) fn unsigned(room: Room, text: &str) -> Option<Cow<'_, str>> {
    match footer::read(text) {
        Some(signed) if signed.is_ours() && signed.stage().0 == footer::WRAPPED => {
            let (head, inside) = signed.body.split_once('\n')?;
            wrap::rewrap(room, (signed.stage().1, head), &peel(room, inside)?).map(Cow::Owned)
        }
        _ => peel(room, text),
    }
}

/// The text that a stage other than a wrapping wrote, or one that none did.
fn peel(room: Room, text: &str) -> Option<Cow<'_, str>> {
    let Some(signed) = footer::read(text) else { return Some(Cow::Borrowed(text)) };
    if let Some(foreign) = signed.foreign() {
        return Some(Cow::Owned(foreign));
    }
    match signed.stage() {
        (footer::TEXT, "") => Some(Cow::Owned(signed.body.to_owned())),
        (name, note) => unwritten(room, (name, note), signed.body).map(Cow::Owned),
    }
}

/// The text that a form wrote, or the general one upon another.
fn unwritten(room: Room, (name, note): (&str, &str), body: &str) -> Option<String> {
    let Some(below) = name.strip_prefix(GENERAL.name()).and_then(|rest| rest.strip_prefix(' ')) else {
        return form_named(name)?.restore(room, note, body);
    };
    let body = GENERAL.restore(room, "", body)?;
    form_named(below)?.restore(room, note, &body)
}

/// True when `text` ends like our own work, or names an original.
#[must_use]
pub fn is_marked(text: &str) -> bool {
    footer::read(text).is_some() || reference::split(text).is_some()
}

/// The name of the original that `text` stands for, if detail was left out of it.
#[must_use]
pub fn original_of(text: &str) -> Option<&str> {
    reference::split(text).map(|(line, _)| reference::id(line))
}

/// `text` with a last line that says it is as it came, for readers that would take it for something else.
#[must_use]
pub fn as_text(text: &str) -> String {
    let signed = footer::sign(footer::TEXT, "", text);
    reference::escape(Telling::Everywhere, &signed).unwrap_or(signed)
}
