//! Counts as numbers to calculate with.

/// A count as a number.
#[expect(clippy::cast_precision_loss, reason = "no count of tokens is that large")]
pub(crate) fn float(count: u64) -> f64 {
    count as f64
}

/// A number as a count, none where it is negative.
#[expect(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "saturates")]
pub(crate) fn count(number: f64) -> u64 {
    number.round().max(0.0) as u64
}
