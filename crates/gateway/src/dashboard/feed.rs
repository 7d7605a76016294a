//! Streams the dashboard's figures as server-sent events whenever they change.

use std::pin::Pin;
use std::sync::Arc;
use std::task::{Context, Poll};
use std::time::Duration;

use bytes::Bytes;
use http::header::{CONTENT_TYPE, HeaderValue};
use http::{Response, StatusCode};
use http_body::{Body, Frame};
use tokio::select;
use tokio::sync::Semaphore;
use tokio::sync::mpsc::{Receiver, Sender, channel};
use tokio::time::{Instant, sleep};

use crate::dashboard::source::DashboardData;
use crate::dashboard::with_security_headers;
use crate::error::Error;
use crate::http::response::Reply;
use crate::shutdown::Shutdown;

/// How often the history is checked for changes. Other processes may write to it, so there is no notification.
const POLL_INTERVAL: Duration = Duration::from_secs(1);

/// How often a comment is sent when nothing changes, so that proxies keep the connection open.
const HEARTBEAT_INTERVAL: Duration = Duration::from_secs(15);

/// The maximum number of open streams. Each of them checks the history once per interval.
const MAX_FEEDS: usize = 16;

/// The time that a client has to read an event.
const SEND_TIMEOUT: Duration = Duration::from_secs(30);

/// The open streams.
pub(crate) struct Feeds(Arc<Semaphore>);

impl Feeds {
    pub(crate) fn new() -> Self {
        Self(Arc::new(Semaphore::new(MAX_FEEDS)))
    }

    /// Opens a stream that sends the figures now and whenever they change.
    ///
    /// # Errors
    /// Fails if too many streams are open.
    pub(crate) fn open(
        &self,
        shutdown: &Shutdown,
        data: Arc<DashboardData>,
    ) -> Result<Response<Reply>, Error> {
        let message = format!("{MAX_FEEDS} live feeds are already open; close one, or use /stats");
        let full = |_| Error::client(StatusCode::SERVICE_UNAVAILABLE, message);
        let place = Arc::clone(&self.0).try_acquire_owned().map_err(full)?;
        let (sender, receiver) = channel(1);
        shutdown.tasks.spawn(async move {
            let _place = place;
            tell(data, sender).await;
        });
        let mut response = with_security_headers(Response::new(Reply::Watched(Box::pin(Feed(receiver)))));
        response.headers_mut().insert(CONTENT_TYPE, HeaderValue::from_static("text/event-stream"));
        Ok(response)
    }
}

async fn tell(data: Arc<DashboardData>, to: Sender<Bytes>) {
    let (mut told, mut said) = (None, Instant::now());
    loop {
        let latest = data.latest().await.ok();
        let is_news = told.is_none() || latest != told;
        let words = if is_news {
            told = latest.or(Some(0));
            data.stats().await.ok().map(|text| [b"data: ", &text[..], b"\n\n"].concat())
        } else {
            (said.elapsed() >= HEARTBEAT_INTERVAL).then(|| b":\n\n".to_vec())
        };
        if let Some(words) = words {
            said = Instant::now();
            if to.send_timeout(words.into(), SEND_TIMEOUT).await.is_err() {
                return;
            }
        }
        select! {
            () = sleep(POLL_INTERVAL) => {}
            () = to.closed() => return,
        }
    }
}

/// The body of a stream.
struct Feed(Receiver<Bytes>);

impl Body for Feed {
    type Data = Bytes;
    type Error = Error;

    fn poll_frame(
        mut self: Pin<&mut Self>,
        cx: &mut Context<'_>,
    ) -> Poll<Option<Result<Frame<Bytes>, Error>>> {
        self.0.poll_recv(cx).map(|words| words.map(|words| Ok(Frame::data(words))))
    }
}
