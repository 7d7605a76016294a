//! The bytes that are sent for a body.

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

#[cfg(test)]
mod tests {
    use super::*;

    /// Whether bytes are new says nothing about what is sent.
    #[test]
    fn equal_bytes_are_equal_bodies() {
        let (came, new) = (SentBody::Came(b"{}"), SentBody::New(Bytes::from_static(b"{}")));
        assert!(came == new);
        assert!(came != SentBody::New(Bytes::from_static(b"{ }")) && came != SentBody::Came(b""));
        assert_eq!((came.as_ref(), &*new), (&b"{}"[..], &b"{}"[..]));
        assert_eq!((came.into_owned(), new.into_owned()), (b"{}".to_vec(), b"{}".to_vec()));
    }
}
