//! The way back: the body that a client sent, of the one that was sent in its place.

use std::fmt;

use tersely_core::{History, original_of};
use tersely_wire::{Edit, Provider, Slot, WireError, splice};

use crate::conversation::call;

/// Why a body cannot be turned back.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Unrestored {
    /// It makes no sense.
    Body(WireError),
    /// A result in it, at this byte, says it was compressed and does not read as that.
    Damaged(usize),
    /// Detail was left out of a result, at this byte.
    Partial(usize),
}

impl std::error::Error for Unrestored {}

impl fmt::Display for Unrestored {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Body(error) => error.fmt(f),
            Self::Damaged(byte) => {
                write!(f, "byte {byte}: this result is marked as compressed, but it does not read as that")
            }
            Self::Partial(byte) => write!(f, "byte {byte}: detail was left out of this result"),
        }
    }
}

/// The body that became `body` under settings that lose nothing and mask nothing.
///
/// # Errors
/// When the body cannot be read, or a result in it says what cannot be.
pub fn restore(provider: &dyn Provider, body: &[u8]) -> Result<Vec<u8>, Unrestored> {
    let slots = provider.slots(body).map_err(Unrestored::Body)?;
    let mut history = History::default();
    let edits: Result<Vec<_>, _> = slots.iter().map(|slot| original(&mut history, slot)).collect();
    let edits: Vec<Edit> = edits?.into_iter().flatten().collect();
    Ok(splice(body, &edits).into_owned())
}

/// What stood in a slot, if that was something else.
fn original(history: &mut History, slot: &Slot<'_>) -> Result<Option<Edit>, Unrestored> {
    let Some(sent) = slot.text() else {
        history.skip(call(slot));
        return Ok(None);
    };
    // What is spelled otherwise than we spell was not written by us.
    if !slot.is_spelled(&sent) {
        history.remember(call(slot), &sent);
        return Ok(None);
    }
    if original_of(&sent).is_some() {
        return Err(Unrestored::Partial(slot.span.start));
    }
    let damaged = || Unrestored::Damaged(slot.span.start);
    let shown = history.put_back(call(slot), &sent).ok_or_else(damaged)?;
    let text = tersely_core::restore(&shown).ok_or_else(damaged)?;
    Ok((text != sent).then(|| (slot.span.clone(), Some(text.into_owned()))))
}
