//! Restores the client's original body from the compressed one.

use std::fmt;

use tersely_core::{Room, Session, original_of, restore_within};
use tersely_wire::{Provider, Slot, Splice, WireError, splice};

use crate::slot_call::call;

/// Why a body cannot be restored.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum RestoreError {
    /// The body cannot be parsed.
    Body(WireError),
    /// The result at this byte is marked as compressed and cannot be decoded.
    Damaged(usize),
    /// Detail was cut from the result at this byte.
    Partial(usize),
}

impl std::error::Error for RestoreError {}

impl fmt::Display for RestoreError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Body(error) => error.fmt(f),
            Self::Damaged(byte) => {
                write!(f, "byte {byte}: this result is marked as compressed, but cannot be decoded")
            }
            Self::Partial(byte) => write!(f, "byte {byte}: detail was omitted from this result"),
        }
    }
}

/// Restores a body that was compressed without loss and without masks.
///
/// # Errors
/// When the body or a result in it cannot be decoded.
pub fn restore(provider: &'static Provider, body: &[u8]) -> Result<Vec<u8>, RestoreError> {
    let slots = provider.slots(body).map_err(RestoreError::Body)?;
    let mut back = Restorer::default();
    let edits: Result<Vec<_>, _> = slots.iter().map(|slot| back.original(slot)).collect();
    let edits: Vec<Splice> = edits?.into_iter().flatten().collect();
    Ok(splice(body, &edits).into_owned())
}

/// The visible text of each result of a compressed body, with references resolved and forms undone. Text that was cut
/// is missing, and a reference that cannot be resolved stays.
///
/// # Errors
/// When the body cannot be parsed.
pub fn in_sight(provider: &'static Provider, body: &[u8]) -> Result<Vec<String>, WireError> {
    let slots = provider.slots(body)?;
    let mut back = Restorer::default();
    Ok(slots.iter().map(|slot| back.visible(slot)).collect())
}

/// The state of restoring a conversation.
#[derive(Default)]
struct Restorer {
    history: Session,
    /// The size of the results in bytes, as sent and as restored.
    sent: usize,
    restored: usize,
}

impl Restorer {
    /// The edit that restores the original text of a slot; `None` if it is the same.
    fn original(&mut self, slot: &Slot<'_>) -> Result<Option<Splice>, RestoreError> {
        let Some(sent) = slot.text() else {
            self.history.skip(call(slot));
            return Ok(None);
        };
        // We did not write a text whose JSON spelling differs from ours.
        if !slot.is_spelled(&sent) {
            self.history.remember(call(slot), &sent);
            return Ok(None);
        }
        if original_of(&sent).is_some() {
            return Err(RestoreError::Partial(slot.span.start));
        }
        let text = self.text(slot, &sent).ok_or(RestoreError::Damaged(slot.span.start))?;
        Ok((text != sent).then(|| (slot.span.clone(), Some(text))))
    }

    /// The visible text of a slot.
    fn visible(&mut self, slot: &Slot<'_>) -> String {
        let Some(sent) = slot.text() else {
            self.history.skip(call(slot));
            return String::new();
        };
        if !slot.is_spelled(&sent) {
            self.history.remember(call(slot), &sent);
            return sent.into_owned();
        }
        self.text(slot, &sent).unwrap_or_else(|| sent.into_owned())
    }

    fn text(&mut self, slot: &Slot<'_>, sent: &str) -> Option<String> {
        self.sent += sent.len();
        let room = Room::behind(self.sent, self.restored);
        let shown = self.history.put_back(room, call(slot), sent)?;
        let text = restore_within(room, &shown)?.into_owned();
        self.restored += text.len();
        Some(text)
    }
}
