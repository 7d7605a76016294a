//! A body that is not waited for without end.

use std::pin::Pin;
use std::task::{Context, Poll};
use std::time::Duration;

use bytes::Bytes;
use http_body::{Body, Frame, SizeHint};
use http_body_util::BodyExt;
use hyper::body::Incoming;
use tokio::time::{Instant, Sleep, sleep, timeout};

use crate::error::{Error, Side};
use crate::settings::Timeouts;

/// How long a client may go on sending a body that has been refused, so that it gets to read why.
const LINGER_TIMEOUT: Duration = Duration::from_secs(10);

/// Bytes in a second at which a body never takes too long, however long it is.
const STEADY_BYTES_PER_SECOND: u32 = 4 << 10;

/// What is said of a side that sends nothing for too long, or too little.
type Lateness = fn(Side) -> Error;

/// A body that ends in an error when nothing comes for too long, or too little.
///
/// The clock runs only while a frame is waited for: a reader that pauses does not count against the sender.
pub(crate) struct TimedBody {
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

/// The body of a client's request, with the timeouts that are set for those.
pub(crate) fn client_body(timeouts: &Timeouts, body: Incoming) -> TimedBody {
    TimedBody::new(Some(timeouts.body), Side::Client, body).within(timeouts.upload)
}

impl TimedBody {
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
            tokio::spawn(timeout(
                LINGER_TIMEOUT,
                async move { while let Some(Ok(_)) = self.frame().await {} },
            ));
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
        let earned =
            Duration::from_secs(1) / STEADY_BYTES_PER_SECOND * u32::try_from(length).unwrap_or(u32::MAX);
        self.total = self.total.map(|total| total.saturating_sub(waited).saturating_add(earned));
    }
}

impl Body for TimedBody {
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
            Poll::Ready(other) => Poll::Ready(
                other.map(|frame| frame.map_err(|error| Error::incomplete_body(self.side, error))),
            ),
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
