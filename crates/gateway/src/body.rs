//! Bodies on their way: streamed, whole, or begun and then streamed, none of them waited for without end.

use std::pin::Pin;
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::task::{Context, Poll};
use std::time::Duration;

use bytes::Bytes;
use http::HeaderMap;
use http_body::{Body, Frame, SizeHint};
use http_body_util::BodyExt;
use hyper::body::Incoming;
use tokio::sync::OwnedSemaphorePermit;
use tokio::time::{Instant, Sleep, sleep, timeout};

use crate::arrival::Arrival;
use crate::error::{Error, Side};
use crate::llm::Rounds;

/// How long a client may go on sending a body that has been refused, so that it gets to read why.
const LINGER: Duration = Duration::from_secs(10);

/// Bytes in a second at which a body never takes too long, however long it is.
const STEADY: u32 = 4 << 10;

/// What is said of a side that sends nothing for too long, or too little.
type Lateness = fn(Side) -> Error;

/// A body that ends in an error when nothing comes for too long, or too little.
///
/// The clock runs only while a frame is waited for: a reader that pauses does not count against the sender.
pub(crate) struct Idle {
    body: Incoming,
    /// For the next byte.
    limit: Option<Duration>,
    /// For all of them; what was waited for is taken off, and what came adds to it.
    total: Option<Duration>,
    side: Side,
    clock: Option<Pin<Box<Sleep>>>,
    /// Since when the next frame is waited for, and what is to be said if it does not come in time.
    waiting: Option<(Instant, Lateness)>,
}

impl Idle {
    /// The body that `side` sends, with at most `limit` between two bytes.
    pub(crate) fn new(limit: Option<Duration>, side: Side, body: Incoming) -> Self {
        Self { body, limit, total: None, side, clock: None, waiting: None }
    }

    /// The same, with at most so much time for the whole, unless it comes at a steady rate.
    pub(crate) fn within(self, total: Option<Duration>) -> Self {
        Self { total, ..self }
    }

    /// Throws away, for a while, what still comes of a body that nobody wants: a connection that closes on a sending
    /// client would take the answer with it.
    pub(crate) fn linger(mut self) {
        if !self.is_end_stream() {
            tokio::spawn(timeout(LINGER, async move { while let Some(Ok(_)) = self.frame().await {} }));
        }
    }

    /// What is wrong when the time is up; starts the clock when it does not run.
    fn lateness(&mut self, cx: &mut Context<'_>) -> Option<Error> {
        let (limit, fault) = match (self.limit, self.total) {
            (Some(limit), Some(total)) if limit < total => (limit, Error::late as Lateness),
            (_, Some(total)) => (total, Error::slow as Lateness),
            (limit, None) => (limit?, Error::late as Lateness),
        };
        let clock = self.clock.get_or_insert_with(|| Box::pin(sleep(limit)));
        if self.waiting.is_none() {
            clock.as_mut().reset(Instant::now() + limit);
        }
        let (_, fault) = *self.waiting.get_or_insert_with(|| (Instant::now(), fault));
        clock.as_mut().poll(cx).is_ready().then(|| fault(self.side))
    }

    /// Something has come.
    fn note(&mut self, frame: &Frame<Bytes>) {
        let waited = self.waiting.take().map_or(Duration::ZERO, |(since, _)| since.elapsed());
        let length = frame.data_ref().map_or(0, Bytes::len);
        let earned = Duration::from_secs(1) / STEADY * u32::try_from(length).unwrap_or(u32::MAX);
        self.total = self.total.map(|total| total.saturating_sub(waited).saturating_add(earned));
    }
}

impl Body for Idle {
    type Data = Bytes;
    type Error = Error;

    fn poll_frame(
        mut self: Pin<&mut Self>,
        cx: &mut Context<'_>,
    ) -> Poll<Option<Result<Frame<Bytes>, Error>>> {
        match Pin::new(&mut self.body).poll_frame(cx) {
            Poll::Ready(Some(Ok(frame))) => {
                self.note(&frame);
                Poll::Ready(Some(Ok(frame)))
            }
            Poll::Ready(other) => {
                Poll::Ready(other.map(|frame| frame.map_err(|error| Error::broken(self.side, error))))
            }
            Poll::Pending => self.lateness(cx).map_or(Poll::Pending, |late| Poll::Ready(Some(Err(late)))),
        }
    }

    fn is_end_stream(&self) -> bool {
        self.body.is_end_stream()
    }

    fn size_hint(&self) -> SizeHint {
        self.body.size_hint()
    }
}

/// What goes to an upstream: what has been read, then what has not.
#[derive(Default)]
pub(crate) struct Outgoing {
    read: Option<Bytes>,
    rest: Option<Idle>,
    trailers: Option<HeaderMap>,
    _held: Option<Held>,
}

impl Outgoing {
    /// A body that is passed on as it comes.
    pub(crate) fn stream(rest: Idle) -> Self {
        Self { rest: Some(rest), ..Self::default() }
    }

    /// A body that is all here.
    pub(crate) fn whole(read: Bytes, trailers: Option<HeaderMap>, held: Held) -> Self {
        Self { read: Some(read), rest: None, trailers, _held: Some(held) }
    }

    /// A body of which only the beginning was read.
    pub(crate) fn begun(read: Bytes, rest: Idle, held: Held) -> Self {
        Self { read: Some(read), rest: Some(rest), trailers: None, _held: Some(held) }
    }

    /// True when the client is still sending.
    pub(crate) fn is_streamed(&self) -> bool {
        self.rest.as_ref().is_some_and(|rest| !rest.is_end_stream())
    }
}

impl Body for Outgoing {
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
        // An exact length would be sent as one, and leave no place for trailers.
        if let Some(upper) = rest.upper().filter(|_| self.trailers.is_none()) {
            hint.set_upper(upper + read);
        }
        hint
    }
}

/// What answers may have however short the request is: it may name texts that were kept elsewhere.
const ELSEWHERE: usize = 4 << 20;

/// Room that bodies take, counted over all of them; given back when dropped.
#[derive(Default)]
pub(crate) struct Held {
    total: Arc<AtomicUsize>,
    mine: usize,
}

impl Held {
    /// Nothing as yet, of a total that others share.
    pub(crate) fn new(total: &Arc<AtomicUsize>) -> Self {
        Self { total: Arc::clone(total), mine: 0 }
    }

    /// Takes `bytes` more; false when that is more than `limit` over all.
    pub(crate) fn take(&mut self, limit: usize, bytes: usize) -> bool {
        self.mine += bytes;
        self.total.fetch_add(bytes, Ordering::Relaxed) + bytes <= limit
    }

    /// Takes room for further rounds of a request that takes all of this so far, and gives how many bytes answers may
    /// have. What was forwarded and what was left out of it are at hand from then on, whatever the limit says; answers
    /// get what is left below it, at most as much as the request itself.
    pub(crate) fn grow(&mut self, limit: usize) -> usize {
        let request = self.mine;
        self.take(limit, 2 * request);
        let left = limit.saturating_sub(self.total.load(Ordering::Relaxed)).min(request.max(ELSEWHERE));
        self.take(limit, left);
        left
    }
}

impl Drop for Held {
    fn drop(&mut self) {
        self.total.fetch_sub(self.mine, Ordering::Relaxed);
    }
}

/// What goes back to a client.
pub(crate) enum Reply {
    /// Said by us.
    Ours(Option<Bytes>),
    /// Said by an upstream; the request counts as running until it has been said.
    Theirs { body: Arrival, _running: Option<OwnedSemaphorePermit> },
    /// Said by an upstream in several rounds, perhaps.
    Watched(Box<Rounds>),
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
            Self::Watched(rounds) => Pin::new(rounds).poll_frame(cx),
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
