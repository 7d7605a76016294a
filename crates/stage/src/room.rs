//! Limits the length of a restored text, since a few words can expand to very many.

/// Bytes that may be restored for each byte sent. A form that would exceed this is not written.
const MAX_GROWTH: usize = 256;

/// The most bytes that a text may be restored to.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Room(usize);

impl Room {
    /// The room of `text`.
    #[must_use]
    pub fn of(text: &str) -> Self {
        Self::behind(text.len(), 0)
    }

    /// The room for the next part, when `sent` bytes including it have restored `came` bytes so far.
    #[must_use]
    pub fn behind(sent: usize, came: usize) -> Self {
        Self(sent.saturating_mul(MAX_GROWTH).saturating_sub(came))
    }

    /// The fewest bytes with room for `came` bytes.
    #[must_use]
    pub fn least(came: usize) -> usize {
        came.div_ceil(MAX_GROWTH)
    }

    /// The room in bytes.
    #[must_use]
    pub fn bytes(self) -> usize {
        self.0
    }

    /// `None` when `bytes` exceed the room.
    #[must_use]
    pub fn fits(self, bytes: usize) -> Option<()> {
        (bytes <= self.0).then_some(())
    }
}
