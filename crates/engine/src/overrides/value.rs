//! Parses the values of a request's options. Errors say which values are valid.

use std::str::FromStr;

use serde_json::Value;

use crate::overrides::error::OptionError;

/// The maximum size, in bytes, that a request can set for one result.
const MAX_BYTES: u64 = 1_048_576;

/// Parses a string.
pub(crate) fn text<'v>(at: &str, expected: &str, value: &'v Value) -> Result<&'v str, OptionError> {
    value.as_str().ok_or_else(|| wrong(at, expected, value))
}

/// Parses one of a fixed set of words.
pub(crate) fn word<T: FromStr<Err = String>>(
    at: &str,
    expected: &str,
    value: &Value,
) -> Result<T, OptionError> {
    text(at, expected, value)?.trim().parse().map_err(|why| OptionError::at(at, why))
}

/// Parses a boolean.
pub(crate) fn switch(at: &str, value: &Value) -> Result<bool, OptionError> {
    value.as_bool().ok_or_else(|| wrong(at, "true or false", value))
}

/// Parses a number of bytes that is at least `min`.
pub(crate) fn size(at: &str, min: u64, value: &Value) -> Result<usize, OptionError> {
    let size = value.as_u64().filter(|size| (min..=MAX_BYTES).contains(size));
    let size = size.and_then(|size| usize::try_from(size).ok());
    size.ok_or_else(|| wrong(at, &format!("a whole number from {min} to {MAX_BYTES}"), value))
}

/// The error for a value of the wrong kind.
pub(crate) fn wrong(at: &str, expected: &str, value: &Value) -> OptionError {
    OptionError::at(at, format!("must be {expected}, not {value}"))
}
