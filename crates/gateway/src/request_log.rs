//! A request from its head to the last byte of its answer, and what is told of it.
//!
//! Doors leave what they know in the extensions of an answer; whoever serves the connection tells it when the answer has
//! been sent, or nobody waits for it any more.

use std::pin::Pin;
use std::sync::Arc;
use std::task::{Context, Poll};
use std::time::{Duration, Instant};

use bytes::Bytes;
use http::header::{CONTENT_TYPE, HeaderMap, HeaderName, HeaderValue};
use http::{Extensions, Request, Response};
use http_body::{Body, Frame, SizeHint};
use tersely_account::{FetchSum, GroupSum, ResultRecord, ShownName, UsageRounds};
use tersely_engine::Report;
use tersely_telemetry::{RequestEnd, RequestEvent, RunningStream, Telemetry, Verb};

use crate::bypass::BypassReason;
use crate::error::{Error, Side};
use crate::http::connection_activity::Beat;
use crate::http::response::Reply;
use crate::http::trace_context;
use crate::http::usage_tap::{BillSoFar, RunningBill};
use crate::http::user_agent;

/// The number of a request, which the log has too.
const ID: HeaderName = HeaderName::from_static("x-tersely-request-id");

/// What doors know of a request.
#[derive(Clone, Debug, Default)]
pub(crate) struct Known {
    /// Whose API it used.
    pub(crate) provider: Option<&'static str>,
    /// The model that it named.
    pub(crate) model: Option<ShownName>,
    /// Whose fault it was, and which, unless the client knows better.
    pub(crate) fault: Option<(Side, Arc<str>)>,
    /// Why it went on as it came.
    pub(crate) missed: Option<BypassReason>,
    /// What the head of the answer took.
    pub(crate) upstream: Option<Duration>,
    /// What rewriting took.
    pub(crate) ours: Option<Duration>,
    /// What became of its body.
    pub(crate) report: Option<Arc<Report>>,
    /// Those of its results that were not sent before.
    pub(crate) fresh: Vec<Arc<ResultRecord>>,
    /// A hash of the conversation that it belongs to.
    pub(crate) session: Option<u64>,
    /// What comes to be known while its answer is being sent.
    pub(crate) bill: RunningBill,
    /// True when nobody needs to hear of it: someone only asked whether we live.
    pub(crate) is_probe: bool,
}

impl Known {
    /// Adds all that a door knows; whose fault it was is known by who wrote the answer.
    pub(crate) fn join(&mut self, other: Self) {
        let fault = self.fault.take().or(other.fault);
        *self = Self { fault, is_probe: self.is_probe || other.is_probe, ..other };
    }
}

/// Lets a door add what it knows.
pub(crate) fn know(extensions: &mut Extensions, add: impl FnOnce(&mut Known)) {
    add(extensions.get_or_insert_default::<Known>());
}

/// A request that is under way.
pub(crate) struct Visit {
    telemetry: Telemetry,
    /// Until it is told.
    event: Option<RequestEvent>,
    since: Instant,
    known: Known,
}

impl Visit {
    /// A request that has just come.
    pub(crate) fn begin<B>(telemetry: &Telemetry, request: &mut Request<B>) -> Self {
        let mut event = RequestEvent::new(telemetry.begin(), Verb::of(request.method().as_str()));
        event.client = user_agent::of(request.headers());
        event.trace = trace_context::follow(telemetry.span(event.id), request.headers_mut());
        Self {
            telemetry: telemetry.clone(),
            event: Some(event),
            since: Instant::now(),
            known: Known::default(),
        }
    }

    /// Goes along with its answer.
    pub(crate) fn follow(mut self, beat: Option<Beat>, response: Response<Reply>) -> Response<Followed> {
        let (mut parts, reply) = response.into_parts();
        let number = self.event.as_mut().map(|event| {
            event.status = parts.status.as_u16();
            format!("{:x}", event.id)
        });
        self.known = parts.extensions.remove().unwrap_or_default();
        // What is no model's passes as it came.
        let id =
            number.filter(|_| self.known.provider.is_some()).and_then(|id| HeaderValue::try_from(id).ok());
        parts.headers.extend(id.map(|id| (ID, id)));
        let stream = is_stream(&parts.headers).then(|| self.telemetry.stream());
        Response::from_parts(
            parts,
            Followed { reply, visit: self, is_over: false, _beat: beat, _stream: stream },
        )
    }

    fn fail(&mut self, error: &Error) {
        self.known.fault = Some((error.side, error.message.as_str().into()));
    }

    /// Tells of it. A fault's words name hosts and limits, but what a client did wrong may be told in its own.
    fn end(&mut self, is_sent: bool) {
        let (Some(mut event), known) = (self.event.take(), &self.known) else { return };
        if known.is_probe {
            return self.telemetry.forget();
        }
        event.took = self.since.elapsed();
        event.provider = known.provider;
        event.model.clone_from(&known.model);
        event.missed = known.missed.map(BypassReason::name);
        (event.upstream, event.ours) = (known.upstream, known.ours);
        event.end = match known.fault {
            Some((Side::Client, _)) => RequestEnd::Client,
            Some((Side::Upstream, _)) => RequestEnd::Upstream,
            Some((Side::Us, _)) => RequestEnd::Us,
            None if is_sent => RequestEnd::Answered,
            None => RequestEnd::Left,
        };
        event.session = known.session;
        if let Some(report) = &known.report {
            event.record = report.record.clone();
            event.record.groups = GroupSum::of(&report.record.results);
            event.record.fresh.clone_from(&known.fresh);
        }
        if event.is_success() {
            bill(&self.telemetry, &mut event, &known.bill.so_far());
        }
        let why = known.fault.as_ref().filter(|(side, _)| *side != Side::Client).map(|(_, why)| &**why);
        self.telemetry.end(event, why);
    }
}

/// A client that leaves before there is an answer is told of too.
impl Drop for Visit {
    fn drop(&mut self) {
        self.end(false);
    }
}

/// Books what the provider counted, and what that costs. Nothing is guessed where it does not say.
fn bill(telemetry: &Telemetry, event: &mut RequestEvent, bill: &BillSoFar) {
    let record = &mut event.record;
    let fetched = bill.fetched.iter();
    record.fetched =
        fetched.map(|(stage, fetch)| FetchSum { stage, calls: fetch.calls, tokens: fetch.tokens }).collect();
    if !bill.is_told() {
        return;
    }
    let rounds = UsageRounds(bill.rounds.iter().flatten().copied().collect());
    record.usage = Some(rounds.total());
    record.rounds = rounds.further();
    let price = event.model.as_ref().and_then(|model| telemetry.prices().of(model.as_str()));
    record.cost = price.as_ref().map(|price| rounds.cost(price, record.total_tokens()));
    let would = price.zip(record.would.as_deref());
    record.would_paid = would.map(|(price, would)| rounds.instead(&price, would.total_tokens()));
}

/// An answer's body; its request is under way until all of it has been sent.
pub(crate) struct Followed {
    reply: Reply,
    visit: Visit,
    /// True once its end has been asked for and given: not every body knows before that it has no more.
    is_over: bool,
    _beat: Option<Beat>,
    _stream: Option<RunningStream>,
}

/// True when an answer comes event by event.
fn is_stream(headers: &HeaderMap) -> bool {
    let kind = headers.get(CONTENT_TYPE).and_then(|kind| kind.to_str().ok()).unwrap_or_default();
    ["text/event-stream", "application/vnd.amazon.eventstream"].iter().any(|it| kind.starts_with(it))
}

impl Body for Followed {
    type Data = Bytes;
    type Error = Error;

    fn poll_frame(
        mut self: Pin<&mut Self>,
        cx: &mut Context<'_>,
    ) -> Poll<Option<Result<Frame<Bytes>, Error>>> {
        let polled = Pin::new(&mut self.reply).poll_frame(cx);
        match &polled {
            Poll::Ready(Some(Err(error))) => self.visit.fail(error),
            Poll::Ready(None) => self.is_over = true,
            _ => {}
        }
        polled
    }

    fn is_end_stream(&self) -> bool {
        self.reply.is_end_stream()
    }

    fn size_hint(&self) -> SizeHint {
        self.reply.size_hint()
    }
}

impl Drop for Followed {
    fn drop(&mut self) {
        let is_sent = self.is_over || self.reply.is_end_stream();
        // Whoever reads along has heard all of it now.
        self.reply = Reply::Ours(None);
        self.visit.end(is_sent);
    }
}
