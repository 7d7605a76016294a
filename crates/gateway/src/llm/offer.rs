//! Reads the bodies that the rewriter wants, passes them to it, and decides what to forward.

use std::sync::Arc;
use std::time::Instant;

use bytes::Bytes;
use http::header::{ACCEPT_ENCODING, HeaderMap, HeaderName, HeaderValue};
use http::request::Parts;
use http::{Method, StatusCode, Uri};
use tersely_account::ShownName;
use tersely_engine::may_ask_in;
use tersely_wire::early_model;
use tokio::task::spawn_blocking;

use crate::access::KnownTenant;
use crate::bypass::BypassReason;
use crate::error::Error;
use crate::http::content_encoding::{Coding, CodingFault};
use crate::http::idle_timeout::TimedBody;
use crate::http::memory_budget::MemoryBudget;
use crate::http::request_body::OutgoingBody;
use crate::http::signature::covers_body;
use crate::llm::entry::RequestEntry;
use crate::llm::expansion::Expansion;
use crate::llm::mask;
use crate::llm::read_body::{BegunBody, BodyRead, WholeBody, decoded_too_long, read, set_length};
use crate::llm::rewrite::{Head, Replacement, Rewrite, Verdict, WaitingVerdict};
use crate::llm::state::GatewayState;
use crate::request_log::Known;
use crate::upstream::Upstream;
use crate::vendor::Vendor;
use crate::worker_pool::catch_panic;

/// Response header: why the request was forwarded unchanged although it should have been rewritten.
const BYPASS_HEADER: HeaderName = HeaderName::from_static("x-tersely-missed");

/// The maximum length of a body that is read on the serving thread, to see whether it is known.
const MAX_READ_BYTES: usize = 256 << 10;

/// The number of bytes at the beginning of a body that are searched for the name of the model and, if compression is
/// off, for options.
const BEGINNING_BYTES: usize = 16 << 10;

/// The body to forward, and what to do with the response.
pub(crate) struct OfferOutcome {
    pub(crate) outgoing: OutgoingBody,
    /// Headers to add to the response.
    pub(crate) added: HeaderMap,
    /// The request's record, which is counted once the request is sent.
    pub(crate) entry: Option<RequestEntry>,
    /// The expansion that processes the response, and the memory that the request uses until the response has ended.
    pub(crate) follow: Option<(Box<Expansion>, MemoryBudget)>,
}

impl OfferOutcome {
    /// A body that is forwarded unchanged.
    fn plain(outgoing: OutgoingBody) -> Self {
        Self { outgoing, added: HeaderMap::new(), entry: None, follow: None }
    }
}

/// Reads the body if the rewriter wants it, and decides what to forward.
pub(crate) async fn offer(
    gate: &GatewayState,
    known: &mut Known,
    parts: &mut Parts,
    body: TimedBody,
) -> Result<OfferOutcome, Error> {
    if gate.rewrite.seals() {
        return offer_sealed(gate, known, parts, body).await;
    }
    let wanted = catch_panic(|| gate.rewrite.wants(&head(gate, parts)));
    match wanted {
        Ok(true) if !covers_body(parts) => {}
        Ok(false) => return stream(gate, known, parts, body).await,
        Ok(true) => return Ok(bypass(gate, known, parts, BypassReason::Signed, OutgoingBody::stream(body))),
        Err(why) => return Ok(bypass(gate, known, parts, why, OutgoingBody::stream(body))),
    }
    rewrite_read(gate, known, parts, read(gate, body).await?).await
}

/// Forwards a body as it arrives. Only its beginning is looked at, for the name of the model and for options that turn
/// compression on; a coded body has to be read for them, unless it is signed or too long to be buffered.
async fn stream(
    gate: &GatewayState,
    known: &mut Known,
    parts: &mut Parts,
    body: TimedBody,
) -> Result<OfferOutcome, Error> {
    let Some(entry) = unread(gate, parts) else {
        return Ok(OfferOutcome::plain(OutgoingBody::stream(body)));
    };
    let mut begun = BegunBody::new(gate, body);
    begun.read_to(gate, BEGINNING_BYTES).await?;
    let (first, is_signed) = (begun.bytes(), covers_body(parts));
    let is_coded = Coding::of(&parts.headers) != Coding::Identity;
    let asks = !is_coded && may_ask_in(&first[..first.len().min(BEGINNING_BYTES)]);
    known.model = first_model(&parts.uri, first);
    if asks && is_signed {
        return Ok(bypass(gate, known, parts, BypassReason::Signed, begun.into_outgoing()));
    }
    if asks || is_coded && !is_signed && begun.fits(gate).await? {
        return rewrite_read(gate, known, parts, begun.read(gate).await?).await;
    }
    Ok(OfferOutcome { entry: Some(entry.sent()), ..OfferOutcome::plain(begun.into_outgoing()) })
}

/// The record of a request whose body the rewriter does not want.
pub(crate) fn unread(gate: &GatewayState, parts: &Parts) -> Option<RequestEntry> {
    catch_panic(|| gate.rewrite.unread(&head(gate, parts))).ok().flatten()
}

/// The name of the model in the path or at the beginning of a body, if it can be shown.
fn first_model(uri: &Uri, first: &[u8]) -> Option<ShownName> {
    ShownName::of(&early_model(uri.path_and_query()?.as_str(), first)?)
}

/// Does the same as `offer` if no secret may be forwarded: a body that cannot be searched is refused, and all other
/// bodies are masked before they are passed to the rewriter.
async fn offer_sealed(
    gate: &GatewayState,
    known: &mut Known,
    parts: &mut Parts,
    body: TimedBody,
) -> Result<OfferOutcome, Error> {
    let full = || {
        Error::us(StatusCode::SERVICE_UNAVAILABLE, "not enough memory to mask secrets right now; try again")
    };
    let BodyRead::Whole(whole) = read(gate, body).await? else { return Err(full()) };
    let whole = if whole.bytes.is_empty() { whole } else { mask::seal(gate, parts, whole).await? };
    match catch_panic(|| gate.rewrite.wants(&head(gate, parts))) {
        Ok(true) if !covers_body(parts) => rewrite_body(gate, known, parts, whole).await,
        Ok(true) => Ok(bypass(gate, known, parts, BypassReason::Signed, whole.into_outgoing())),
        Ok(false) => {
            known.model = first_model(&parts.uri, &whole.bytes);
            let entry = unread(gate, parts).map(RequestEntry::sent);
            Ok(OfferOutcome { entry, ..OfferOutcome::plain(whole.into_outgoing()) })
        }
        Err(why) => Ok(bypass(gate, known, parts, why, whole.into_outgoing())),
    }
}

/// The parts of a request that the rewriter sees besides the body.
pub(crate) fn head<'a>(gate: &'a GatewayState, parts: &'a Parts) -> Head<'a> {
    let Parts { method, uri, headers, .. } = parts;
    let upstream = gate.settings.upstreams.choose(Vendor::of(uri, headers)).ok();
    Head { method, uri, headers, upstream, tenant: tenant(parts).map(|tenant| &**tenant) }
}

/// The authenticated tenant of a request, if any.
pub(crate) fn tenant(parts: &Parts) -> Option<&Arc<KnownTenant>> {
    parts.extensions.get()
}

fn bypass(
    gate: &GatewayState,
    known: &mut Known,
    parts: &Parts,
    why: BypassReason,
    outgoing: OutgoingBody,
) -> OfferOutcome {
    known.missed = Some(why);
    // The rewriter may just have panicked, and could panic again.
    let _ = catch_panic(|| gate.rewrite.on_bypass(&head(gate, parts), why));
    let added = HeaderMap::from_iter([(BYPASS_HEADER, HeaderValue::from_static(why.name()))]);
    OfferOutcome { added, ..OfferOutcome::plain(outgoing) }
}

/// Passes a body to the rewriter, if there was memory to read it.
async fn rewrite_read(
    gate: &GatewayState,
    known: &mut Known,
    parts: &mut Parts,
    body: BodyRead,
) -> Result<OfferOutcome, Error> {
    match body {
        BodyRead::Begun(outgoing) => Ok(bypass(gate, known, parts, BypassReason::Full, outgoing)),
        BodyRead::Whole(whole) => rewrite_body(gate, known, parts, whole).await,
    }
}

async fn rewrite_body(
    gate: &GatewayState,
    known: &mut Known,
    parts: &mut Parts,
    whole: WholeBody,
) -> Result<OfferOutcome, Error> {
    let WholeBody { bytes, trailers, held } = whole;
    let as_it_came = |bytes, held| OutgoingBody::whole(bytes, trailers, held);
    let since = Instant::now();
    let verdict = ask_rewriter(gate, known, parts, &bytes).await;
    known.ours = Some(since.elapsed());
    match verdict {
        Ok(Verdict::Replace(new)) => Ok(replace(parts, new, held).await),
        Ok(Verdict::Refuse(why)) => Err(Error::client(why.status, why.message)),
        Ok(Verdict::Count(entry)) => {
            Ok(OfferOutcome { entry: Some(entry.sent()), ..OfferOutcome::plain(as_it_came(bytes, held)) })
        }
        // A verdict may not wait a second time.
        Ok(Verdict::Keep | Verdict::Wait(_)) => Ok(OfferOutcome::plain(as_it_came(bytes, held))),
        Err(why) => {
            let outgoing = match mask_only(gate, parts, &bytes).await {
                Some(masked) => {
                    set_length(parts, masked.len());
                    OutgoingBody::whole(Bytes::from(masked), None, held)
                }
                None => as_it_came(bytes, held),
            };
            Ok(bypass(gate, known, parts, why, outgoing))
        }
    }
}

/// Masks the body of a request that could not be rewritten because of an error or a timeout, if masking is enabled.
async fn mask_only(gate: &GatewayState, parts: &Parts, body: &Bytes) -> Option<Vec<u8>> {
    let (work, coding) = (Work::of(gate, parts, body), Coding::of(&parts.headers));
    let limit = gate.settings.limits.body;
    // There is no deadline, because the time is limited by the length of the body.
    spawn_blocking(move || catch_panic(|| work.mask(limit, coding)).ok().flatten()).await.ok().flatten()
}

/// Gets the verdict on a body, after remote compressors have answered: inline if the body is short and not encoded,
/// otherwise on another thread.
pub(crate) async fn ask_rewriter(
    gate: &GatewayState,
    known: &mut Known,
    parts: &Parts,
    body: &Bytes,
) -> Result<Verdict, BypassReason> {
    let coding = Coding::of(&parts.headers);
    let limit = gate.settings.limits.body;
    let verdict = if coding == Coding::Identity && body.len() <= gate.settings.limits.inline {
        catch_panic(|| gate.rewrite.rewrite(&head(gate, parts), body))
    } else if let Some(verdict) = rewrite_known(gate, parts, body) {
        Ok(verdict)
    } else {
        let work = Work::of(gate, parts, body);
        offload(gate, parts, body, move || work.run(limit, coding)).await
    };
    let verdict = match verdict {
        Ok(Verdict::Wait(WaitingVerdict(waiting))) => {
            let then = waiting.await;
            offload(gate, parts, body, move || Ok(then())).await
        }
        verdict => verdict,
    };
    known.model = if let Some(entry) = verdict.as_ref().ok().and_then(Verdict::entry) {
        entry.model()
    } else {
        let work = Work::of(gate, parts, body);
        let model = move || catch_panic(|| work.model(coding)).ok().flatten();
        spawn_blocking(model).await.ok().flatten()
    };
    verdict
}

/// The verdict on a body that is not coded and not too long to be read inline, if most of it is known.
fn rewrite_known(gate: &GatewayState, parts: &Parts, body: &Bytes) -> Option<Verdict> {
    if Coding::of(&parts.headers) != Coding::Identity || body.len() > MAX_READ_BYTES {
        return None;
    }
    catch_panic(|| gate.rewrite.rewrite_known(&head(gate, parts), body)).ok().flatten()
}

/// Gets the verdict of `work` on another thread. If it is late, the rewriter is informed.
async fn offload(
    gate: &GatewayState,
    parts: &Parts,
    body: &Bytes,
    work: impl FnOnce() -> Result<Verdict, BypassReason> + Send + 'static,
) -> Result<Verdict, BypassReason> {
    let coding = Coding::of(&parts.headers);
    let limit = gate.settings.limits.body;
    let verdict = gate.workers.offload(coding.weight(limit, body.len()), work).await;
    if matches!(verdict, Err(BypassReason::Late)) {
        // This is awaited, because the next request of the conversation depends on it. It does not take long.
        let _ = spawn_blocking(report_plain(gate, parts, body)).await;
    }
    verdict?
}

/// Work that informs the rewriter that a body was forwarded unchanged.
pub(crate) fn report_plain(
    gate: &GatewayState,
    parts: &Parts,
    body: &Bytes,
) -> impl FnOnce() + Send + 'static {
    let (work, coding) = (Work::of(gate, parts, body), Coding::of(&parts.headers));
    let limit = gate.settings.limits.body;
    move || {
        // This may panic for the same reason as the rewrite.
        let _ = catch_panic(|| work.tell(limit, coding));
    }
}

/// A request that can be processed on another thread.
struct Work {
    rewrite: Arc<dyn Rewrite>,
    method: Method,
    uri: Uri,
    headers: HeaderMap,
    upstream: Option<Upstream>,
    tenant: Option<Arc<KnownTenant>>,
    body: Bytes,
}

impl Work {
    fn of(gate: &GatewayState, parts: &Parts, body: &Bytes) -> Self {
        Self {
            rewrite: Arc::clone(&gate.rewrite),
            method: parts.method.clone(),
            uri: parts.uri.clone(),
            headers: parts.headers.clone(),
            upstream: head(gate, parts).upstream.cloned(),
            tenant: tenant(parts).cloned(),
            body: body.clone(),
        }
    }

    /// Computes the verdict.
    fn run(self, limit: usize, coding: Coding) -> Result<Verdict, BypassReason> {
        match self.plain(limit, coding) {
            Ok(body) => Ok(self.rewrite.rewrite(&self.head(), &body)),
            Err(CodingFault::Garbled) => Err(BypassReason::Coded),
            Err(CodingFault::TooLong) => Ok(Verdict::Refuse(decoded_too_long(limit))),
        }
    }

    /// The name of the requested model, if it can be shown. Of a coded body only the beginning is decoded, because this
    /// work has no limit of its own.
    fn model(self, coding: Coding) -> Option<ShownName> {
        match coding {
            Coding::Identity => first_model(&self.uri, &self.body),
            coding => first_model(&self.uri, &coding.beginning(BEGINNING_BYTES, &self.body)),
        }
    }

    /// Informs the rewriter that the body was forwarded unchanged because the rewrite was late.
    fn tell(self, limit: usize, coding: Coding) {
        if let Ok(body) = self.plain(limit, coding) {
            self.rewrite.sent_plain(&self.head(), &body);
        }
    }

    /// The decoded body with its secrets masked.
    fn mask(self, limit: usize, coding: Coding) -> Option<Vec<u8>> {
        let body = self.plain(limit, coding).ok()?;
        self.rewrite.mask(&self.head(), &body)
    }

    fn head(&self) -> Head<'_> {
        let Self { method, uri, headers, upstream, tenant, .. } = self;
        Head { method, uri, headers, upstream: upstream.as_ref(), tenant: tenant.as_deref() }
    }

    fn plain(&self, limit: usize, coding: Coding) -> Result<Bytes, CodingFault> {
        if coding == Coding::Identity {
            Ok(self.body.clone())
        } else {
            coding.decode(limit, &self.body).map(Bytes::from)
        }
    }
}

/// Sets a new body with its exact length and without a coding. If the response must be watched, it is requested without
/// a coding too.
async fn replace(parts: &mut Parts, new: Replacement, held: MemoryBudget) -> OfferOutcome {
    let Replacement { mut body, headers, mut entry, kept, mut follow } = new;
    if let Some(follow) = &mut follow {
        if let Some((whole, report)) = follow.settle(kept).await {
            body = whole.into();
            entry = entry.map(|entry| entry.instead(report));
        }
        parts.headers.insert(ACCEPT_ENCODING, HeaderValue::from_static("identity"));
    }
    set_length(parts, body.len());
    let (sent, follow) = match follow {
        Some(follow) => (MemoryBudget::default(), Some((follow, held))),
        None => (held, None),
    };
    let outgoing = OutgoingBody::whole(body, None, sent);
    OfferOutcome {
        added: headers,
        entry: entry.map(RequestEntry::sent),
        follow,
        ..OfferOutcome::plain(outgoing)
    }
}
