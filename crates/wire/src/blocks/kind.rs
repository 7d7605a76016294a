//! Kinds of content blocks.

/// The kind of a content block.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum BlockKind {
    /// A call of the hidden tool.
    Hidden,
    /// A call that the client must answer.
    Call,
    /// Reasoning.
    Thought,
    /// Text.
    Text,
    /// Anything else, such as a result of one of the provider's own tools.
    Other,
}
