//! How long a text may get when it is restored: a few words can stand for very much.

/// Bytes that a text may come back as, for each of its own. What would break this is not written.
const GROWTH: usize = 256;

/// The bytes that a text may come back as.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Room(usize);

impl Room {
    /// The room that `text` has.
    #[must_use]
    pub fn of(text: &str) -> Self {
        Self::behind(text.len(), 0)
    }

    /// The room for what comes next, where `sent` bytes with it have come back as `came` without.
    #[must_use]
    pub fn behind(sent: usize, came: usize) -> Self {
        Self(sent.saturating_mul(GROWTH).saturating_sub(came))
    }

    /// The fewest bytes that have room for so many.
    #[must_use]
    pub fn least(came: usize) -> usize {
        came.div_ceil(GROWTH)
    }

    /// As many bytes as this, at most.
    #[must_use]
    pub fn bytes(self) -> usize {
        self.0
    }

    /// Nothing when so many bytes are too many.
    #[must_use]
    pub fn fits(self, bytes: usize) -> Option<()> {
        (bytes <= self.0).then_some(())
    }
}
