//! Masks secrets in the whole request body, where the operator turned that on.
//!
//! It runs before compression and independently of it: whatever happens there, the masked body is forwarded.

use tersely_core::{Redaction, secrets};
use tersely_wire::{MaskedBody, WireError};

use crate::engine::Engine;

impl Engine {
    /// True when no request may be forwarded with a secret in it.
    #[must_use]
    pub fn seals(&self) -> bool {
        self.settings().plan.redact == Redaction::All
    }
}

/// The body with its secrets masked.
///
/// # Errors
/// When it cannot be searched; it must not be forwarded then.
pub fn seal(body: &[u8]) -> Result<MaskedBody<'_>, WireError> {
    tersely_wire::mask_body(body, secrets)
}
