//! What goes back to a client: words of ours, an upstream's, or those of several rounds.

use std::pin::Pin;
use std::task::{Context, Poll};

use bytes::Bytes;
use http_body::{Body, Frame, SizeHint};

use crate::error::Error;
use crate::http::request_slots::RequestSlot;
use crate::http::response_body::UpstreamBody;

/// What goes back to a client.
pub(crate) enum Reply {
    /// Said by us.
    Ours(Option<Bytes>),
    /// Said by an upstream; the request counts as running until it has been said.
    Theirs { body: UpstreamBody, _slot: RequestSlot },
    /// Said by an upstream in several rounds, perhaps.
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
