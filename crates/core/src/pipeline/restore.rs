//! Restores the text that a compressed one was made from.

use std::borrow::Cow;

use tersely_stage::form::GENERAL;
use tersely_stage::{Room, form_named};

use crate::pipeline::reference::EscapeScope;
use crate::pipeline::{footer, reference, wrap};

/// The byte order mark that some files begin with. It stays in place, and no stage sees it.
pub(crate) const BYTE_ORDER_MARK: char = '\u{feff}';

/// Undoes `compress`. `None` when the footer claims to be ours and the text cannot be restored, or would grow to more
/// than 256 times its bytes.
///
/// Exact edits are undone byte for byte; a text that no exact stage changed is returned as it is. Of a text that names
/// its original, only the visible part is restored, below the same name; the store has the rest.
#[must_use]
pub fn restore(text: &str) -> Option<Cow<'_, str>> {
    restore_within(Room::of(text), text)
}

/// The same, with a limit for the size of the restored text.
#[must_use]
pub fn restore_within(room: Room, text: &str) -> Option<Cow<'_, str>> {
    let Some(plain) = text.strip_prefix(BYTE_ORDER_MARK) else { return undo_reference(room, text) };
    undo_reference(room, plain).map(|back| match back {
        Cow::Borrowed(_) => Cow::Borrowed(text),
        Cow::Owned(back) => Cow::Owned(format!("{BYTE_ORDER_MARK}{back}")),
    })
}

/// The same for a text without a byte order mark.
fn undo_reference(room: Room, text: &str) -> Option<Cow<'_, str>> {
    if let Some((name, shown)) = reference::split(text) {
        return undo_escapes(room, shown).map(|shown| Cow::Owned(format!("{name}{shown}")));
    }
    undo_escapes(room, text)
}

/// The same for a text that names no original: undoes escaped imitations of references first.
fn undo_escapes(room: Room, text: &str) -> Option<Cow<'_, str>> {
    match reference::unescape(text) {
        Some(plain) => undo_footer(room, &plain).map(|back| Cow::Owned(back.into_owned())),
        None => undo_footer(room, text),
    }
}

/// The same for a text whose escapes are undone: reads its footer, and puts a text that was taken out of JSON back into
/// it.
pub(crate) fn undo_footer(room: Room, text: &str) -> Option<Cow<'_, str>> {
    match footer::read(text) {
        Some(signed) if signed.is_ours() && signed.stage().0 == footer::WRAPPED => {
            let (head, inside) = signed.body.split_once('\n')?;
            wrap::rewrap(room, (signed.stage().1, head), &undo_stage(room, inside)?).map(Cow::Owned)
        }
        _ => undo_stage(room, text),
    }
}

/// The same for a text without a wrapping.
fn undo_stage(room: Room, text: &str) -> Option<Cow<'_, str>> {
    let Some(signed) = footer::read(text) else { return Some(Cow::Borrowed(text)) };
    if let Some(foreign) = signed.foreign() {
        return Some(Cow::Owned(foreign));
    }
    match signed.stage() {
        (footer::TEXT, "") => Some(Cow::Owned(signed.body.to_owned())),
        (name, note) => undo_form(room, (name, note), signed.body).map(Cow::Owned),
    }
}

/// The text that a form wrote, or the general form on top of another.
fn undo_form(room: Room, (name, note): (&str, &str), body: &str) -> Option<String> {
    let Some(inner) = name.strip_prefix(GENERAL.name()).and_then(|rest| rest.strip_prefix(' ')) else {
        return form_named(name)?.restore(room, note, body);
    };
    let body = GENERAL.restore(room, "", body)?;
    form_named(inner)?.restore(room, note, &body)
}

/// True when `text` ends in a footer, ours or not, or names an original.
#[must_use]
pub fn is_marked(text: &str) -> bool {
    footer::read(text).is_some() || reference::split(text).is_some()
}

/// The name of the original that `text` was made from, if detail was cut from it.
#[must_use]
pub fn original_of(text: &str) -> Option<&str> {
    reference::split(text).map(|(line, _)| reference::id(line))
}

/// `text` with a footer that says it is unchanged, for text that would otherwise be taken for a compressed one.
#[must_use]
pub fn as_text(text: &str) -> String {
    let signed = footer::sign(footer::TEXT, "", text);
    reference::escape(EscapeScope::Everywhere, &signed).unwrap_or(signed)
}
