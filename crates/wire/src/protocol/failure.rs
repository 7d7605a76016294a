//! A failure in the middle of a response.

/// Why the next round failed, in terms that can be reported to the client.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct RoundFailure<'a> {
    /// The HTTP status that the error would have as a response of its own.
    pub status: u16,
    /// The upstream's error type, if the upstream gave one.
    pub kind: Option<&'a str>,
    /// The error message.
    pub message: &'a str,
}
