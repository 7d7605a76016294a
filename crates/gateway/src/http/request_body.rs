//! The body of a request to an upstream: buffered, streamed, or both in part.

use std::pin::Pin;
use std::task::{Context, Poll};

use bytes::Bytes;
use http::HeaderMap;
use http_body::{Body, Frame, SizeHint};

use crate::error::Error;
use crate::http::idle_timeout::TimedBody;
use crate::http::memory_budget::MemoryBudget;

/// The body of a request to an upstream: the buffered part, then the rest as it arrives.
#[derive(Default)]
pub(crate) struct OutgoingBody {
    read: Option<Bytes>,
    rest: Option<TimedBody>,
    trailers: Option<HeaderMap>,
    _held: Option<MemoryBudget>,
}

impl OutgoingBody {
    /// A body that is streamed.
    pub(crate) fn stream(rest: TimedBody) -> Self {
        Self { rest: Some(rest), ..Self::default() }
    }

    /// A body that is completely buffered.
    pub(crate) fn whole(read: Bytes, trailers: Option<HeaderMap>, held: MemoryBudget) -> Self {
        Self { read: Some(read), rest: None, trailers, _held: Some(held) }
    }

    /// A body whose beginning is buffered and whose rest is streamed.
    pub(crate) fn partial(read: Bytes, rest: TimedBody, held: MemoryBudget) -> Self {
        Self { read: Some(read), rest: Some(rest), trailers: None, _held: Some(held) }
    }

    /// True if the client is still sending the body.
    pub(crate) fn is_streamed(&self) -> bool {
        self.rest.as_ref().is_some_and(|rest| !rest.is_end_stream())
    }
}

impl Body for OutgoingBody {
    type Data = Bytes;
    type Error = Error;

    fn poll_frame(
        mut self: Pin<&mut Self>,
        cx: &mut Context<'_>,
    ) -> Poll<Option<Result<Frame<Bytes>, Error>>> {
        if let Some(read) = self.read.take().filter(|read| !read.is_empty()) {
            return Poll::Ready(Some(Ok(Frame::data(read))));
        }
        match &mut self.rest {
            Some(rest) => Pin::new(rest).poll_frame(cx),
            None => Poll::Ready(self.trailers.take().map(|trailers| Ok(Frame::trailers(trailers)))),
        }
    }

    fn is_end_stream(&self) -> bool {
        let read = self.read.as_ref().is_none_or(Bytes::is_empty) && self.trailers.is_none();
        read && self.rest.as_ref().is_none_or(Body::is_end_stream)
    }

    fn size_hint(&self) -> SizeHint {
        let read = self.read.as_ref().map_or(0, |read| read.len() as u64);
        let rest = self.rest.as_ref().map_or_else(|| SizeHint::with_exact(0), Body::size_hint);
        let mut hint = SizeHint::new();
        hint.set_lower(rest.lower() + read);
        // With an exact length, Content-Length would be sent, and then trailers could not be.
        if let Some(upper) = rest.upper().filter(|_| self.trailers.is_none()) {
            hint.set_upper(upper + read);
        }
        hint
    }
}
