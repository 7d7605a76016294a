//! The answer to a call.

/// The answer to a call.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct CallReply {
    /// A JSON object: what was saved, and the like.
    pub about: String,
    /// A text, or JSON.
    pub payload: Vec<u8>,
}
