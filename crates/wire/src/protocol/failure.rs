//! A failure in the middle of a response, to be written in the format of its stream.

/// Why the rest of a response could not be had, for its client to read.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct RoundFailure<'a> {
    /// The status that a response of its own would have.
    pub status: u16,
    /// The upstream's word for it, if it had one.
    pub kind: Option<&'a str>,
    /// What happened, in words.
    pub message: &'a str,
}
