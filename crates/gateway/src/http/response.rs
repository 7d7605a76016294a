//! The body of a response to a client.

use std::pin::Pin;
use std::task::{Context, Poll};

use bytes::Bytes;
use http_body::{Body, Frame, SizeHint};

use crate::error::Error;
use crate::http::request_slots::RequestSlot;
use crate::http::response_body::UpstreamBody;

/// The body of a response to a client.
pub(crate) enum Reply {
    /// A body that we wrote.
    Ours(Option<Bytes>),
    /// A body from an upstream. Its request counts as in progress until the body has been sent.
    Theirs { body: UpstreamBody, _slot: RequestSlot },
    /// A stream that we produce, which may join several responses of an upstream.
    Watched(Pin<Box<dyn Body<Data = Bytes, Error = Error> + Send>>),
}

impl Body for Reply {
    type Data = Bytes;
    type Error = Error;

    fn poll_frame(
        mut self: Pin<&mut Self>,
        cx: &mut Context<'_>,
    ) -> Poll<Option<Result<Frame<Bytes>, Error>>> {
        match &mut *self {
            Self::Ours(text) => Poll::Ready(text.take().map(|text| Ok(Frame::data(text)))),
            Self::Theirs { body, .. } => Pin::new(body).poll_frame(cx),
            Self::Watched(rounds) => rounds.as_mut().poll_frame(cx),
        }
    }

    fn is_end_stream(&self) -> bool {
        match self {
            Self::Ours(text) => text.is_none(),
            Self::Theirs { body, .. } => body.is_end_stream(),
            Self::Watched(rounds) => rounds.is_end_stream(),
        }
    }

    fn size_hint(&self) -> SizeHint {
        match self {
            Self::Ours(text) => SizeHint::with_exact(text.as_ref().map_or(0, |text| text.len() as u64)),
            Self::Theirs { body, .. } => body.size_hint(),
            Self::Watched(rounds) => rounds.size_hint(),
        }
    }
}
