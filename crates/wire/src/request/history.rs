//! Where the rest of a conversation is stored.

/// Where a conversation is stored.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum HistoryPlace {
    /// In this request; the next request repeats it.
    Here,
    /// In this request, but the next request may refer to it by id.
    Named,
    /// At the provider: this request refers to it by id.
    Elsewhere,
}

impl HistoryPlace {
    /// True when the provider stores the conversation, so that a later request can continue it by id.
    #[must_use]
    pub fn is_kept(self) -> bool {
        self != Self::Here
    }
}
