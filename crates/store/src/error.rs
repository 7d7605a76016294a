//! Errors of a store, with messages that help a person fix the cause.

use std::fmt;
use std::time::Duration;

/// The reason why a call failed. It never contains a text, an id or a tenant.
#[derive(Clone, Debug, Eq, PartialEq)]
pub enum StoreError {
    /// The server cannot be reached or refuses the call. Contains the server's message.
    Down(String),
    /// The circuit breaker is open.
    Resting,
    /// The server did not answer within the deadline.
    Slow(Duration),
    /// This many calls are running, which is the limit.
    Busy(usize),
    /// The store's memory is full.
    Full,
    /// The text is longer than the limit.
    TooLarge {
        /// The length of the text in bytes.
        bytes: usize,
        /// The limit in bytes.
        largest: usize,
    },
}

impl fmt::Display for StoreError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Down(why) => write!(
                f,
                "the store cannot be used ({why}): check its address and credentials, and that it is running"
            ),
            Self::Resting => f.write_str("the store failed a moment ago; retrying within a second"),
            Self::Slow(deadline) => write!(
                f,
                "the store did not answer within {} ms: check its load and the network, or allow it more time",
                deadline.as_millis()
            ),
            Self::Busy(most) => {
                write!(
                    f,
                    "{most} calls to the store are already running: it is too slow, or the limit is too low"
                )
            }
            Self::Full => {
                f.write_str("the store's memory is full: give it more, or let it evict (`volatile-ttl`)")
            }
            Self::TooLarge { bytes, largest } => {
                write!(f, "a text of {bytes} bytes exceeds the limit of {largest}")
            }
        }
    }
}

impl std::error::Error for StoreError {}

/// An invalid setting. The message describes the problem, and what to write instead.
#[derive(Clone, Debug, Eq, PartialEq)]
pub struct SettingError(pub(crate) String);

impl fmt::Display for SettingError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

impl std::error::Error for SettingError {}
