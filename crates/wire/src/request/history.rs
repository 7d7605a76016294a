//! Where the rest of a conversation is stored.

/// Where a conversation is stored.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum HistoryPlace {
    /// In the request, and in the next one.
    Here,
    /// In the request, but the next one may refer to it by id.
    Named,
    /// At the provider: the request refers to it by id.
    Elsewhere,
}

impl HistoryPlace {
    /// True when the provider stores it, so that a later request can continue it by id.
    #[must_use]
    pub fn is_kept(self) -> bool {
        self != Self::Here
    }
}
