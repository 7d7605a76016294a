//! Reads the values of what a request says to us, or refuses them with what would be right.

use std::str::FromStr;

use serde_json::Value;

use crate::overrides::error::OptionError;

/// The most bytes of one result that a request can ask for.
const MAX_BYTES: u64 = 1_048_576;

/// A text.
pub(crate) fn text<'v>(at: &str, expected: &str, value: &'v Value) -> Result<&'v str, OptionError> {
    value.as_str().ok_or_else(|| wrong(at, expected, value))
}

/// A word that stands for one of a few things.
pub(crate) fn word<T: FromStr<Err = String>>(
    at: &str,
    expected: &str,
    value: &Value,
) -> Result<T, OptionError> {
    text(at, expected, value)?.trim().parse().map_err(|why| OptionError::at(at, why))
}

/// Yes or no.
pub(crate) fn switch(at: &str, value: &Value) -> Result<bool, OptionError> {
    value.as_bool().ok_or_else(|| wrong(at, "true or false", value))
}

/// Bytes, at least so many.
pub(crate) fn size(at: &str, least: u64, value: &Value) -> Result<usize, OptionError> {
    let size = value.as_u64().filter(|size| (least..=MAX_BYTES).contains(size));
    let size = size.and_then(|size| usize::try_from(size).ok());
    size.ok_or_else(|| wrong(at, &format!("a whole number from {least} to {MAX_BYTES}"), value))
}

/// Refuses a value of the wrong kind.
pub(crate) fn wrong(at: &str, expected: &str, value: &Value) -> OptionError {
    OptionError::at(at, format!("must be {expected}, not {value}"))
}
