//! A body with timeouts: for the next byte, and for the whole body.

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

/// How long a client may continue to send a refused body, so that it can read the error response.
const LINGER_TIMEOUT: Duration = Duration::from_secs(10);

/// A body that arrives at this rate never times out, whatever its length.
const STEADY_BYTES_PER_SECOND: u32 = 4 << 10;

/// Creates the error for a side that sends nothing for too long, or sends too slowly.
type Lateness = fn(Side) -> Error;

/// A body that ends with an error if it stalls or arrives too slowly.
///
/// The clock runs only while a frame is awaited, so time in which the reader pauses does not count.
pub(crate) struct TimedBody {
    body: Incoming,
    /// The timeout for the next byte.
    limit: Option<Duration>,
    /// The remaining time for the whole body: waiting reduces it, and received bytes increase it.
    total: Option<Duration>,
    side: Side,
    clock: Option<Pin<Box<Sleep>>>,
    /// The time since which a frame is awaited, and the error if it does not arrive in time.
    waiting: Option<(Instant, Lateness)>,
}

/// The body of a client's request, with the configured timeouts.
pub(crate) fn client_body(timeouts: &Timeouts, body: Incoming) -> TimedBody {
    TimedBody::new(Some(timeouts.body), Side::Client, body).within(timeouts.upload)
}

impl TimedBody {
    /// Wraps a body that `side` sends, with the timeout `limit` for each next byte.
    pub(crate) fn new(limit: Option<Duration>, side: Side, body: Incoming) -> Self {
        Self { body, limit, total: None, side, clock: None, waiting: None }
    }

    /// Adds the timeout `total` for the whole body, which does not apply to a body that arrives at a steady rate.
    pub(crate) fn within(self, total: Option<Duration>) -> Self {
        Self { total, ..self }
    }

    /// Reads and discards the rest of a refused body for a while: if the connection were closed while the client is
    /// still sending, the response could be lost.
    pub(crate) fn linger(mut self) {
        if !self.is_end_stream() {
            tokio::spawn(timeout(
                LINGER_TIMEOUT,
                async move { while let Some(Ok(_)) = self.frame().await {} },
            ));
        }
    }

    /// Returns the error once the time is up; starts the clock if it is not running.
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

    /// Updates the timeouts for a received frame.
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
