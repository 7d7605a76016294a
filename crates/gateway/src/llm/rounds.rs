//! A response that may take several rounds with the upstream, but is a single response for the client.

use std::pin::Pin;
use std::sync::Arc;
use std::task::{Context, Poll, ready};

use bytes::Bytes;
use http::header::{CONTENT_LENGTH, HeaderMap, HeaderValue};
use http::request::Parts;
use http::{Request, Response, StatusCode};
use http_body::{Body, Frame};
use http_body_util::BodyExt;
use tersely_wire::hidden::{CloseReason, HiddenTurn, MAX_HELD_BYTES, ResponseFraming, ResponseWatch};

use crate::error::{Error, Side};
use crate::http::client::HttpVersions;
use crate::http::content_encoding::Coding;
use crate::http::hop_by_hop;
use crate::http::idle_timeout::TimedBody;
use crate::http::memory_budget::MemoryBudget;
use crate::http::request_body::OutgoingBody;
use crate::http::request_slots::RequestSlot;
use crate::http::response::Reply;
use crate::http::response_body::{UpstreamBody, declared_framing, remove_coding};
use crate::http::usage_tap::TapConfig;
use crate::llm::expansion::{Expansion, Round};
use crate::llm::rewrite::Pending;
use crate::llm::round_error::RoundError;
use crate::llm::send::send;
use crate::llm::state::GatewayState;
use crate::upstream::Upstream;

/// The maximum number of times that a model is answered within one response.
const MAX_ROUNDS: usize = 5;

/// The data that a further round needs.
pub(crate) struct NextRound {
    pub(crate) gate: Arc<GatewayState>,
    pub(crate) upstream: Upstream,
    pub(crate) versions: HttpVersions,
    /// The head of the request that was sent to the upstream.
    pub(crate) head: Parts,
    pub(crate) follow: Box<Expansion>,
    /// How the token usage in the responses is read.
    pub(crate) tap_config: Option<TapConfig>,
    /// The memory that the request uses until the response has ended.
    pub(crate) held: MemoryBudget,
    /// The maximum size of the answers in bytes, once the model has asked.
    pub(crate) room: Option<usize>,
}

/// The coding of a response, which must be decoded before it can be watched. We asked the upstream to use none.
///
/// # Errors
/// Fails if the coding is unknown: a call of the hidden tool must not be sent to a client that does not have the tool.
pub(crate) fn coding(upstream: &Upstream, headers: &HeaderMap) -> Result<Coding, Error> {
    match Coding::of(headers) {
        Coding::Other => {
            let message =
                format!("the upstream {upstream} answered in a content encoding that was not requested");
            Err(Error::of_upstream(StatusCode::BAD_GATEWAY, message))
        }
        coding => Ok(coding),
    }
}

/// The body of a watched response.
pub(crate) struct Rounds {
    watch: Box<dyn ResponseWatch>,
    framing: ResponseFraming,
    phase: Phase,
    /// The data for the next round; `None` while a round is being requested.
    again: Option<Box<NextRound>>,
    count: usize,
    /// Bytes that were read but not forwarded yet.
    begun: Vec<u8>,
    /// The reason why the latest round failed.
    round_error: Option<RoundError>,
    added: HeaderMap,
    slot: RequestSlot,
}

enum Phase {
    /// The framing of the upstream's response is not known yet.
    Look(UpstreamBody),
    /// The upstream's response is being read.
    Read(UpstreamBody),
    /// A further round is being requested.
    Ask(Pending<'static, (Box<NextRound>, Result<UpstreamBody, RoundError>)>),
    /// The response has ended.
    Over,
}

/// The result of gathering a response.
pub(crate) enum GatherOutcome {
    /// The whole response, and headers to add.
    Whole(Bytes, HeaderMap),
    /// The error that the upstream returned instead of a further round, and headers to add.
    Refused(Box<Response<Reply>>, HeaderMap),
    /// The response is too long to be buffered; the rest is streamed.
    Begun(Box<Rounds>),
}

impl Rounds {
    /// Creates a response whose first round is `arrival`. It has this framing, unless its first bytes show another.
    pub(crate) fn new(
        again: NextRound,
        framing: ResponseFraming,
        arrival: UpstreamBody,
        slot: RequestSlot,
    ) -> Self {
        Self {
            watch: again.follow.watch(framing),
            framing,
            phase: Phase::Look(arrival),
            again: Some(Box::new(again)),
            count: 0,
            begun: Vec::new(),
            round_error: None,
            added: HeaderMap::new(),
            slot,
        }
    }

    /// Collects the whole response and headers with the cost of its rounds, unless the response is too long to be
    /// buffered.
    pub(crate) async fn gather(mut self) -> Result<GatherOutcome, Error> {
        let mut all = Vec::new();
        while let Some(frame) = self.frame().await {
            if let Ok(data) = frame?.into_data() {
                all.extend_from_slice(&data);
            }
            // A watch buffers no more than this, so it cannot find a hidden call in the response any more.
            if all.len() > MAX_HELD_BYTES {
                self.begun = all;
                return Ok(GatherOutcome::Begun(Box::new(self)));
            }
        }
        let added = std::mem::take(&mut self.added);
        match self.round_error.take() {
            None => Ok(GatherOutcome::Whole(Bytes::from(all), added)),
            Some(RoundError { answer: Some(answer), .. }) => {
                let slot = std::mem::take(&mut self.slot);
                Ok(GatherOutcome::Refused(
                    Box::new(answer.map(|body| Reply::Theirs { body, _slot: slot })),
                    added,
                ))
            }
            Some(round_error) => Err(round_error.error),
        }
    }

    /// Starts reading, once the first bytes have shown the framing of the response.
    fn begin(&mut self, arrival: UpstreamBody, framing: ResponseFraming) {
        if let Some(again) = self.again.as_ref().filter(|_| framing != self.framing) {
            (self.watch, self.framing) = (again.follow.watch(framing), framing);
        }
        self.phase = Phase::Read(arrival);
    }

    /// Called when the upstream's response has ended: requests a further round if the model asked for text.
    fn pause(&mut self, out: &mut Vec<u8>) {
        let turn = self.watch.end(out);
        match (turn, self.again.take()) {
            (Some(turn), Some(again)) if self.count < MAX_ROUNDS => {
                self.count += 1;
                let round = if self.count < MAX_ROUNDS { Round::Open } else { Round::Last };
                self.phase = Phase::Ask(Box::pin(again.ask(self.framing, turn, round)));
            }
            (turn, again) => {
                if turn.is_some() {
                    self.watch.close(CloseReason::Enough, out);
                }
                self.again = again;
                self.finish();
            }
        }
    }

    /// Called when a further round has begun or failed.
    fn resume(
        &mut self,
        again: Box<NextRound>,
        arrival: Result<UpstreamBody, RoundError>,
        out: &mut Vec<u8>,
    ) {
        self.again = Some(again);
        match arrival {
            Ok(arrival) => self.phase = Phase::Read(arrival),
            Err(round_error) => {
                self.watch.close(CloseReason::Failed(round_error.failure()), out);
                self.round_error = Some(round_error);
                self.finish();
            }
        }
    }

    fn finish(&mut self) {
        // Dropping the body makes the tap record the usage read so far.
        self.phase = Phase::Over;
        if let Some(mut again) = self.again.take() {
            let bill = again.tap_config.map(|tap_config| tap_config.bill).unwrap_or_default();
            let end = again.follow.finish(bill.so_far().from(1));
            bill.fetch(end.fetched);
            self.added = end.headers;
        }
    }
}

/// Also reports the cost if the client disconnects early.
impl Drop for Rounds {
    fn drop(&mut self) {
        self.finish();
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
                Phase::Look(arrival) => {
                    let framing = ready!(arrival.poll_framing(cx));
                    let Phase::Look(arrival) = std::mem::replace(&mut this.phase, Phase::Over) else {
                        continue;
                    };
                    this.begin(arrival, framing?.unwrap_or(this.framing));
                }
                Phase::Read(arrival) => match ready!(Pin::new(arrival).poll_frame(cx)) {
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
                    let (again, arrival) = ready!(asking.as_mut().poll(cx));
                    this.resume(again, arrival, &mut out);
                }
                Phase::Over => return Poll::Ready(None),
            }
        }
        Poll::Ready(Some(Ok(Frame::data(Bytes::from(out)))))
    }
}

impl NextRound {
    /// Sends the answers to the model, and returns the model's next response.
    async fn ask(
        mut self: Box<Self>,
        framing: ResponseFraming,
        turn: HiddenTurn,
        round: Round,
    ) -> (Box<Self>, Result<UpstreamBody, RoundError>) {
        let arrival = self.next(framing, turn, round).await;
        (self, arrival)
    }

    async fn next(
        &mut self,
        framing: ResponseFraming,
        turn: HiddenTurn,
        round: Round,
    ) -> Result<UpstreamBody, RoundError> {
        let lost =
            || Error::us(StatusCode::BAD_GATEWAY, "the omitted text is unavailable; send the request again");
        let room =
            *self.room.get_or_insert_with(|| self.held.reserve_answers(self.gate.settings.limits.memory));
        let body = self.follow.next(turn, round, room).await.ok_or_else(lost)?;
        let mut head = self.head.clone();
        head.headers.insert(CONTENT_LENGTH, HeaderValue::from(body.len()));
        let request = Request::from_parts(head, OutgoingBody::whole(body, None, MemoryBudget::default()));
        let (response, permit) = send(&self.gate, &self.upstream, self.versions, request).await?;
        let (mut parts, body) = response.into_parts();
        let body = TimedBody::new(self.gate.settings.timeouts.idle, Side::Upstream, body);
        if !parts.status.is_success() {
            hop_by_hop::from_response(&mut parts.headers);
            // An error response with an unknown coding is forwarded unchanged, because it contains no hidden call.
            let coding = coding(&self.upstream, &parts.headers).unwrap_or(Coding::Identity);
            remove_coding(coding, &mut parts.headers);
            let arrival = UpstreamBody::new(coding, body, permit);
            return Err(RoundError::from_response(&self.upstream, Response::from_parts(parts, arrival)).await);
        }
        let tap = self.tap_config.as_ref().map(|tap_config| tap_config.on(Coding::Identity));
        let mut arrival =
            UpstreamBody::new(coding(&self.upstream, &parts.headers)?, body, permit).with_tap(tap);
        let found = arrival.framing().await?.or_else(|| declared_framing(&parts.headers));
        if found == Some(framing) {
            Ok(arrival)
        } else {
            Err(RoundError::unexpected_format(&self.upstream, parts.status))
        }
    }
}
