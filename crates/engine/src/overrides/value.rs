//! Parses the values of a request's options, or says what would be valid.

use std::str::FromStr;

use serde_json::Value;

use crate::overrides::error::OptionError;

/// The most bytes of one result that a request can ask for.
const MAX_BYTES: u64 = 1_048_576;

/// A text.
pub(crate) fn text<'v>(at: &str, expected: &str, value: &'v Value) -> Result<&'v str, OptionError> {
    value.as_str().ok_or_else(|| wrong(at, expected, value))
}

/// One of a few words.
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

/// A number of bytes, at least `min`.
pub(crate) fn size(at: &str, min: u64, value: &Value) -> Result<usize, OptionError> {
    let size = value.as_u64().filter(|size| (min..=MAX_BYTES).contains(size));
    let size = size.and_then(|size| usize::try_from(size).ok());
    size.ok_or_else(|| wrong(at, &format!("a whole number from {min} to {MAX_BYTES}"), value))
}

/// The error for a value of the wrong kind.
pub(crate) fn wrong(at: &str, expected: &str, value: &Value) -> OptionError {
    OptionError::at(at, format!("must be {expected}, not {value}"))
}
