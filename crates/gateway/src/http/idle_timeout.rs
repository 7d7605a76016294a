//! A body with an idle timeout.

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

/// How long a client may go on sending a refused body, so that it can read the refusal.
const LINGER_TIMEOUT: Duration = Duration::from_secs(10);

/// A body that arrives at this rate never takes too long, whatever its length.
const STEADY_BYTES_PER_SECOND: u32 = 4 << 10;

/// Makes the error for a side that sends nothing, or too little, for too long.
type Lateness = fn(Side) -> Error;

/// A body that ends in an error if it stalls, or arrives too slowly.
///
/// The clock runs only while a frame is awaited: a reader that pauses does not count against the sender.
pub(crate) struct TimedBody {
    body: Incoming,
    /// For the next byte.
    limit: Option<Duration>,
    /// For the whole body; waiting reduces it, and received bytes add to it.
    total: Option<Duration>,
    side: Side,
    clock: Option<Pin<Box<Sleep>>>,
    /// Since when the next frame is awaited, and the error if it does not arrive in time.
    waiting: Option<(Instant, Lateness)>,
}

/// The body of a client's request, with the configured timeouts.
pub(crate) fn client_body(timeouts: &Timeouts, body: Incoming) -> TimedBody {
    TimedBody::new(Some(timeouts.body), Side::Client, body).within(timeouts.upload)
}

impl TimedBody {
    /// The body that `side` sends, with at most `limit` between two bytes.
    pub(crate) fn new(limit: Option<Duration>, side: Side, body: Incoming) -> Self {
        Self { body, limit, total: None, side, clock: None, waiting: None }
    }

    /// The same, with at most `total` for the whole body, unless it arrives at a steady rate.
    pub(crate) fn within(self, total: Option<Duration>) -> Self {
        Self { total, ..self }
    }

    /// Reads and discards the rest of a refused body for a while: closing the connection on a client that is still
    /// sending could lose the response.
    pub(crate) fn linger(mut self) {
        if !self.is_end_stream() {
            tokio::spawn(timeout(
                LINGER_TIMEOUT,
                async move { while let Some(Ok(_)) = self.frame().await {} },
            ));
        }
    }

    /// The error once the time is up; starts the clock if it does not run.
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

    /// Accounts for a received frame.
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
