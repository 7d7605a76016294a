//! Puts requests to models through an engine that can be exchanged while it runs.

use std::borrow::Cow;
use std::sync::{Arc, PoisonError, RwLock};

use bytes::Bytes;
use http::header::{HeaderMap, HeaderName, HeaderValue};
use http::uri::PathAndQuery;
use http::{Method, StatusCode};
use tersely_core::{Loss, Plan, Redaction};
use tersely_engine::{
    Agreed, Asked, Change, Engine, EngineSettings, ExpandOffer, Hidden, KeptOriginal, Memo, Most, Passed,
    Refused, Request, SchemaMode, Strategy, seal,
};
use tersely_proof::stable_hash;
use tersely_store::Store;
use tersely_wire::{HistoryPlace, Provider, claimed_provider};

use crate::display::Inside;
use crate::hop::THRESHOLD;
use crate::llm::compress::{CompressQuestion, LoneAnswer};
use crate::llm::compressor::{Compressor, Consulted};
use crate::llm::entry::{RequestEntry, RequestSender};
use crate::llm::keeper::Keeper;
use crate::llm::rewrite::{Head, Pending, Refusal, Replacement, Rewrite, Sought, Verdict, WaitingVerdict};
use crate::llm::totals::{TotalSums, Totals};
use crate::llm::trail::{Sent, Trail, TrailMemory, TrailShelf};
use crate::llm::whose::Whose;
use crate::missed::Missed;

/// What a request can say to us in its headers.
const MODE: &str = "x-tersely-mode";
const BYPASS: &str = "x-tersely-bypass";
const READER: &str = "x-tersely-reader";

/// What a response says of a request whose conversation went on as it came.
const PLAIN: HeaderName = HeaderName::from_static("x-tersely-unshortened");

/// What a response says of what compressors cost for its request.
const COMPRESSOR: HeaderName = HeaderName::from_static("x-tersely-tokens-compressor");

/// Paths that only ask what a request would cost: nothing is saved by them.
const COUNTS: [&str; 4] = ["/count_tokens", "/count-tokens:rawPredict", ":countTokens", "/input_tokens"];

/// A rewriter that compresses tool results.
pub struct Live {
    engine: RwLock<Arc<Engine>>,
    keeper: Option<Arc<Keeper>>,
    compressor: Option<Arc<Compressor>>,
    memo: Option<Arc<Memo>>,
    sums: Arc<TotalSums>,
}

impl Default for Live {
    fn default() -> Self {
        Self::new(Engine::default())
    }
}

impl Live {
    /// A rewriter that begins with this engine.
    #[must_use]
    pub fn new(engine: Engine) -> Self {
        let (memo, sums) = (Some(Arc::default()), Arc::default());
        Self { engine: RwLock::new(Arc::new(engine)), keeper: None, compressor: None, memo, sums }
    }

    /// The same, remembering at most so much of conversations; no bytes: nothing.
    #[must_use]
    pub fn remembering(self, most: Most) -> Self {
        Self { memo: (most.bytes > 0).then(|| Arc::new(Memo::new(most))), ..self }
    }

    /// The same, with a keeper of what is left out of requests that later ones may only name.
    #[must_use]
    pub fn keeping(self, keeper: Keeper) -> Self {
        Self { keeper: Some(Arc::new(keeper)), ..self }
    }

    /// The same, asking a compressor about what is new in requests, where the engine is told to have one.
    #[must_use]
    pub fn asking(self, compressor: Compressor) -> Self {
        Self { compressor: Some(Arc::new(compressor)), ..self }
    }

    /// Goes on with another engine; a request that is under way is finished with the one it began with.
    pub fn swap(&self, engine: Engine) {
        *self.engine.write().unwrap_or_else(PoisonError::into_inner) = Arc::new(engine);
    }

    /// The engine that the next request gets.
    #[must_use]
    pub fn engine(&self) -> Arc<Engine> {
        Arc::clone(&self.engine.read().unwrap_or_else(PoisonError::into_inner))
    }

    /// What all requests so far came to.
    #[must_use]
    pub fn totals(&self) -> Totals {
        self.sums.totals()
    }

    fn pass(
        &self,
        provider: &'static dyn Provider,
        head: &Head<'_>,
        body: &Bytes,
    ) -> Result<Verdict, Refused> {
        let whose = self.whose(head)?;
        let path = head.uri.path_and_query().map_or("", PathAndQuery::as_str).to_owned();
        // What an earlier request left out is remembered here and kept elsewhere, perhaps in vain: better look again.
        let history = provider.history(body);
        let fresh = history == HistoryPlace::Elsewhere;
        let memo = if fresh { None } else { self.memory(&whose) };
        let sent = Sent {
            engine: self.engine(),
            provider,
            path,
            asked: asked(head.headers)?,
            named: session(head.headers),
            body: body.clone(),
            history,
            plain: memo.as_ref().map_or(0, |memory| memory.recall().plain(provider, body)),
            agreed: Agreed::default(),
            memo,
        };
        let only_counts = COUNTS.iter().any(|end| head.uri.path().ends_with(end));
        let books = Books {
            sums: Arc::clone(&self.sums),
            shelf: self.shelf(&whose),
            sender: RequestSender { whose: stable_hash(whose.said()), session: sent.named },
            only_counts,
        };
        let candidates = if self.compressor.is_some() { sent.candidates() } else { Vec::new() };
        let Some(compressor) = self.compressor.clone().filter(|_| !candidates.is_empty()) else {
            return books.verdict(sent, &Consulted::default());
        };
        let places: Vec<_> = candidates.iter().map(|candidate| candidate.at).collect();
        let inquiry = compressor.inquiry(head, &whose, candidates, only_counts);
        Ok(Verdict::Wait(WaitingVerdict(Box::pin(async move {
            // A task of its own: it ends what it has begun, whatever becomes of the request, and may panic.
            let consulted = tokio::spawn(compressor.consult(inquiry)).await;
            let consulted = consulted.unwrap_or_else(|_| Consulted::nothing(&places));
            Box::new(move || books.settled(sent, consulted)) as Box<dyn FnOnce() -> Verdict + Send>
        }))))
    }

    /// What becomes of messages that come alone. What is left out has to be kept for whoever brings them, so nothing is
    /// where nobody does; and what is remembered of a conversation does not say what was left out of it.
    fn answer(
        &self,
        head: &Head<'_>,
        question: &CompressQuestion,
        most: Loss,
    ) -> Result<LoneAnswer, Refused> {
        let whose = self.whose(head)?;
        let retrieves = question.retrieves && self.shelf(&whose).is_some();
        let engine = self.engine();
        let offers = retrieves && engine.settings().expand != ExpandOffer::Never;
        let engine = alone(&engine, if offers { ExpandOffer::Always } else { ExpandOffer::Never });
        let memo = if retrieves { None } else { self.memory(&whose) };
        let request = Request {
            asked: asked(head.headers)?.or(unmasked()),
            most,
            frozen: question.frozen,
            memo: memo.as_ref().map(TrailMemory::recall),
            ..Request::new(question.provider, head.uri.path())
        };
        let body = question.came().body(question.provider);
        let Passed { body, report, hidden } = engine.pass(&request, &body)?;
        let kept = hidden.map(|hidden| hidden.kept).unwrap_or_default();
        let sender = RequestSender { whose: stable_hash(whose.said()), session: session(head.headers) };
        let entry = RequestEntry::new(sender, report.clone(), Some(Arc::clone(&self.sums)));
        Ok(LoneAnswer::new(body.into_owned(), &report, kept, entry))
    }

    fn whose(&self, head: &Head<'_>) -> Result<Whose, Refused> {
        Whose::of(self.keeper.as_ref().and_then(|keeper| keeper.header()), head.uri, head.headers)
    }

    /// What is remembered of the client's earlier requests.
    fn memory(&self, whose: &Whose) -> Option<TrailMemory> {
        Some(TrailMemory { memo: Arc::clone(self.memo.as_ref()?), whose: whose.said().to_vec() })
    }

    /// Where what is left out of a request is kept, if it says whose it is.
    fn shelf(&self, whose: &Whose) -> Option<TrailShelf> {
        let keeper = Arc::clone(self.keeper.as_ref()?);
        let tenant = keeper.tenant(whose)?;
        Some(TrailShelf { keeper, tenant })
    }
}

impl Inside for Live {
    fn engine(&self) -> Arc<Engine> {
        Self::engine(self)
    }

    fn store(&self) -> Option<&Store> {
        self.keeper.as_ref().map(|keeper| &**keeper.store())
    }
}

impl Rewrite for Live {
    fn wants(&self, head: &Head<'_>) -> bool {
        *head.method == Method::POST && claimed_provider(head.uri.path()).is_some()
    }

    fn rewrite(&self, head: &Head<'_>, body: &Bytes) -> Verdict {
        let Some(provider) = claimed_provider(head.uri.path()) else { return Verdict::Keep };
        self.pass(provider, head, body).unwrap_or_else(refuse)
    }

    fn seals(&self) -> bool {
        self.engine().seals()
    }

    fn seal(&self, body: &[u8]) -> Result<Option<Vec<u8>>, Refusal> {
        match seal(body).map(|masked| masked.body) {
            Ok(Cow::Borrowed(_)) => Ok(None),
            Ok(Cow::Owned(body)) => Ok(Some(body)),
            Err(error) => {
                let message = format!("secrets cannot be masked in this body, so it was not sent: {error}");
                Err(Refusal { status: StatusCode::UNSUPPORTED_MEDIA_TYPE, message })
            }
        }
    }

    fn original<'a>(&'a self, head: &Head<'_>, id: String) -> Pending<'a, Sought> {
        let whose = self.whose(head);
        Box::pin(async move {
            let Some(keeper) = &self.keeper else { return Sought::Nowhere };
            let tenant = match whose {
                Ok(whose) => keeper.tenant(&whose),
                Err(refused) => return Sought::Refused(refused.message),
            };
            let Some(tenant) = tenant else { return Sought::Nobodys };
            let found = keeper.find(tenant, vec![id]).await.pop();
            found.map_or(Sought::Nothing, |(_, text)| Sought::Text(text))
        })
    }

    fn compress(
        &self,
        head: &Head<'_>,
        question: &CompressQuestion,
        most: Loss,
    ) -> Result<LoneAnswer, Refusal> {
        let bad = |refused: Refused| Refusal { status: StatusCode::BAD_REQUEST, message: refused.message };
        self.answer(head, question, most).map_err(bad)
    }

    fn keep<'a>(&'a self, head: &Head<'_>, kept: Vec<KeptOriginal>) -> Pending<'a, bool> {
        let place = self.whose(head).ok().and_then(|whose| self.shelf(&whose));
        Box::pin(async move {
            let Some(TrailShelf { keeper, tenant }) = place else { return false };
            keeper.keep(tenant, kept).await
        })
    }

    fn tenant(&self, head: &Head<'_>) -> Option<Vec<u8>> {
        self.whose(head).ok()?.metered()
    }

    fn missed(&self, _head: &Head<'_>, _why: Missed) {
        self.sums.miss();
    }

    fn sent_plain(&self, head: &Head<'_>, body: &Bytes) {
        let Some(provider) = claimed_provider(head.uri.path()) else { return };
        if let Some(memory) = self.whose(head).ok().and_then(|whose| self.memory(&whose)) {
            memory.recall().keep_plain(provider, body);
        }
    }
}

/// An engine for messages whose answer nobody here sees: it changes results alone, and leaves out of them only what can
/// be asked for.
fn alone(engine: &Engine, expand: ExpandOffer) -> Engine {
    Engine::new(EngineSettings {
        expand,
        strategy: Strategy::Stages,
        schema: SchemaMode::Disabled,
        prompts: None,
        discovery: None,
        ..engine.settings().clone()
    })
}

/// A wish for no masks but those that the operator asked for by name: nobody here can put right what was masked.
fn unmasked() -> Asked {
    let change = Change::of(&["redact_secrets"], Plan { redact: Redaction::Off, ..Plan::default() });
    Asked { change, ..Asked::default() }
}

/// Where a request is booked, and where what is left out of it is kept.
struct Books {
    sums: Arc<TotalSums>,
    shelf: Option<TrailShelf>,
    sender: RequestSender,
    /// Whether it only asks what a request would cost.
    only_counts: bool,
}

impl Books {
    /// The verdict on a request after others have had their say.
    fn settled(self, mut sent: Sent, mut consulted: Consulted) -> Verdict {
        self.sums.compress(consulted.calls, consulted.tokens);
        sent.agreed = std::mem::take(&mut consulted.agreed);
        self.verdict(sent, &consulted).unwrap_or_else(refuse)
    }

    fn verdict(self, sent: Sent, consulted: &Consulted) -> Result<Verdict, Refused> {
        let Passed { body, report, hidden } = sent.pass_on()?;
        let mut entry =
            RequestEntry::new(self.sender, report, (!self.only_counts).then(|| Arc::clone(&self.sums)));
        if sent.plain > 0 {
            entry.note(PLAIN, HeaderValue::from(sent.plain));
        }
        if consulted.calls > 0 {
            entry.note(COMPRESSOR, HeaderValue::from(consulted.tokens));
        }
        let Cow::Owned(body) = body else { return Ok(Verdict::Count(entry)) };
        let entry = Some(entry);
        let Some(Hidden { way, kept }) = hidden else {
            return Ok(Verdict::Replace(Replacement { body, entry, ..Replacement::default() }));
        };
        let trail = Trail::new(sent, way, self.sums, self.shelf);
        Ok(Verdict::Replace(Replacement {
            body,
            entry,
            kept,
            follow: Some(Box::new(trail)),
            ..Replacement::default()
        }))
    }
}

/// Headers in which clients name their sessions.
const SESSIONS: [&str; 5] =
    ["x-claude-code-session-id", "x-opencode-session", "x-session-id", "session-id", "session_id"];

/// A hash of the name that a client gives its session.
fn session(headers: &HeaderMap) -> Option<u64> {
    let names = SESSIONS.iter().filter_map(|name| headers.get(*name));
    names.map(HeaderValue::as_bytes).find(|name| !name.is_empty()).map(stable_hash)
}

/// What the headers ask for.
fn asked(headers: &HeaderMap) -> Result<Asked, Refused> {
    Asked::by_header(word(headers, MODE)?, word(headers, BYPASS)?)?
        .above(word(headers, THRESHOLD.as_str())?)?
        .read_by(word(headers, READER)?)
}

fn word<'h>(headers: &'h HeaderMap, name: &str) -> Result<Option<&'h str>, Refused> {
    let word = headers.get(name).map(HeaderValue::to_str).transpose();
    word.map_err(|_| Refused { message: format!("{name}: must be plain ASCII text") })
}

fn refuse(refused: Refused) -> Verdict {
    Verdict::Refuse(Refusal { status: StatusCode::BAD_REQUEST, message: refused.message })
}
