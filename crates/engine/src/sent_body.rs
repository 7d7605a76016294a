//! The bytes that are sent for a body, and how they are put together.

use std::ops::{Deref, Range};

use bytes::Bytes;

/// The bytes to send: the client's own, or new ones.
#[derive(Debug, Clone)]
pub enum SentBody<'b> {
    /// The client's bytes; nothing was changed.
    Came(&'b [u8]),
    /// New bytes.
    New(Bytes),
}

impl SentBody<'_> {
    /// The bytes, without a borrow of the client's.
    #[must_use]
    pub fn into_owned(self) -> Vec<u8> {
        match self {
            Self::Came(bytes) => bytes.to_vec(),
            Self::New(bytes) => bytes.into(),
        }
    }
}

impl Deref for SentBody<'_> {
    type Target = [u8];

    fn deref(&self) -> &[u8] {
        match self {
            Self::Came(bytes) => bytes,
            Self::New(bytes) => bytes,
        }
    }
}

impl PartialEq for SentBody<'_> {
    fn eq(&self, other: &Self) -> bool {
        **self == **other
    }
}

impl AsRef<[u8]> for SentBody<'_> {
    fn as_ref(&self) -> &[u8] {
        self
    }
}

/// A range of a body, and the bytes that replace it.
pub(crate) type BodyEdit = (Range<usize>, Bytes);

/// The body with these edits, which are in order and apart. Every other byte is copied.
pub(crate) fn patch(body: &[u8], edits: &[BodyEdit]) -> Vec<u8> {
    let grown: usize = edits.iter().map(|(_, bytes)| bytes.len()).sum();
    let cut: usize = edits.iter().map(|(span, _)| span.len()).sum();
    let mut new = Vec::with_capacity((body.len() + grown).saturating_sub(cut));
    let mut from = 0;
    for (span, bytes) in edits {
        new.extend_from_slice(&body[from..span.start]);
        new.extend_from_slice(bytes);
        from = span.end;
    }
    new.extend_from_slice(&body[from..]);
    new
}

/// Puts edits in order, and drops those that overlap an earlier one.
pub(crate) fn in_order(mut edits: Vec<BodyEdit>) -> Vec<BodyEdit> {
    edits.sort_by_key(|(span, _)| span.start);
    let mut from = 0;
    edits.retain(|(span, _)| {
        let fits = span.start >= from;
        from = if fits { span.end } else { from };
        fits
    });
    edits
}
