//! A body whose frames the test sends one by one.

use std::pin::Pin;
use std::task::{Context, Poll};

use bytes::Bytes;
use http_body::{Body, Frame};
use tokio::sync::mpsc;

/// Sends frames to a body; when dropped, the body ends.
pub(crate) struct Frames(mpsc::Sender<Result<Frame<Bytes>, &'static str>>);

/// A body fed by a test.
pub(crate) struct Feed(mpsc::Receiver<Result<Frame<Bytes>, &'static str>>);

/// A body, and its sender.
pub(crate) fn feed() -> (Frames, Feed) {
    let (frames, body) = mpsc::channel(1);
    (Frames(frames), Feed(body))
}

impl Frames {
    /// Sends a chunk, once the previous one has been taken.
    pub(crate) async fn say(&self, text: impl Into<Bytes>) {
        self.0.send(Ok(Frame::data(text.into()))).await.expect("someone who listens");
    }

    /// Ends the body with a trailer.
    pub(crate) async fn sign(self, value: &str) {
        let trailers = [("x-end".parse().unwrap(), value.parse().unwrap())].into_iter().collect();
        self.0.send(Ok(Frame::trailers(trailers))).await.expect("someone who listens");
    }

    /// Breaks the body off.
    pub(crate) async fn fail(self) {
        self.0.send(Err("broken off")).await.expect("someone who listens");
    }

    /// Waits until the body is dropped.
    pub(crate) async fn closed(&self) {
        self.0.closed().await;
    }

    pub(crate) fn is_closed(&self) -> bool {
        self.0.is_closed()
    }
}

impl Body for Feed {
    type Data = Bytes;
    type Error = &'static str;

    fn poll_frame(
        mut self: Pin<&mut Self>,
        cx: &mut Context<'_>,
    ) -> Poll<Option<Result<Frame<Bytes>, &'static str>>> {
        self.0.poll_recv(cx)
    }
}
