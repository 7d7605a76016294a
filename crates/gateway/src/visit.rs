//! A request from its head to the last byte of its answer, and what is told of it.
//!
//! Doors leave what they know in the extensions of an answer; whoever serves the connection tells it when the answer has
//! been sent, or nobody waits for it any more.

use std::pin::Pin;
use std::sync::Arc;
use std::task::{Context, Poll};
use std::time::{Duration, Instant};

use bytes::Bytes;
use http::header::{HeaderName, HeaderValue};
use http::{Extensions, Request, Response};
use http_body::{Body, Frame, SizeHint};
use tersely_engine::{Report, ResultTally};
use tersely_telemetry::{RequestEnd, RequestEvent, ShownName, Telemetry, TokenChange, Verb};

use crate::error::{Error, Side};
use crate::missed::Missed;
use crate::pulse::Beat;
use crate::reply::Reply;

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
    pub(crate) missed: Option<Missed>,
    /// What the head of the answer took.
    pub(crate) upstream: Option<Duration>,
    /// What rewriting took.
    pub(crate) ours: Option<Duration>,
    /// What became of its body.
    pub(crate) report: Option<Arc<Report>>,
    /// True when nobody needs to hear of it: someone only asked whether we live.
    pub(crate) is_probe: bool,
}

/// Lets a door add what it knows.
pub(crate) fn know(extensions: &mut Extensions, add: impl FnOnce(&mut Known)) {
    add(extensions.get_or_insert_default::<Known>());
}

/// A request that is under way.
pub(crate) struct Visit {
    telemetry: Telemetry,
    event: RequestEvent,
    since: Instant,
    known: Known,
}

impl Visit {
    /// A request that has just come.
    pub(crate) fn begin<B>(telemetry: &Telemetry, request: &Request<B>) -> Self {
        let event = RequestEvent::new(telemetry.begin(), Verb::of(request.method().as_str()));
        Self { telemetry: telemetry.clone(), event, since: Instant::now(), known: Known::default() }
    }

    /// Goes along with its answer.
    pub(crate) fn follow(mut self, beat: Option<Beat>, response: Response<Reply>) -> Response<Followed> {
        let (mut parts, reply) = response.into_parts();
        self.event.status = parts.status.as_u16();
        self.known = parts.extensions.remove().unwrap_or_default();
        // What is no model's passes as it came.
        let id = self.known.provider.and_then(|_| HeaderValue::try_from(format!("{:x}", self.event.id)).ok());
        parts.headers.extend(id.map(|id| (ID, id)));
        Response::from_parts(parts, Followed { reply, visit: Some(self), _beat: beat })
    }

    fn fail(&mut self, error: &Error) {
        self.known.fault = Some((error.side, error.message.as_str().into()));
    }

    /// Tells of it. A fault's words name hosts and limits, but what a client did wrong may be told in its own.
    fn end(mut self, is_sent: bool) {
        if self.known.is_probe {
            return self.telemetry.forget();
        }
        let (event, known) = (&mut self.event, &self.known);
        event.took = self.since.elapsed();
        event.provider = known.provider;
        event.model.clone_from(&known.model);
        event.missed = known.missed.map(Missed::name);
        (event.upstream, event.ours) = (known.upstream, known.ours);
        event.end = match known.fault {
            Some((Side::Client, _)) => RequestEnd::Client,
            Some((Side::Upstream, _)) => RequestEnd::Upstream,
            Some((Side::Us, _)) => RequestEnd::Us,
            None if is_sent => RequestEnd::Answered,
            None => RequestEnd::Left,
        };
        if let Some(report) = &known.report {
            book(event, report);
        }
        let why = known.fault.as_ref().filter(|(side, _)| *side != Side::Client).map(|(_, why)| &**why);
        self.telemetry.end(self.event, why);
    }
}

fn book(event: &mut RequestEvent, report: &Report) {
    event.results = report.slots;
    event.changed = report.changed;
    event.result_tokens = TokenChange { before: report.before, after: report.after };
    event.request_tokens = report.whole.map(change).unwrap_or_default();
    event.tool_tokens = report.tool;
    event.stages = report.stages.iter().map(|saving| (saving.stage, saving.saved)).collect();
    event.redacted = report.redacted;
    event.reused = report.reused;
    event.faults = report.faults;
}

fn change(tally: ResultTally) -> TokenChange {
    TokenChange { before: tally.before, after: tally.after }
}

/// An answer's body; its request is under way until all of it has been sent.
pub(crate) struct Followed {
    reply: Reply,
    /// Until it is told.
    visit: Option<Visit>,
    _beat: Option<Beat>,
}

impl Body for Followed {
    type Data = Bytes;
    type Error = Error;

    fn poll_frame(
        mut self: Pin<&mut Self>,
        cx: &mut Context<'_>,
    ) -> Poll<Option<Result<Frame<Bytes>, Error>>> {
        let polled = Pin::new(&mut self.reply).poll_frame(cx);
        if let (Poll::Ready(Some(Err(error))), Some(visit)) = (&polled, &mut self.visit) {
            visit.fail(error);
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
        let is_sent = self.reply.is_end_stream();
        if let Some(visit) = self.visit.take() {
            visit.end(is_sent);
        }
    }
}
