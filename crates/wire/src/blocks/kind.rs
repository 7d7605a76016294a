//! What a content block is to us.

/// What a content block is to us.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum BlockKind {
    /// A call of the hidden tool.
    Hidden,
    /// A call that the client answers.
    Call,
    /// What the model thinks.
    Thought,
    /// What it says.
    Text,
    /// Anything else, such as what the provider's own tools did.
    Other,
}
