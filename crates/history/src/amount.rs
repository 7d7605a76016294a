//! Converts times and numbers to the database's integers.

use std::time::{Duration, UNIX_EPOCH};

use tersely_telemetry::RequestEvent;

/// When a request arrived, in milliseconds since 1970.
pub(crate) fn at(event: &RequestEvent) -> i64 {
    let at = event.at.duration_since(UNIX_EPOCH).unwrap_or_default();
    i64::try_from(at.as_millis()).unwrap_or(i64::MAX)
}

/// A duration in microseconds.
pub(crate) fn micros(time: Duration) -> i64 {
    i64::try_from(time.as_micros()).unwrap_or(i64::MAX)
}

/// A count as a database integer.
pub(crate) fn number(number: u64) -> i64 {
    i64::try_from(number).unwrap_or(i64::MAX)
}
