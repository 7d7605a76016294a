//! Tracks a request from its head to the last byte of its response, and reports it to telemetry.
//!
//! Handlers store what they find out about a request in the extensions of its response. The request is reported once
//! the response has been sent, or the client has disconnected.

use std::pin::Pin;
use std::sync::Arc;
use std::task::{Context, Poll};
use std::time::{Duration, Instant};

use bytes::Bytes;
use http::header::{CONTENT_TYPE, HeaderMap, HeaderName, HeaderValue};
use http::{Extensions, Request, Response};
use http_body::{Body, Frame, SizeHint};
use tersely_account::{FetchSum, GroupSum, LimitUse, ResultRecord, ShownName, UsageRounds};
use tersely_engine::Report;
use tersely_telemetry::{RequestEnd, RequestEvent, RunningStream, Telemetry, Verb};

use crate::attribution::AttributionCell;
use crate::bypass::BypassReason;
use crate::error::{Error, Side};
use crate::http::connection_activity::Beat;
use crate::http::response::Reply;
use crate::http::trace_context;
use crate::http::usage_tap::{BillSoFar, RunningBill};
use crate::http::user_agent;
use crate::prompt_watch::{PromptSighting, PromptVerdict};
use crate::record_cell::RecordCell;

/// The header with the request id, which also appears in the log.
const ID: HeaderName = HeaderName::from_static("x-tersely-request-id");

/// What handlers have found out about a request.
#[derive(Clone, Debug, Default)]
pub(crate) struct Known {
    /// The provider whose API is called.
    pub(crate) provider: Option<&'static str>,
    /// The requested model.
    pub(crate) model: Option<ShownName>,
    /// The side at fault and the error message, if the request failed.
    pub(crate) fault: Option<(Side, Arc<str>)>,
    /// Why the request was forwarded unchanged although it should have been rewritten.
    pub(crate) missed: Option<BypassReason>,
    /// Time until the head of the upstream's response arrived.
    pub(crate) upstream: Option<Duration>,
    /// Time spent on rewriting.
    pub(crate) ours: Option<Duration>,
    /// The engine's report on the request's body.
    pub(crate) report: Option<Arc<Report>>,
    /// The tool results in the request that were not sent before.
    pub(crate) fresh: Vec<Arc<ResultRecord>>,
    /// A hash that identifies the conversation.
    pub(crate) session: Option<u64>,
    /// A hash of the name that the client gave the conversation.
    pub(crate) named: Option<u64>,
    /// A hash that identifies the sender.
    pub(crate) sender: Option<u64>,
    /// The account's limits, as the upstream's response reports them.
    pub(crate) limits: Vec<LimitUse>,
    /// Token usage and fetched texts, updated while the response is being sent.
    pub(crate) bill: RunningBill,
    /// What is known of the request's prompt, to explain a miss of the cache.
    pub(crate) prompt: Option<PromptSighting>,
    /// What was done with an answer that is no model's: one of an API or of an MCP server.
    pub(crate) answer: Option<RecordCell>,
    /// True for a health probe, which is not reported.
    pub(crate) is_probe: bool,
}

impl Known {
    /// Adds what another handler has found out; the fault is taken from the handler that wrote the response.
    pub(crate) fn join(&mut self, other: Self) {
        let fault = self.fault.take().or(other.fault);
        *self = Self { fault, is_probe: self.is_probe || other.is_probe, ..other };
    }
}

/// Lets a handler add what it has found out.
pub(crate) fn know(extensions: &mut Extensions, add: impl FnOnce(&mut Known)) {
    add(extensions.get_or_insert_default::<Known>());
}

/// A request in progress.
pub(crate) struct Visit {
    telemetry: Telemetry,
    /// The event; `None` once it has been reported.
    event: Option<RequestEvent>,
    since: Instant,
    known: Known,
    attribution: AttributionCell,
    /// The name in reports of a request that goes to no provider.
    place: Option<&'static str>,
}

impl Visit {
    /// Starts to track a new request.
    pub(crate) fn begin<B>(telemetry: &Telemetry, request: &mut Request<B>) -> Self {
        let mut event = RequestEvent::new(telemetry.begin(), Verb::of(request.method().as_str()));
        event.client = user_agent::of(request.headers());
        event.trace = trace_context::follow(telemetry.span(event.id), request.headers_mut());
        let attribution = AttributionCell::default();
        request.extensions_mut().insert(attribution.clone());
        Self {
            telemetry: telemetry.clone(),
            event: Some(event),
            since: Instant::now(),
            known: Known::default(),
            attribution,
            place: None,
        }
    }

    /// The same, for a request that goes to no provider: `place` is its name in reports.
    pub(crate) fn at(mut self, place: Option<&'static str>) -> Self {
        self.place = place;
        self
    }

    /// Tracks the response until it has been sent.
    pub(crate) fn follow(mut self, beat: Option<Beat>, response: Response<Reply>) -> Response<Followed> {
        let (mut parts, reply) = response.into_parts();
        let number = self.event.as_mut().map(|event| {
            event.status = parts.status.as_u16();
            format!("{:x}", event.id)
        });
        self.known = parts.extensions.remove().unwrap_or_default();
        // Only responses of model APIs get the id header.
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

    /// Reports the request. An error message is included unless the client caused the error: our own messages contain
    /// only host names and limits, but a message about a client error may quote the request.
    fn end(&mut self, is_sent: bool) {
        let (Some(mut event), known) = (self.event.take(), &self.known) else { return };
        if known.is_probe {
            return self.telemetry.forget();
        }
        event.took = self.since.elapsed();
        event.provider = known.provider.or(self.place);
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
        event.attribution = self.attribution.get();
        (event.session, event.named, event.sender) = (known.session, known.named, known.sender);
        if let Some(report) = &known.report {
            event.record = report.record.clone();
            event.record.groups = GroupSum::of(&report.record.results);
            event.record.fresh.clone_from(&known.fresh);
        }
        if let Some(answer) = &known.answer {
            event.record = answer.take();
        }
        event.record.limits.clone_from(&known.limits);
        if event.is_success() {
            let so_far = known.bill.so_far();
            bill(&self.telemetry, &mut event, &so_far);
            let verdict = self.explain(event.model.as_ref(), &so_far);
            event.record.conversation = verdict.as_ref().map(|it| it.conversation);
            event.record.cache_break = verdict.and_then(|it| it.found);
            event.record.diagnosis = so_far.diagnosis;
        }
        let why = known.fault.as_ref().filter(|(side, _)| *side != Side::Client).map(|(_, why)| &**why);
        self.telemetry.end(event, why);
    }

    /// Why the prompt was not read from the cache, if it could have been.
    fn explain(&self, model: Option<&ShownName>, bill: &BillSoFar) -> Option<PromptVerdict> {
        let model = model.map(ShownName::as_str);
        let price = model.and_then(|model| self.telemetry.prices().of(model));
        let usage = bill.rounds.first().copied().flatten();
        Some(self.known.prompt.as_ref()?.end(model, usage, price.as_ref()))
    }
}

/// Also reports a request whose client disconnects before there is a response.
impl Drop for Visit {
    fn drop(&mut self) {
        self.end(false);
    }
}

/// Adds the provider's token usage and its cost to the event. If the provider reports no usage, none is estimated.
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

/// A response body. Its request counts as in progress until the whole body has been sent.
pub(crate) struct Followed {
    reply: Reply,
    visit: Visit,
    /// True once the body has returned its end: not every body can tell in advance that it has no more data.
    is_over: bool,
    _beat: Option<Beat>,
    _stream: Option<RunningStream>,
}

/// True for an event stream.
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
        // Drop the body first, because its taps record the usage when they are dropped.
        self.reply = Reply::Ours(None);
        self.visit.end(is_sent);
    }
}
