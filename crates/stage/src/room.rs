//! Limits the length of a restored text, because a few words can expand to a very long text.

/// The maximum number of bytes restored for each byte sent. A form that would exceed this is not written.
const MAX_GROWTH: usize = 256;

/// The maximum number of bytes that a text may be restored to.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Room(usize);

impl Room {
    /// The room for restoring `text`.
    #[must_use]
    pub fn of(text: &str) -> Self {
        Self::behind(text.len(), 0)
    }

    /// The room for the next part, when `sent` bytes have been sent, including that part, and `came` bytes are restored
    /// so far.
    #[must_use]
    pub fn behind(sent: usize, came: usize) -> Self {
        Self(sent.saturating_mul(MAX_GROWTH).saturating_sub(came))
    }

    /// The minimum number of sent bytes that has room for `came` restored bytes.
    #[must_use]
    pub fn least(came: usize) -> usize {
        came.div_ceil(MAX_GROWTH)
    }

    /// The room as a number of bytes.
    #[must_use]
    pub fn bytes(self) -> usize {
        self.0
    }

    /// Returns `None` when `bytes` exceeds the room.
    #[must_use]
    pub fn fits(self, bytes: usize) -> Option<()> {
        (bytes <= self.0).then_some(())
    }
}
