//! Reads the bodies that the rewriter wants, offers them, and says what to forward.

use std::sync::{Arc, OnceLock};
use std::time::Instant;

use bytes::Bytes;
use http::header::{ACCEPT_ENCODING, HeaderMap, HeaderName, HeaderValue};
use http::request::Parts;
use http::uri::PathAndQuery;
use http::{Method, StatusCode, Uri};
use tersely_account::ShownName;
use tersely_wire::named_model;
use tokio::task::spawn_blocking;

use crate::access::KnownTenant;
use crate::bypass::BypassReason;
use crate::error::Error;
use crate::http::content_encoding::{Coding, CodingFault};
use crate::http::idle_timeout::Idle;
use crate::http::memory_budget::MemoryBudget;
use crate::http::request_body::Outgoing;
use crate::llm::entry::RequestEntry;
use crate::llm::gate::GatewayState;
use crate::llm::mask;
use crate::llm::read_body::{Read, Whole, bomb, measure, read};
use crate::llm::rewrite::{Follow, Head, Replacement, Rewrite, Verdict, WaitingVerdict};
use crate::llm::signature::covers_body;
use crate::request_log::Known;
use crate::upstream::Upstream;
use crate::vendor::Vendor;
use crate::worker_pool::guarded;

/// What a response says of its request when that went on as it came, though it should not have.
const MISSED: HeaderName = HeaderName::from_static("x-tersely-missed");

/// What to forward, and what becomes of the response.
pub(crate) struct Offered {
    pub(crate) outgoing: Outgoing,
    /// Headers to add to the response.
    pub(crate) added: HeaderMap,
    /// Its account, once it is on its way.
    pub(crate) entry: Option<RequestEntry>,
    /// What goes on with the response, and the room that the request takes until that is over.
    pub(crate) follow: Option<(Box<dyn Follow>, MemoryBudget)>,
}

impl Offered {
    /// A body that goes on as it came.
    fn plain(outgoing: Outgoing) -> Self {
        Self { outgoing, added: HeaderMap::new(), entry: None, follow: None }
    }
}

/// Reads the body if the rewriter wants it, and says what to forward.
pub(crate) async fn offer(
    gate: &GatewayState,
    known: &mut Known,
    parts: &mut Parts,
    body: Idle,
) -> Result<Offered, Error> {
    if gate.rewrite.seals() {
        return sealed(gate, known, parts, body).await;
    }
    let wanted = guarded(|| gate.rewrite.wants(&head(gate, parts)));
    match wanted {
        Ok(true) if !covers_body(parts) => {}
        Ok(false) => return Ok(Offered::plain(Outgoing::stream(body))),
        Ok(true) => return Ok(miss(gate, known, parts, BypassReason::Signed, Outgoing::stream(body))),
        Err(why) => return Ok(miss(gate, known, parts, why, Outgoing::stream(body))),
    }
    match read(gate, body).await? {
        Read::Begun(outgoing) => Ok(miss(gate, known, parts, BypassReason::Full, outgoing)),
        Read::Whole(whole) => judge(gate, known, parts, whole).await,
    }
}

/// The same where no request may go on with a secret in it: what cannot be searched is refused, and what is offered,
/// and goes on whatever comes of that, has been masked.
async fn sealed(
    gate: &GatewayState,
    known: &mut Known,
    parts: &mut Parts,
    body: Idle,
) -> Result<Offered, Error> {
    let full =
        || Error::us(StatusCode::SERVICE_UNAVAILABLE, "no memory to mask secrets right now; try again");
    let Read::Whole(whole) = read(gate, body).await? else { return Err(full()) };
    let whole = if whole.bytes.is_empty() { whole } else { mask::seal(gate, parts, whole).await? };
    match guarded(|| gate.rewrite.wants(&head(gate, parts))) {
        Ok(true) if !covers_body(parts) => judge(gate, known, parts, whole).await,
        Ok(true) => Ok(miss(gate, known, parts, BypassReason::Signed, whole.unchanged())),
        Ok(false) => Ok(Offered::plain(whole.unchanged())),
        Err(why) => Ok(miss(gate, known, parts, why, whole.unchanged())),
    }
}

/// What a rewriter is told of a request beside its body.
pub(crate) fn head<'a>(gate: &'a GatewayState, parts: &'a Parts) -> Head<'a> {
    let Parts { method, uri, headers, .. } = parts;
    let upstream = gate.settings.upstreams.choose(Vendor::of(uri, headers)).ok();
    Head { method, uri, headers, upstream, tenant: tenant(parts).map(|tenant| &**tenant) }
}

/// The tenant who sent a request, if that was checked.
pub(crate) fn tenant(parts: &Parts) -> Option<&Arc<KnownTenant>> {
    parts.extensions.get()
}

fn miss(
    gate: &GatewayState,
    known: &mut Known,
    parts: &Parts,
    why: BypassReason,
    outgoing: Outgoing,
) -> Offered {
    known.missed = Some(why);
    // The one who is told may be the one who just panicked.
    let _ = guarded(|| gate.rewrite.missed(&head(gate, parts), why));
    let added = HeaderMap::from_iter([(MISSED, HeaderValue::from_static(why.name()))]);
    Offered { added, ..Offered::plain(outgoing) }
}

async fn judge(
    gate: &GatewayState,
    known: &mut Known,
    parts: &mut Parts,
    whole: Whole,
) -> Result<Offered, Error> {
    let Whole { bytes, trailers, held } = whole;
    let as_it_came = |bytes, held| Outgoing::whole(bytes, trailers, held);
    let since = Instant::now();
    let verdict = ask(gate, known, parts, &bytes).await;
    known.ours = Some(since.elapsed());
    match verdict {
        Ok(Verdict::Replace(new)) => Ok(replace(parts, new, held).await),
        Ok(Verdict::Refuse(why)) => Err(Error::client(why.status, why.message)),
        Ok(Verdict::Count(entry)) => {
            Ok(Offered { entry: Some(entry.sent()), ..Offered::plain(as_it_came(bytes, held)) })
        }
        // Nobody waits for a verdict twice.
        Ok(Verdict::Keep | Verdict::Wait(_)) => Ok(Offered::plain(as_it_came(bytes, held))),
        Err(why) => {
            let outgoing = match masked(gate, parts, &bytes).await {
                Some(masked) => {
                    measure(parts, masked.len());
                    Outgoing::whole(Bytes::from(masked), None, held)
                }
                None => as_it_came(bytes, held),
            };
            Ok(miss(gate, known, parts, why, outgoing))
        }
    }
}

/// What goes on of a body that there was no time for, or that we failed at, if its secrets are to be masked.
async fn masked(gate: &GatewayState, parts: &Parts, body: &Bytes) -> Option<Vec<u8>> {
    let (work, coding) = (Work::of(gate, parts, body), Coding::of(&parts.headers));
    let limit = gate.settings.limits.body;
    // It is waited for whatever the time: how long it may take is bounded by the length of the body.
    spawn_blocking(move || guarded(|| work.mask(limit, coding)).ok().flatten()).await.ok().flatten()
}

/// The verdict on a body: at once if it is short and plain, else from another thread, and once others have had their say.
pub(crate) async fn ask(
    gate: &GatewayState,
    known: &mut Known,
    parts: &Parts,
    body: &Bytes,
) -> Result<Verdict, BypassReason> {
    let coding = Coding::of(&parts.headers);
    let limit = gate.settings.limits.body;
    let verdict = if coding == Coding::Identity && body.len() <= gate.settings.limits.inline {
        known.model = model(&parts.uri, body);
        guarded(|| gate.rewrite.rewrite(&head(gate, parts), body))
    } else {
        let (work, named) = (Work::of(gate, parts, body), Arc::new(OnceLock::new()));
        let tell = Arc::clone(&named);
        let verdict = aside(gate, parts, body, move || work.run(limit, coding, &tell)).await;
        known.model = named.get().cloned().flatten();
        verdict
    };
    match verdict {
        Ok(Verdict::Wait(WaitingVerdict(waiting))) => {
            let then = waiting.await;
            aside(gate, parts, body, move || Ok(then())).await
        }
        verdict => verdict,
    }
}

/// The verdict that `work` comes to off the threads that serve. Should it be late, the rewriter hears of it.
async fn aside(
    gate: &GatewayState,
    parts: &Parts,
    body: &Bytes,
    work: impl FnOnce() -> Result<Verdict, BypassReason> + Send + 'static,
) -> Result<Verdict, BypassReason> {
    let coding = Coding::of(&parts.headers);
    let limit = gate.settings.limits.body;
    let verdict = gate.bench.aside(coding.weight(limit, body.len()), work).await;
    if matches!(verdict, Err(BypassReason::Late)) {
        // To be known when the next request of the conversation comes, so it is waited for; it is soon done.
        let _ = spawn_blocking(told_plain(gate, parts, body)).await;
    }
    verdict?
}

/// Work that tells the rewriter of a body that went on as it came.
pub(crate) fn told_plain(gate: &GatewayState, parts: &Parts, body: &Bytes) -> impl FnOnce() + Send + 'static {
    let (work, coding) = (Work::of(gate, parts, body), Coding::of(&parts.headers));
    let limit = gate.settings.limits.body;
    move || {
        // It panics where the rewrite did, perhaps.
        let _ = guarded(|| work.tell(limit, coding));
    }
}

/// The model that a request names, if that can be shown.
fn model(uri: &Uri, body: &[u8]) -> Option<ShownName> {
    let target = uri.path_and_query().map_or("", PathAndQuery::as_str);
    named_model(target, body).and_then(|name| ShownName::of(&name))
}

/// A request that another thread looks at.
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

    /// The verdict; the model is told even if that is late.
    fn run(
        self,
        limit: usize,
        coding: Coding,
        named: &OnceLock<Option<ShownName>>,
    ) -> Result<Verdict, BypassReason> {
        match self.plain(limit, coding) {
            Ok(body) => {
                named.get_or_init(|| model(&self.uri, &body));
                Ok(self.rewrite.rewrite(&self.head(), &body))
            }
            Err(CodingFault::Garbled) => Err(BypassReason::Coded),
            Err(CodingFault::TooLong) => Ok(Verdict::Refuse(bomb(limit))),
        }
    }

    /// Tells the rewriter that it was late.
    fn tell(self, limit: usize, coding: Coding) {
        if let Ok(body) = self.plain(limit, coding) {
            self.rewrite.sent_plain(&self.head(), &body);
        }
    }

    /// The body with its secrets masked, and without its coding.
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

/// Another body: its exact length, and no coding. A response that is watched has to be plain too.
async fn replace(parts: &mut Parts, new: Replacement, held: MemoryBudget) -> Offered {
    let Replacement { mut body, headers, mut entry, kept, mut follow } = new;
    if let Some(follow) = &mut follow {
        if let Some((whole, report)) = follow.settle(kept).await {
            body = whole;
            entry = entry.map(|entry| entry.instead(report));
        }
        parts.headers.insert(ACCEPT_ENCODING, HeaderValue::from_static("identity"));
    }
    measure(parts, body.len());
    let (sent, follow) = match follow {
        Some(follow) => (MemoryBudget::default(), Some((follow, held))),
        None => (held, None),
    };
    let outgoing = Outgoing::whole(Bytes::from(body), None, sent);
    Offered { added: headers, entry: entry.map(RequestEntry::sent), follow, ..Offered::plain(outgoing) }
}
