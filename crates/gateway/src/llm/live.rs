//! Puts requests to models through an engine that can be exchanged while it runs.

use std::borrow::Cow;
use std::sync::{Arc, PoisonError, RwLock};

use bytes::Bytes;
use http::uri::PathAndQuery;
use http::{Method, StatusCode};
use tersely_account::stable_hash;
use tersely_core::{Loss, Plan, Redaction};
use tersely_engine::{
    Engine, EngineSettings, ExpandOffer, ForwardBody, KeptOriginal, Memo, MemoLimits, OptionError,
    PlanOverride, RemoteAnswers, Request, RequestOptions, SchemaMode, Strategy, asks_in_body, seal,
};
use tersely_store::Store;
use tersely_wire::{HistoryPlace, Provider, claimed_provider};
use tokio_util::sync::CancellationToken;

use crate::access::{MayAsk, denied_at};
use crate::bypass::BypassReason;
use crate::display::Inside;
use crate::error::Error;
use crate::llm::books::{Books, refuse};
use crate::llm::compress::{CompressQuestion, LoneAnswer};
use crate::llm::compressor::{Compressor, Consulted};
use crate::llm::entry::{RequestEntry, RequestSender};
use crate::llm::expansion::{Sent, TrailMemory, TrailShelf};
use crate::llm::keeper::Keeper;
use crate::llm::request_options::{asked, session};
use crate::llm::rewrite::{Head, Pending, Refusal, RetrievalAnswer, Rewrite, Verdict, WaitingVerdict};
use crate::llm::tenant_id::Whose;
use crate::llm::totals::{TotalSums, Totals};

/// Paths that only ask what a request would cost: nothing is saved by them.
const COUNTS: [&str; 4] = ["/count_tokens", "/count-tokens:rawPredict", ":countTokens", "/input_tokens"];

/// A rewriter that compresses tool results.
pub struct EngineRewriter {
    engine: RwLock<Arc<Engine>>,
    keeper: Option<Arc<Keeper>>,
    compressor: Option<Arc<Compressor>>,
    memo: Option<Arc<Memo>>,
    sums: Arc<TotalSums>,
}

impl Default for EngineRewriter {
    fn default() -> Self {
        Self::new(Engine::default())
    }
}

impl EngineRewriter {
    /// A rewriter that begins with this engine.
    #[must_use]
    pub fn new(engine: Engine) -> Self {
        let (memo, sums) = (Some(Arc::default()), Arc::default());
        Self { engine: RwLock::new(Arc::new(engine)), keeper: None, compressor: None, memo, sums }
    }

    /// The same, remembering at most so much of conversations; no bytes: nothing.
    #[must_use]
    pub fn remembering(self, most: MemoLimits) -> Self {
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
    ) -> Result<Verdict, OptionError> {
        let whose = self.whose(head)?;
        let sent = self.sent(provider, head, body, &whose)?;
        let books = self.books(head, &whose, sent.named);
        let candidates = if self.compressor.is_some() { sent.candidates() } else { Vec::new() };
        let Some(compressor) = self.compressor.clone().filter(|_| !candidates.is_empty()) else {
            return books.verdict(sent, &Consulted::default());
        };
        let places: Vec<_> = candidates.iter().map(|candidate| candidate.at).collect();
        let inquiry = compressor.inquiry(head, &whose, candidates, books.only_counts);
        Ok(Verdict::Wait(WaitingVerdict(Box::pin(async move {
            // A task of its own: it ends what it has begun, whatever becomes of the request, and may panic. Who leaves
            // drops the guard: then it begins nothing more.
            let left = CancellationToken::new();
            let _here = left.clone().drop_guard();
            let consulted = tokio::spawn(compressor.consult(inquiry, left)).await;
            let consulted = consulted.unwrap_or_else(|_| Consulted::nothing(&places));
            Box::new(move || books.settled(sent, consulted)) as Box<dyn FnOnce() -> Verdict + Send>
        }))))
    }

    /// What becomes of a request whose answer nobody here sees.
    fn pass_unwatched(
        &self,
        provider: &'static dyn Provider,
        head: &Head<'_>,
        body: &Bytes,
    ) -> Result<Verdict, OptionError> {
        let whose = self.whose(head)?;
        let sent = self.sent(provider, head, body, &whose)?;
        let engine = Arc::new(Engine::new(unwatched(&sent.engine, ExpandOffer::Never)));
        let sent = Sent { engine, asked: sent.asked.clone().or(unmasked()), ..sent };
        self.books(head, &whose, sent.named).verdict(sent, &Consulted::default())
    }

    /// All that decides what is forwarded.
    fn sent(
        &self,
        provider: &'static dyn Provider,
        head: &Head<'_>,
        body: &Bytes,
        whose: &Whose,
    ) -> Result<Sent, OptionError> {
        // What an earlier request left out is remembered here and kept elsewhere, perhaps in vain: better look again.
        let history = provider.history(body);
        let fresh = history == HistoryPlace::Elsewhere;
        let memo = if fresh { None } else { self.memory(whose) };
        Ok(Sent {
            engine: self.engine(),
            provider,
            path: head.uri.path_and_query().map_or("", PathAndQuery::as_str).to_owned(),
            tenant: head.tenant_name().map(str::to_owned),
            asked: asked(head.headers)?,
            named: session(head.headers),
            body: body.clone(),
            history,
            plain: memo.as_ref().map_or(0, |memory| memory.recall().plain(provider, body)),
            agreed: RemoteAnswers::default(),
            memo,
        })
    }

    /// Where a request is booked.
    fn books(&self, head: &Head<'_>, whose: &Whose, session: Option<u64>) -> Books {
        Books {
            sums: Arc::clone(&self.sums),
            shelf: self.shelf(whose),
            sender: RequestSender { whose: stable_hash(whose.said()), session },
            only_counts: COUNTS.iter().any(|end| head.uri.path().ends_with(end)),
        }
    }

    /// What becomes of messages that come alone. What is left out has to be kept for whoever brings them, so nothing is
    /// where nobody does; and what is remembered of a conversation does not say what was left out of it.
    fn answer(
        &self,
        head: &Head<'_>,
        question: &CompressQuestion,
        most: Loss,
    ) -> Result<LoneAnswer, OptionError> {
        let whose = self.whose(head)?;
        let retrieves = question.retrieves && self.shelf(&whose).is_some();
        let engine = self.engine();
        let offers = retrieves && engine.settings().expand != ExpandOffer::Never;
        let engine = alone(&engine, if offers { ExpandOffer::Always } else { ExpandOffer::Never });
        let memo = if retrieves { None } else { self.memory(&whose) };
        let request = Request {
            tenant: head.tenant_name(),
            asked: asked(head.headers)?.or(unmasked()),
            most,
            frozen: question.frozen,
            memo: memo.as_ref().map(TrailMemory::recall),
            ..Request::new(question.provider, head.uri.path())
        };
        let body = question.came().body(question.provider);
        let ForwardBody { body, report, hidden } = engine.pass(&request, &body)?;
        let kept = hidden.map(|hidden| hidden.kept).unwrap_or_default();
        let sender = RequestSender { whose: stable_hash(whose.said()), session: session(head.headers) };
        let entry = RequestEntry::new(sender, report.clone(), Some(Arc::clone(&self.sums)));
        Ok(LoneAnswer::new(body.into_owned(), &report, kept, entry))
    }

    fn whose(&self, head: &Head<'_>) -> Result<Whose, OptionError> {
        let header = self.keeper.as_ref().and_then(|keeper| keeper.header());
        Whose::of(header, head.uri, head.headers, head.tenant_name())
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

impl Inside for EngineRewriter {
    fn engine(&self) -> Arc<Engine> {
        Self::engine(self)
    }

    fn store(&self) -> Option<&Store> {
        self.keeper.as_ref().map(|keeper| &**keeper.store())
    }
}

impl Rewrite for EngineRewriter {
    fn wants(&self, head: &Head<'_>) -> bool {
        *head.method == Method::POST && claimed_provider(head.uri.path()).is_some()
    }

    fn rewrite(&self, head: &Head<'_>, body: &Bytes) -> Verdict {
        let Some(provider) = claimed_provider(head.uri.path()) else { return Verdict::Keep };
        let may_ask = head.tenant.is_none_or(|tenant| tenant.may_ask.allows(MayAsk::OBJECT));
        if !may_ask && asks_in_body(body) {
            let Error { status, message, .. } = denied_at(MayAsk::OBJECT);
            return Verdict::Refuse(Refusal { status, message });
        }
        self.pass(provider, head, body).unwrap_or_else(refuse)
    }

    fn rewrite_unwatched(&self, head: &Head<'_>, body: &Bytes) -> Verdict {
        let Some(provider) = claimed_provider(head.uri.path()) else { return Verdict::Keep };
        self.pass_unwatched(provider, head, body).unwrap_or_else(refuse)
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

    fn mask(&self, head: &Head<'_>, body: &Bytes) -> Option<Vec<u8>> {
        let provider = claimed_provider(head.uri.path())?;
        let request = Request {
            tenant: head.tenant_name(),
            asked: asked(head.headers).unwrap_or_default(),
            named: session(head.headers),
            ..Request::new(provider, head.uri.path_and_query().map_or("", PathAndQuery::as_str))
        };
        self.engine().mask(&request, body)
    }

    fn original<'a>(&'a self, head: &Head<'_>, id: String) -> Pending<'a, RetrievalAnswer> {
        let whose = self.whose(head);
        Box::pin(async move {
            let Some(keeper) = &self.keeper else { return RetrievalAnswer::Nowhere };
            let tenant = match whose {
                Ok(whose) => keeper.tenant(&whose),
                Err(refused) => return RetrievalAnswer::Refused(refused.message),
            };
            let Some(tenant) = tenant else { return RetrievalAnswer::Nobodys };
            let found = keeper.find(tenant, vec![id]).await.pop();
            found.map_or(RetrievalAnswer::Nothing, |(_, text)| RetrievalAnswer::Text(text))
        })
    }

    fn compress(
        &self,
        head: &Head<'_>,
        question: &CompressQuestion,
        most: Loss,
    ) -> Result<LoneAnswer, Refusal> {
        let bad =
            |refused: OptionError| Refusal { status: StatusCode::BAD_REQUEST, message: refused.message };
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

    fn missed(&self, _head: &Head<'_>, _why: BypassReason) {
        self.sums.miss();
    }

    fn sent_plain(&self, head: &Head<'_>, body: &Bytes) {
        let Some(provider) = claimed_provider(head.uri.path()) else { return };
        if let Some(memory) = self.whose(head).ok().and_then(|whose| self.memory(&whose)) {
            memory.recall().keep_plain(provider, body);
        }
    }
}

/// Settings for a request whose answer nobody here sees: no compressor is asked, no tool stands for others, and what is
/// left out can be asked for only as `expand` says.
fn unwatched(engine: &Engine, expand: ExpandOffer) -> EngineSettings {
    EngineSettings { expand, strategy: Strategy::Stages, discovery: None, ..engine.settings().clone() }
}

/// An engine for messages that come alone: it changes results, and nothing else.
fn alone(engine: &Engine, expand: ExpandOffer) -> Engine {
    let settings = unwatched(engine, expand);
    Engine::new(EngineSettings { schema: SchemaMode::Disabled, prompts: None, ..settings })
}

/// A wish for no masks but those that the operator asked for by name: nobody here can put right what was masked.
fn unmasked() -> RequestOptions {
    let change = PlanOverride::of(&["redact_secrets"], Plan { redact: Redaction::Off, ..Plan::default() });
    RequestOptions { change, ..RequestOptions::default() }
}
