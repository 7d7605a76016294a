//! A response that may take several rounds with the upstream and is one to the client.

use std::pin::Pin;
use std::sync::Arc;
use std::task::{Context, Poll, ready};

use bytes::Bytes;
use http::header::{CONTENT_ENCODING, CONTENT_LENGTH, CONTENT_TYPE, HeaderMap, HeaderValue};
use http::request::Parts;
use http::{Request, Response, StatusCode};
use http_body::{Body, Frame};
use http_body_util::BodyExt;
use hyper::body::Incoming;
use tersely_wire::hidden::{Close, Framing, MOST, Turn, Usage, Watch};
use tokio::sync::OwnedSemaphorePermit;

use crate::body::{Held, Idle, Outgoing};
use crate::client::{Lane, Speaks};
use crate::error::{Error, Side};
use crate::llm::gate::Gate;
use crate::llm::rewrite::{Follow, Pending, Round};
use crate::llm::send::send;
use crate::upstream::Upstream;

/// How often a model is answered within one response.
const ROUNDS: usize = 5;

/// What further rounds take.
pub(crate) struct Again {
    pub(crate) gate: Arc<Gate>,
    pub(crate) upstream: Upstream,
    pub(crate) speaks: Speaks,
    /// The head of the request, as the upstream saw it.
    pub(crate) head: Parts,
    pub(crate) follow: Box<dyn Follow>,
    /// The room that the request takes, for it is kept until the response is over.
    pub(crate) held: Held,
    /// Bytes that answers may have, once one was asked for.
    pub(crate) room: Option<usize>,
}

/// How the response of an upstream comes, if it is one that can be watched.
pub(crate) fn framing<B>(response: &Response<B>) -> Option<Framing> {
    let headers = response.headers();
    let coded = headers.get(CONTENT_ENCODING).is_some_and(|coding| coding != "identity");
    let kind = headers.get(CONTENT_TYPE)?.to_str().ok()?.split(';').next()?.trim().to_ascii_lowercase();
    match kind.as_str() {
        _ if coded || !response.status().is_success() => None,
        "text/event-stream" => Some(Framing::Events),
        "application/json" => Some(Framing::Whole),
        _ => None,
    }
}

/// The body of such a response.
pub(crate) struct Rounds {
    watch: Box<dyn Watch>,
    framing: Framing,
    phase: Phase,
    /// Gone while a round is being asked for.
    again: Option<Box<Again>>,
    /// What the first round cost.
    first: Option<Usage>,
    count: usize,
    /// What was read and not passed on yet.
    begun: Vec<u8>,
    /// Why the latest round could not be had.
    failure: Option<Error>,
    added: HeaderMap,
    _running: OwnedSemaphorePermit,
}

enum Phase {
    /// The upstream speaks.
    Read(Source),
    /// It is asked to go on.
    Ask(Pending<'static, (Box<Again>, Result<Source, Error>)>),
    /// There is nothing more to say.
    Over,
}

/// A response that was waited for.
pub(crate) enum Gathered {
    /// All of it, and headers to add.
    Whole(Bytes, HeaderMap),
    /// So much of it that the rest goes on as it comes.
    Begun(Box<Rounds>),
}

/// A response of the upstream.
pub(crate) struct Source {
    pub(crate) body: Idle,
    pub(crate) _lane: Option<Lane>,
}

impl Rounds {
    /// A response whose first round is `source`.
    pub(crate) fn new(again: Again, framing: Framing, source: Source, running: OwnedSemaphorePermit) -> Self {
        Self {
            watch: again.follow.watch(framing),
            framing,
            phase: Phase::Read(source),
            again: Some(Box::new(again)),
            first: None,
            count: 0,
            begun: Vec::new(),
            failure: None,
            added: HeaderMap::new(),
            _running: running,
        }
    }

    /// All of it at once, with the headers that tell what its rounds cost, unless it is too long to be held.
    pub(crate) async fn gather(mut self) -> Result<Gathered, Error> {
        let mut all = Vec::new();
        while let Some(frame) = self.frame().await {
            if let Ok(data) = frame?.into_data() {
                all.extend_from_slice(&data);
            }
            // A watch holds no response longer than this: nothing hidden can be found in it any more.
            if all.len() > MOST {
                self.begun = all;
                return Ok(Gathered::Begun(Box::new(self)));
            }
        }
        match self.failure.take() {
            Some(error) => Err(error),
            None => Ok(Gathered::Whole(Bytes::from(all), std::mem::take(&mut self.added))),
        }
    }

    /// The upstream has said what it had to say.
    fn pause(&mut self, out: &mut Vec<u8>) {
        let turn = self.watch.end(out);
        let first = *self.first.get_or_insert(self.watch.spent());
        match (turn, self.again.take()) {
            (Some(turn), Some(again)) if self.count < ROUNDS => {
                self.count += 1;
                let round = if self.count < ROUNDS { Round::Open } else { Round::Last };
                self.phase = Phase::Ask(Box::pin(again.ask(self.framing, turn, round)));
            }
            (turn, again) => {
                if turn.is_some() {
                    self.watch.close(Close::Enough, out);
                }
                self.again = again;
                self.finish(first);
            }
        }
    }

    /// The upstream goes on, or cannot.
    fn resume(&mut self, again: Box<Again>, source: Result<Source, Error>, out: &mut Vec<u8>) {
        self.again = Some(again);
        match source {
            Ok(source) => self.phase = Phase::Read(source),
            Err(error) => {
                self.watch.close(Close::Failed(&error.message), out);
                self.failure = Some(error);
                self.finish(self.first.unwrap_or_default());
            }
        }
    }

    fn finish(&mut self, first: Usage) {
        self.phase = Phase::Over;
        if let Some(mut again) = self.again.take() {
            self.added = again.follow.over(first, self.watch.spent());
        }
    }
}

/// A client that leaves in the middle has caused the cost all the same.
impl Drop for Rounds {
    fn drop(&mut self) {
        self.finish(self.first.unwrap_or_default());
    }
}

impl Body for Rounds {
    type Data = Bytes;
    type Error = Error;

    fn poll_frame(
        mut self: Pin<&mut Self>,
        cx: &mut Context<'_>,
    ) -> Poll<Option<Result<Frame<Bytes>, Error>>> {
        let this = &mut *self;
        let mut out = std::mem::take(&mut this.begun);
        while out.is_empty() {
            match &mut this.phase {
                Phase::Read(source) => match ready!(Pin::new(&mut source.body).poll_frame(cx)) {
                    Some(Ok(frame)) => {
                        if let Ok(data) = frame.into_data() {
                            this.watch.see(&data, &mut out);
                        }
                    }
                    Some(Err(error)) => {
                        this.phase = Phase::Over;
                        return Poll::Ready(Some(Err(error)));
                    }
                    None => this.pause(&mut out),
                },
                Phase::Ask(asking) => {
                    let (again, source) = ready!(asking.as_mut().poll(cx));
                    this.resume(again, source, &mut out);
                }
                Phase::Over => return Poll::Ready(None),
            }
        }
        Poll::Ready(Some(Ok(Frame::data(Bytes::from(out)))))
    }
}

impl Again {
    /// Answers the model, and gives back what it says then.
    async fn ask(
        mut self: Box<Self>,
        framing: Framing,
        turn: Turn,
        round: Round,
    ) -> (Box<Self>, Result<Source, Error>) {
        let source = self.next(framing, turn, round).await;
        (self, source)
    }

    async fn next(&mut self, framing: Framing, turn: Turn, round: Round) -> Result<Source, Error> {
        let lost = || Error::us(StatusCode::BAD_GATEWAY, "what was left out cannot be shown; send it again");
        let room = *self.room.get_or_insert_with(|| self.held.grow(self.gate.settings.limits.memory));
        let body = self.follow.next(turn, round, room).await.ok_or_else(lost)?;
        let mut head = self.head.clone();
        head.headers.insert(CONTENT_LENGTH, HeaderValue::from(body.len()));
        let request = Request::from_parts(head, Outgoing::whole(body, None, Held::default()));
        let (response, lane) = send(&self.gate, &self.upstream, self.speaks, request).await?;
        if self::framing(&response) != Some(framing) {
            return Err(self.unwatched(&response));
        }
        Ok(Source { body: self.arriving(response), _lane: lane })
    }

    fn arriving(&self, response: Response<Incoming>) -> Idle {
        Idle::new(self.gate.settings.timeouts.idle, Side::Upstream, response.into_body())
    }

    /// An error with the upstream's own status, so that a client knows whether to come again.
    fn unwatched<B>(&self, response: &Response<B>) -> Error {
        let status = response.status();
        let told = if status.is_success() { StatusCode::BAD_GATEWAY } else { status };
        let message = format!("the upstream {} answered a further round with {status}", self.upstream);
        Error::of_upstream(told, message)
    }
}
