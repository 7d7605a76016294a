//! Says why a text could not be kept or looked up, in words a person can act on.

use std::fmt;
use std::time::Duration;

/// Why a call came to nothing. Never names a text, an id or a tenant.
#[derive(Clone, Debug, Eq, PartialEq)]
pub enum StoreError {
    /// It cannot be reached, or refuses us; what it or the network said.
    Down(String),
    /// It could not be reached a moment ago and is left alone for now.
    Resting,
    /// It did not answer within the deadline.
    Slow(Duration),
    /// As many calls as may be are under way.
    Busy(usize),
    /// Its memory is used up.
    Full,
    /// The text is longer than what may be kept.
    TooLarge {
        /// How long the text is, in bytes.
        bytes: usize,
        /// How long it may be.
        largest: usize,
    },
}

impl fmt::Display for StoreError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Down(why) => write!(
                f,
                "the store cannot be used ({why}): check its address, its credentials and that it runs"
            ),
            Self::Resting => f.write_str("the store failed a moment ago; retrying within a second"),
            Self::Slow(deadline) => write!(
                f,
                "the store did not answer within {} ms: check its load and the network, or allow it more",
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

/// A setting that does not work: what is wrong with it and what to write instead.
#[derive(Clone, Debug, Eq, PartialEq)]
pub struct SettingError(pub(crate) String);

impl fmt::Display for SettingError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

impl std::error::Error for SettingError {}
