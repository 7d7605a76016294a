//! Times and numbers as the database holds them.

use std::time::{Duration, UNIX_EPOCH};

use tersely_telemetry::RequestEvent;

/// When a request came, in milliseconds since 1970.
pub(crate) fn at(event: &RequestEvent) -> i64 {
    let at = event.at.duration_since(UNIX_EPOCH).unwrap_or_default();
    i64::try_from(at.as_millis()).unwrap_or(i64::MAX)
}

/// A time in microseconds.
pub(crate) fn micros(time: Duration) -> i64 {
    i64::try_from(time.as_micros()).unwrap_or(i64::MAX)
}

/// A number.
pub(crate) fn number(number: u64) -> i64 {
    i64::try_from(number).unwrap_or(i64::MAX)
}
