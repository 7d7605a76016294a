//! Says where the rest of a conversation is.

/// Where a conversation is.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum HistoryPlace {
    /// All of it is in the request, and will be in the next.
    Here,
    /// All of it is in the request, but the next may only name it.
    Named,
    /// The request names what came before it: the provider has it.
    Elsewhere,
}

impl HistoryPlace {
    /// True when the provider keeps it, so that a later request can go on from it by its name.
    #[must_use]
    pub fn is_kept(self) -> bool {
        self != Self::Here
    }
}
