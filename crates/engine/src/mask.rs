//! Masks secrets in the whole request body, if the operator turned this on.
//!
//! Masking runs before compression and independently of it: whatever happens during compression, secrets stay masked.

use tersely_core::{Redaction, secrets};
use tersely_wire::{MaskedBody, WireError};

use crate::engine::Engine;

impl Engine {
    /// True when no request with a secret in it may be forwarded.
    #[must_use]
    pub fn seals(&self) -> bool {
        self.settings().plan.redact == Redaction::All
    }
}

/// The body with its secrets masked.
///
/// # Errors
/// When the body cannot be searched; then it must not be forwarded.
pub fn seal(body: &[u8]) -> Result<MaskedBody<'_>, WireError> {
    tersely_wire::mask_body(body, secrets)
}
