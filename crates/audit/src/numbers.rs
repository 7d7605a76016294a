//! Converts between counts and floats.

/// Converts a count to a float.
#[expect(clippy::cast_precision_loss, reason = "no count of tokens is that large")]
pub(crate) fn float(count: u64) -> f64 {
    count as f64
}

/// Converts a float to a count; negative numbers become 0.
#[expect(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "saturates")]
pub(crate) fn count(number: f64) -> u64 {
    number.round().max(0.0) as u64
}
