//! Why something went on as it came, though it was wanted.

/// Why a wanted request, or an answer to one, went on as it came.
#[derive(Clone, Copy, Debug, Eq, PartialEq)]
pub enum BypassReason {
    /// The rewrite panicked.
    Panicked,
    /// The rewrite took too long, or earlier ones still do.
    Late,
    /// Too many bytes of other bodies were held.
    Full,
    /// Its content coding is not known, or not what it says.
    Coded,
    /// A signature or a digest covers the body, and another would be refused.
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
