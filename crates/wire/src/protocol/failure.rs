//! A failure in the middle of a response.

/// Why the next round failed, for the client.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct RoundFailure<'a> {
    /// The status that a separate response would have.
    pub status: u16,
    /// The upstream's error type, if it gave one.
    pub kind: Option<&'a str>,
    /// The message.
    pub message: &'a str,
}
