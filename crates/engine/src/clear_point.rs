//! A point at which a conversation was cleared.

/// A point at which a conversation was cleared.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub struct ClearPoint {
    /// The number of messages, without what the operator says first.
    pub messages: usize,
    /// The least number of tokens that a result has to cost to be cleared.
    pub least: usize,
}
