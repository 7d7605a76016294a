//! Counts the answers that are under way on a connection, so that one on which nothing happens can be closed.

use std::pin::Pin;
use std::task::{Context, Poll};
use std::time::Duration;

use bytes::Bytes;
use http_body::{Body, Frame, SizeHint};
use tokio::sync::watch;
use tokio::time::timeout;

use crate::error::Error;
use crate::reply::Reply;

/// How many answers of a connection are under way.
#[derive(Clone, Default)]
pub(crate) struct Pulse(watch::Sender<usize>);

/// An answer under way.
pub(crate) struct Beat(Pulse);

/// An answer's body; it is under way until all of it has been sent.
pub(crate) struct Beating {
    pub(crate) reply: Reply,
    pub(crate) _beat: Beat,
}

impl Pulse {
    /// One more.
    pub(crate) fn beat(&self) -> Beat {
        self.0.send_modify(|count| *count += 1);
        Beat(self.clone())
    }

    /// Waits until nothing has been under way for so long.
    pub(crate) async fn rest(&self, limit: Duration) {
        let mut count = self.0.subscribe();
        loop {
            // There is always one who sends: this one.
            let _ = count.wait_for(|count| *count == 0).await;
            if timeout(limit, count.changed()).await.is_err() {
                return;
            }
        }
    }
}

impl Drop for Beat {
    fn drop(&mut self) {
        self.0.0.send_modify(|count| *count -= 1);
    }
}

impl Body for Beating {
    type Data = Bytes;
    type Error = Error;

    fn poll_frame(
        mut self: Pin<&mut Self>,
        cx: &mut Context<'_>,
    ) -> Poll<Option<Result<Frame<Bytes>, Error>>> {
        Pin::new(&mut self.reply).poll_frame(cx)
    }

    fn is_end_stream(&self) -> bool {
        self.reply.is_end_stream()
    }

    fn size_hint(&self) -> SizeHint {
        self.reply.size_hint()
    }
}
