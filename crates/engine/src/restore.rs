//! The way back: the body that a client sent, of the one that was sent in its place.

use std::fmt;

use tersely_core::{Room, Session, original_of, restore_within};
use tersely_wire::{Provider, Slot, Splice, WireError, splice};

use crate::conversation::call;

/// Why a body cannot be turned back.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum RestoreError {
    /// It makes no sense.
    Body(WireError),
    /// A result in it, at this byte, says it was compressed and does not read as that.
    Damaged(usize),
    /// Detail was left out of a result, at this byte.
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
            Self::Partial(byte) => write!(f, "byte {byte}: detail was left out of this result"),
        }
    }
}

/// The body that became `body` under settings that lose nothing and mask nothing.
///
/// # Errors
/// When the body cannot be read, or a result in it says what cannot be.
pub fn restore(provider: &Provider, body: &[u8]) -> Result<Vec<u8>, RestoreError> {
    let slots = provider.slots(body).map_err(RestoreError::Body)?;
    let mut back = Back::default();
    let edits: Result<Vec<_>, _> = slots.iter().map(|slot| back.original(slot)).collect();
    let edits: Vec<Splice> = edits?.into_iter().flatten().collect();
    Ok(splice(body, &edits).into_owned())
}

/// What can be read of each result of a body that was sent: references followed into what stands before them, forms
/// undone. What was left out is not in it, and a reference that leads nowhere stays one.
///
/// # Errors
/// When the body cannot be read.
pub fn in_sight(provider: &Provider, body: &[u8]) -> Result<Vec<String>, WireError> {
    let slots = provider.slots(body)?;
    let mut back = Back::default();
    Ok(slots.iter().map(|slot| back.sight(slot)).collect())
}

/// A conversation on its way back.
#[derive(Default)]
struct Back {
    history: Session,
    /// Bytes of the results as they were sent, and as they came back.
    sent: usize,
    came: usize,
}

impl Back {
    /// What stood in a slot, if that was something else.
    fn original(&mut self, slot: &Slot<'_>) -> Result<Option<Splice>, RestoreError> {
        let Some(sent) = slot.text() else {
            self.history.skip(call(slot));
            return Ok(None);
        };
        // What is spelled otherwise than we spell was not written by us.
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

    /// What can be read of a slot.
    fn sight(&mut self, slot: &Slot<'_>) -> String {
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
        let room = Room::behind(self.sent, self.came);
        let shown = self.history.put_back(room, call(slot), sent)?;
        let text = restore_within(room, &shown)?.into_owned();
        self.came += text.len();
        Some(text)
    }
}
