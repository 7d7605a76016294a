//! The reasons why a body is forwarded unchanged although it should have been rewritten.

/// The reason why a request or a response was forwarded unchanged although it should have been rewritten.
#[derive(Clone, Copy, Debug, Eq, PartialEq)]
pub enum BypassReason {
    /// The rewrite panicked.
    Panicked,
    /// The rewrite took too long, or earlier rewrites still used all capacity.
    Late,
    /// Buffered bodies used all the memory that is allowed for them.
    Full,
    /// The content coding is unknown, or the body is not in the coding that its header declares.
    Coded,
    /// A signature or digest covers the body, so the upstream would reject a changed body.
    Signed,
}

impl BypassReason {
    /// The reason's name in headers.
    pub(crate) fn name(self) -> &'static str {
        match self {
            Self::Panicked => "panicked",
            Self::Late => "late",
            Self::Full => "full",
            Self::Coded => "coded",
            Self::Signed => "signed",
        }
    }
}
