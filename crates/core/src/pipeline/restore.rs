//! Restores the original of a compressed text.

use std::borrow::Cow;

use tersely_stage::form::GENERAL;
use tersely_stage::{Room, form_named};

use crate::pipeline::reference::EscapeScope;
use crate::pipeline::{footer, reference, wrap};

/// The byte order mark that some files begin with. It stays in the text, but no stage sees it.
pub(crate) const BYTE_ORDER_MARK: char = '\u{feff}';

/// Undoes `compress`. `None` when the footer has our number but the text cannot be restored, or when the restored text
/// would be more than 256 times as long.
///
/// Exact edits are undone byte for byte; a text that no exact stage changed is returned unchanged. If a text refers to
/// its original, only the visible part is restored, below the same reference; the store contains the rest.
#[must_use]
pub fn restore(text: &str) -> Option<Cow<'_, str>> {
    restore_within(Room::of(text), text)
}

/// Like `restore`, with a limit on the size of the restored text.
#[must_use]
pub fn restore_within(room: Room, text: &str) -> Option<Cow<'_, str>> {
    let Some(plain) = text.strip_prefix(BYTE_ORDER_MARK) else { return undo_reference(room, text) };
    undo_reference(room, plain).map(|back| match back {
        Cow::Borrowed(_) => Cow::Borrowed(text),
        Cow::Owned(back) => Cow::Owned(format!("{BYTE_ORDER_MARK}{back}")),
    })
}

/// Restores a text without a byte order mark: the part below its reference, or all of it if there is none.
fn undo_reference(room: Room, text: &str) -> Option<Cow<'_, str>> {
    if let Some((name, shown)) = reference::split(text) {
        return undo_escapes(room, shown).map(|shown| Cow::Owned(format!("{name}{shown}")));
    }
    undo_escapes(room, text)
}

/// Restores a text without a reference: undoes the escapes of imitated references first.
fn undo_escapes(room: Room, text: &str) -> Option<Cow<'_, str>> {
    match reference::unescape(text) {
        Some(plain) => undo_footer(room, &plain).map(|back| Cow::Owned(back.into_owned())),
        None => undo_footer(room, text),
    }
}

/// Restores a text whose escapes are undone: reads its footer, and puts a text that was taken out of JSON back into its
/// JSON.
pub(crate) fn undo_footer(room: Room, text: &str) -> Option<Cow<'_, str>> {
    match footer::read(text) {
        Some(signed) if signed.is_ours() && signed.stage().0 == footer::WRAPPED => {
            let (head, inside) = signed.body.split_once('\n')?;
            wrap::rewrap(room, (signed.stage().1, head), &undo_stage(room, inside)?).map(Cow::Owned)
        }
        _ => undo_stage(room, text),
    }
}

/// Restores a text that has no JSON wrapping: undoes the stage that its footer names.
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

/// Undoes a form, or the general form and then the form below it.
fn undo_form(room: Room, (name, note): (&str, &str), body: &str) -> Option<String> {
    let Some(inner) = name.strip_prefix(GENERAL.name()).and_then(|rest| rest.strip_prefix(' ')) else {
        return form_named(name)?.restore(room, note, body);
    };
    let body = GENERAL.restore(room, "", body)?;
    form_named(inner)?.restore(room, note, &body)
}

/// True when `text` ends in a footer, ours or not, or begins with a reference to an original.
#[must_use]
pub fn is_marked(text: &str) -> bool {
    footer::read(text).is_some() || reference::split(text).is_some()
}

/// The id of the original of `text`, if detail was cut from it.
#[must_use]
pub fn original_of(text: &str) -> Option<&str> {
    reference::split(text).map(|(line, _)| reference::id(line))
}

/// Adds a footer that marks `text` as unchanged, for text that would otherwise be mistaken for a compressed one.
#[must_use]
pub fn as_text(text: &str) -> String {
    let signed = footer::sign(footer::TEXT, "", text);
    reference::escape(EscapeScope::Everywhere, &signed).unwrap_or(signed)
}
