//! Rewrites requests to models with an engine that can be replaced at run time.

mod lone;

use std::borrow::Cow;
use std::sync::Arc;

use bytes::Bytes;
use http::uri::PathAndQuery;
use http::{Method, StatusCode};
use tersely_core::Loss;
use tersely_engine::{
    Engine, ExpandOffer, KeptOriginal, Memo, MemoLimits, OptionError, RemoteAnswers, Report, Request,
    asks_in_body, seal,
};
use tersely_store::Store;
use tersely_wire::{HistoryPlace, Provider, Reading, claimed_provider};
use tokio_util::sync::CancellationToken;

use crate::access::TenantId;
use crate::access::{MayAsk, denied_at};
use crate::bypass::BypassReason;
use crate::error::Error;
use crate::llm::books::{Books, refuse};
use crate::llm::cold::ColdWatch;
use crate::llm::compress::{CompressQuestion, LoneAnswer};
use crate::llm::compressor::{Compressor, Consultation};
use crate::llm::engine_rewriter::lone::{request_only, without_masks};
use crate::llm::entry::{RequestEntry, RequestSender};
use crate::llm::expansion::{SentRequest, TenantMemo, TenantShelf};
use crate::llm::keeper::Keeper;
use crate::llm::request_options::{read_options, session};
use crate::llm::rewrite::{Head, Pending, Refusal, RetrievalAnswer, Rewrite, Verdict, WaitingVerdict};
use crate::llm::totals::{TotalSums, Totals};
use crate::prompt_watch::{PromptWatch, betas};
use crate::shared_engine::SharedEngine;

/// Ends of paths that only count tokens; such requests save nothing.
const COUNTS: [&str; 4] = ["/count_tokens", "/count-tokens:rawPredict", ":countTokens", "/input_tokens"];

/// The maximum number of bytes in a body that are not known from the conversation, if the body is rewritten on the
/// serving thread: about a millisecond of work.
const MAX_NEW_BYTES: usize = 4 << 10;

/// A rewriter that compresses tool results.
pub struct EngineRewriter {
    engine: SharedEngine,
    keeper: Option<Arc<Keeper>>,
    compressor: Option<Arc<Compressor>>,
    memo: Option<Arc<Memo>>,
    sums: Arc<TotalSums>,
    watch: Arc<PromptWatch>,
    cold: Option<Arc<ColdWatch>>,
}

impl Default for EngineRewriter {
    fn default() -> Self {
        Self::new(Engine::default())
    }
}

impl EngineRewriter {
    /// Creates a rewriter that starts with this engine.
    #[must_use]
    pub fn new(engine: Engine) -> Self {
        let (memo, sums, watch) = (Some(Arc::default()), Arc::default(), Arc::default());
        Self {
            engine: SharedEngine::new(engine),
            keeper: None,
            compressor: None,
            memo,
            sums,
            watch,
            cold: None,
        }
    }

    /// Adds a memo with these limits; a limit of 0 bytes means no memo.
    #[must_use]
    pub fn remembering(self, most: MemoLimits) -> Self {
        Self { memo: (most.bytes > 0).then(|| Arc::new(Memo::new(most))), ..self }
    }

    /// Adds a store for texts left out of requests, because later requests may only refer to an earlier one.
    #[must_use]
    pub fn keeping(self, keeper: Keeper) -> Self {
        Self { keeper: Some(Arc::new(keeper)), ..self }
    }

    /// Adds a remote compressor for new results; it is used if the engine is configured to use one.
    #[must_use]
    pub fn asking(self, compressor: Compressor) -> Self {
        Self { compressor: Some(Arc::new(compressor)), ..self }
    }

    /// Lets conversations be cleared while the provider's cache is gone, if the engine is configured to do so.
    #[must_use]
    pub fn clearing(self, cold: ColdWatch) -> Self {
        Self { cold: Some(Arc::new(cold)), ..self }
    }

    /// Replaces the engine; a request in progress finishes with the previous engine.
    pub fn swap(&self, engine: Engine) {
        self.engine.set(engine);
    }

    /// The engine that processes the next request.
    #[must_use]
    pub fn engine(&self) -> Arc<Engine> {
        self.engine.get()
    }

    /// The shared engine, for the dashboard.
    #[must_use]
    pub fn shared_engine(&self) -> SharedEngine {
        self.engine.clone()
    }

    /// The store, if there is one.
    #[must_use]
    pub fn store(&self) -> Option<Arc<Store>> {
        self.keeper.as_ref().map(|keeper| Arc::clone(keeper.store()))
    }

    /// The totals of all requests so far.
    #[must_use]
    pub fn totals(&self) -> Totals {
        self.sums.totals()
    }

    /// True if the settings let nothing in the body of a request change, and its headers do not ask for more. Invalid
    /// options are refused later.
    fn is_off(&self, provider: &'static Provider, head: &Head<'_>) -> bool {
        let path = head.uri.path_and_query().map_or("", PathAndQuery::as_str);
        let usual = Request { tenant: head.tenant_name(), ..Request::new(provider, path) };
        let engine = self.engine();
        engine.is_off(&usual)
            && read_options(head.headers).is_ok_and(|asked| engine.is_off(&Request { asked, ..usual }))
    }

    /// The verdict on a request whose body was read.
    fn rewrite_read(
        &self,
        reading: &Reading<'_>,
        head: &Head<'_>,
        (sent, books): (SentRequest, Books),
        whose: &TenantId,
    ) -> Verdict {
        let may_ask = head.tenant.is_none_or(|tenant| tenant.may_ask.allows(MayAsk::OBJECT));
        if !may_ask && asks_in_body(reading) {
            let Error { status, message, .. } = denied_at(MayAsk::OBJECT);
            return Verdict::Refuse(Refusal { status, message });
        }
        self.pass(reading, head, (sent, books), whose).unwrap_or_else(refuse)
    }

    fn pass(
        &self,
        reading: &Reading<'_>,
        head: &Head<'_>,
        (sent, books): (SentRequest, Books),
        whose: &TenantId,
    ) -> Result<Verdict, OptionError> {
        let candidates = if self.compressor.is_some() { sent.candidates(reading) } else { Vec::new() };
        let Some(compressor) = self.compressor.clone().filter(|_| !candidates.is_empty()) else {
            if books.cold.as_ref().is_none_or(|cold| !cold.is_elsewhere()) {
                return books.verdict(sent, reading, &Consultation::default());
            }
            return Ok(Verdict::Wait(WaitingVerdict(Box::pin(async move {
                let books = books.found().await;
                Box::new(move || books.settled(sent, Consultation::default()))
                    as Box<dyn FnOnce() -> Verdict + Send>
            }))));
        };
        let places: Vec<_> = candidates.iter().map(|candidate| candidate.at).collect();
        let inquiry = compressor.inquiry(head, whose, candidates, books.only_counts);
        Ok(Verdict::Wait(WaitingVerdict(Box::pin(async move {
            // This runs as a separate task, because it may panic and because calls that have begun should finish even
            // if the client disconnects. In that case the guard is dropped, and no further call begins.
            let left = CancellationToken::new();
            let _here = left.clone().drop_guard();
            let consulted = tokio::spawn(compressor.consult(inquiry, left)).await;
            let consulted = consulted.unwrap_or_else(|_| Consultation::nothing(&places));
            let books = books.found().await;
            Box::new(move || books.settled(sent, consulted)) as Box<dyn FnOnce() -> Verdict + Send>
        }))))
    }

    /// The verdict on a request whose response we do not see.
    fn pass_unwatched(
        &self,
        (provider, reading): (&'static Provider, &Reading<'_>),
        head: &Head<'_>,
        body: &Bytes,
    ) -> Result<Verdict, OptionError> {
        let (sent, whose) = self.sent_request((provider, reading), head, body)?;
        let settings = request_only(&sent.engine, ExpandOffer::Never);
        let engine = Arc::new(sent.engine.derived("request only", settings));
        let sent = SentRequest { engine, asked: sent.asked.clone().or(without_masks()), ..sent };
        self.books(head, &whose, sent.named).verdict(sent, reading, &Consultation::default())
    }

    /// Collects everything that determines what is forwarded, and finds out for whom.
    fn sent_request(
        &self,
        (provider, reading): (&'static Provider, &Reading<'_>),
        head: &Head<'_>,
        body: &Bytes,
    ) -> Result<(SentRequest, TenantId), OptionError> {
        let whose = self.whose(head)?;
        // If the history is stored at the provider, the memo is not used, because it does not show whether omitted
        // texts are still stored.
        let history = reading.history();
        let fresh = history == HistoryPlace::Elsewhere;
        let memo = if fresh { None } else { self.memory(&whose) };
        let sent = SentRequest {
            engine: self.engine(),
            provider,
            path: head.uri.path_and_query().map_or("", PathAndQuery::as_str).to_owned(),
            tenant: head.tenant_name().map(str::to_owned),
            asked: read_options(head.headers)?,
            named: session(head.headers),
            body: body.clone(),
            history,
            plain: memo.as_ref().map_or(0, |memory| memory.recall().plain(reading)),
            clearings: Vec::new(),
            agreed: RemoteAnswers::default(),
            memo,
        };
        Ok((sent, whose))
    }

    /// The totals and the store for a request, and where its conversation was cleared, if conversations are.
    fn look_up(
        &self,
        head: &Head<'_>,
        whose: &TenantId,
        sent: SentRequest,
        reading: &Reading<'_>,
    ) -> (SentRequest, Books) {
        let books = self.books(head, whose, sent.named);
        match self.cold.as_ref().filter(|_| sent.clears(reading)) {
            Some(watch) => books.look_up(watch, sent, reading, whose),
            None => (sent, books),
        }
    }

    /// The totals and the store for a request.
    fn books(&self, head: &Head<'_>, whose: &TenantId, session: Option<u64>) -> Books {
        Books {
            sums: Arc::clone(&self.sums),
            shelf: self.shelf(whose),
            sender: RequestSender::new(whose.identity(), session),
            only_counts: only_counts(head),
            watch: Arc::clone(&self.watch),
            betas: betas(head.headers),
            sighting: None,
            known: None,
            cold: None,
        }
    }

    fn whose(&self, head: &Head<'_>) -> Result<TenantId, OptionError> {
        let header = self.keeper.as_ref().and_then(|keeper| keeper.header());
        TenantId::of(header, head.uri, head.headers, head.tenant_name())
    }

    /// The memo of the client's earlier requests.
    fn memory(&self, whose: &TenantId) -> Option<TenantMemo> {
        Some(TenantMemo { memo: Arc::clone(self.memo.as_ref()?), whose: whose.identity().to_vec() })
    }

    /// The store for texts left out of a request, if the sender is identified.
    fn shelf(&self, whose: &TenantId) -> Option<TenantShelf> {
        let keeper = Arc::clone(self.keeper.as_ref()?);
        let tenant = keeper.tenant(whose)?;
        Some(TenantShelf { keeper, tenant })
    }
}

/// True for a request that only counts tokens.
fn only_counts(head: &Head<'_>) -> bool {
    COUNTS.iter().any(|end| head.uri.path().ends_with(end))
}

impl Rewrite for EngineRewriter {
    fn wants(&self, head: &Head<'_>) -> bool {
        *head.method == Method::POST
            && claimed_provider(head.uri.path()).is_some_and(|provider| !self.is_off(provider, head))
    }

    fn unread(&self, head: &Head<'_>) -> Option<RequestEntry> {
        let provider = claimed_provider(head.uri.path()).filter(|_| *head.method == Method::POST)?;
        let whose = self.whose(head).ok().filter(|_| self.is_off(provider, head))?;
        let sender = RequestSender::new(whose.identity(), session(head.headers));
        let sums = (!only_counts(head)).then(|| Arc::clone(&self.sums));
        Some(RequestEntry::new(sender, Report::default(), sums))
    }

    fn rewrite(&self, head: &Head<'_>, body: &Bytes) -> Verdict {
        let Some(provider) = claimed_provider(head.uri.path()) else { return Verdict::Keep };
        let reading = provider.read(body);
        match self.sent_request((provider, &reading), head, body) {
            Ok((sent, whose)) => {
                let looked_up = self.look_up(head, &whose, sent, &reading);
                self.rewrite_read(&reading, head, looked_up, &whose)
            }
            Err(why) => refuse(why),
        }
    }

    fn rewrite_known(&self, head: &Head<'_>, body: &Bytes) -> Option<Verdict> {
        let provider = claimed_provider(head.uri.path())?;
        let reading = provider.read(body);
        let (sent, whose) = self.sent_request((provider, &reading), head, body).ok()?;
        let (sent, mut books) = self.look_up(head, &whose, sent, &reading);
        let known = if books.is_cold() { None } else { sent.look_up(&reading) };
        books.known = Some(known.filter(|known| known.new_bytes(&reading) <= MAX_NEW_BYTES)?);
        Some(self.rewrite_read(&reading, head, (sent, books), &whose))
    }

    fn rewrite_unwatched(&self, head: &Head<'_>, body: &Bytes) -> Verdict {
        let Some(provider) = claimed_provider(head.uri.path()) else { return Verdict::Keep };
        self.pass_unwatched((provider, &provider.read(body)), head, body).unwrap_or_else(refuse)
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
            asked: read_options(head.headers).unwrap_or_default(),
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
            let Some(TenantShelf { keeper, tenant }) = place else { return false };
            keeper.keep(tenant, kept).await
        })
    }

    fn tenant(&self, head: &Head<'_>) -> Option<Vec<u8>> {
        self.whose(head).ok()?.rate_key()
    }

    fn on_bypass(&self, _head: &Head<'_>, _why: BypassReason) {
        self.sums.miss();
    }

    fn sent_plain(&self, head: &Head<'_>, body: &Bytes) {
        let Some(provider) = claimed_provider(head.uri.path()) else { return };
        if let Some(memory) = self.whose(head).ok().and_then(|whose| self.memory(&whose)) {
            memory.recall().keep_plain(&provider.read(body));
        }
    }
}
