//! Defines a range of bytes in a text.

/// A range from a start byte to an end byte. Texts are at most one mebibyte long here, so 32 bits are enough.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Span {
    pub(super) start: u32,
    pub(super) end: u32,
}

impl Span {
    pub(super) fn new(start: usize, end: usize) -> Self {
        Self { start: start as u32, end: end as u32 }
    }

    pub(super) fn from(self) -> usize {
        self.start as usize
    }

    pub(super) fn to(self) -> usize {
        self.end as usize
    }

    pub(super) fn len(self) -> usize {
        (self.end - self.start) as usize
    }

    pub(super) fn is_empty(self) -> bool {
        self.start == self.end
    }

    /// The span without its first `first` and its last `last` bytes.
    pub(super) fn trim(self, first: usize, last: usize) -> Self {
        Self::new(self.from() + first, self.to() - last)
    }

    /// The bytes of the span. Comparing these needs no look at where characters begin.
    pub(super) fn bytes(self, text: &str) -> &[u8] {
        &text.as_bytes()[self.from()..self.to()]
    }

    pub(super) fn of(self, text: &str) -> &str {
        &text[self.from()..self.to()]
    }
}
