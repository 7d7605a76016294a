//! Masks secrets in all that a request says, where the operator asked for it by name.
//!
//! It comes before compression and apart from it: whatever becomes of the rest, what it gives is what goes on.

use tersely_core::{Redaction, secrets};
use tersely_wire::{MaskedBody, WireError};

use crate::engine::Engine;

impl Engine {
    /// True when no request may go on with a secret in it.
    #[must_use]
    pub fn seals(&self) -> bool {
        self.settings().plan.redact == Redaction::All
    }
}

/// The body without its secrets.
///
/// # Errors
/// When it cannot be searched for them; it must not go on then.
pub fn seal(body: &[u8]) -> Result<MaskedBody<'_>, WireError> {
    tersely_wire::mask_body(body, secrets)
}
