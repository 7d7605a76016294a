//! Why a body was forwarded unchanged though it should have been rewritten.

/// Why a request, or the response to one, was forwarded unchanged though it should have been rewritten.
#[derive(Clone, Copy, Debug, Eq, PartialEq)]
pub enum BypassReason {
    /// The rewrite panicked.
    Panicked,
    /// The rewrite took too long, or earlier ones still use all capacity.
    Late,
    /// Buffered bodies use all memory.
    Full,
    /// The content coding is unknown, or not the one that the header names.
    Coded,
    /// A signature or digest covers the body, so the upstream would refuse a changed one.
    Signed,
}

impl BypassReason {
    /// Its name in headers.
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
