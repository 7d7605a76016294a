//! Answers a model that asks for omitted text, using the request from which the text was omitted.
//!
//! Until the model asks, only the client's original body is kept in memory. The omitted text is then found by
//! compressing the body again, which gives the same bytes.

use std::fmt;
use std::sync::Arc;

use bytes::Bytes;
use http::HeaderMap;
use http::header::{HeaderName, HeaderValue};
use tersely_account::TokenUsage;
use tersely_core::Loss;
use tersely_core::expand::FAILED;
use tersely_engine::{
    Answers, Candidate, ClearPoint, Engine, Fetches, ForwardBody, HiddenTools, HiddenWay, KeptOriginal,
    KnownPart, Memo, OptionError, Recall, RemoteAnswers, Report, Request, RequestOptions,
};
use tersely_store::Tenant;
use tersely_wire::hidden::{HiddenTurn, ResponseFraming, ResponseWatch, ToolHiding};
use tersely_wire::{HistoryPlace, Provider, Reading};
use tokio::task::spawn_blocking;

use crate::llm::cold::ColdRequest;
use crate::llm::keeper::Keeper;
use crate::llm::totals::TotalSums;
use crate::worker_pool::catch_panic;

/// Response headers: the tokens fetched back for each stage, and the tokens read in the further rounds.
const FETCHED: HeaderName = HeaderName::from_static("x-tersely-tokens-fetched");
const ROUNDS: HeaderName = HeaderName::from_static("x-tersely-tokens-rounds");

/// A request whose model may ask for omitted text.
pub struct Expansion {
    sent: Arc<SentRequest>,
    way: HiddenWay,
    sums: Arc<TotalSums>,
    shelf: Option<TenantShelf>,
    /// The greatest loss that was allowed for the forwarded body.
    most: Loss,
    /// A clearing that has to be recorded before the request is sent.
    clearing: Option<NewClearing>,
    /// The latest request and the answers so far, once the model has asked.
    asked: Option<Conversation>,
}

/// A clearing that begins with this request.
pub(crate) struct NewClearing {
    pub(crate) cold: ColdRequest,
    pub(crate) point: ClearPoint,
}

/// A request extended by the model's turns, and the texts to answer them with.
struct Conversation {
    body: Bytes,
    answers: Answers,
}

/// The data to report when a response has ended.
#[derive(Debug, Default)]
pub(crate) struct ExpansionEnd {
    /// Headers to add, if they have not been sent yet.
    pub(crate) headers: HeaderMap,
    /// The texts that the model fetched back.
    pub(crate) fetched: Fetches,
}

/// Whether another round may follow.
#[derive(Clone, Copy, Debug, Eq, PartialEq)]
pub(crate) enum Round {
    /// Another round may follow.
    Open,
    /// No round follows, whatever the model asks for.
    Last,
}

/// Everything that determines what is forwarded.
pub(crate) struct SentRequest {
    pub(crate) engine: Arc<Engine>,
    pub(crate) provider: &'static Provider,
    pub(crate) path: String,
    /// The authenticated tenant, if any.
    pub(crate) tenant: Option<String>,
    pub(crate) asked: RequestOptions,
    /// A hash of the session name in the request's headers.
    pub(crate) named: Option<u64>,
    pub(crate) body: Bytes,
    /// Where the rest of the conversation is stored.
    pub(crate) history: HistoryPlace,
    /// The number of results that an earlier request forwarded unchanged.
    pub(crate) plain: usize,
    /// Where the conversation was cleared, before this request.
    pub(crate) clearings: Vec<ClearPoint>,
    /// Answers of a remote compressor that replace results of the request.
    pub(crate) agreed: RemoteAnswers,
    pub(crate) memo: Option<TenantMemo>,
}

/// The memo of earlier requests, and their sender.
pub(crate) struct TenantMemo {
    pub(crate) memo: Arc<Memo>,
    pub(crate) whose: Vec<u8>,
}

impl TenantMemo {
    /// A view of the memo that is restricted to this sender.
    pub(crate) fn recall(&self) -> Recall<'_> {
        Recall { memo: &self.memo, whose: &self.whose }
    }
}

/// The store for a tenant's texts, for requests that refer to earlier requests.
#[derive(Clone)]
pub(crate) struct TenantShelf {
    pub(crate) keeper: Arc<Keeper>,
    pub(crate) tenant: Tenant,
}

impl SentRequest {
    /// The body to forward, with at most the loss `most`.
    fn pass(&self, most: Loss) -> Result<ForwardBody<'_>, OptionError> {
        self.engine.pass(&self.request(most, None), &self.body)
    }

    /// The body to forward, with the greatest loss. This is faster if the memo contains the beginning of the
    /// conversation; texts omitted from that beginning are not returned again.
    /// `known` is what was looked up before.
    pub(crate) fn pass_on<'b>(
        &self,
        reading: &Reading<'b>,
        known: Option<&KnownPart>,
    ) -> Result<ForwardBody<'b>, OptionError> {
        let memo = self.memo.as_ref().map(TenantMemo::recall);
        self.engine.pass_reading(&Request { known, ..self.request(Loss::Detail, memo) }, reading)
    }

    /// What the memo knows about the body.
    pub(crate) fn look_up(&self, reading: &Reading<'_>) -> Option<KnownPart> {
        let memo = self.memo.as_ref().map(TenantMemo::recall);
        self.engine.look_up(&self.request(Loss::Detail, memo), reading)
    }

    /// The results that a compressor may shorten.
    pub(crate) fn candidates(&self, reading: &Reading<'_>) -> Vec<Candidate> {
        self.engine.candidates(&self.request(Loss::Detail, None), reading)
    }

    /// True when its conversation may be cleared.
    pub(crate) fn clears(&self, reading: &Reading<'_>) -> bool {
        self.engine.clears(&self.request(Loss::Detail, None), reading)
    }

    fn request<'r>(&'r self, most: Loss, memo: Option<Recall<'r>>) -> Request<'r> {
        let (provider, path, asked) = (self.provider, self.path.as_str(), self.asked.clone());
        let (named, plain, agreed) = (self.named, self.plain, Some(&self.agreed));
        let (tenant, shared) = (self.tenant.as_deref(), Some(&self.body));
        let clearings = &self.clearings;
        Request {
            tenant,
            asked,
            named,
            most,
            plain,
            clearings,
            agreed,
            shared,
            memo,
            ..Request::new(provider, path)
        }
    }

    /// Creates again the body that was forwarded first, and the texts left out of it.
    fn again(&self, most: Loss) -> Option<Conversation> {
        let passed = self.pass(most).ok()?;
        let HiddenTools { kept, way } = passed.hidden?;
        let mut answers = Answers::new(kept);
        if let Some(shed) = &way.shed {
            answers = answers.searching(shed, &self.body);
        }
        Some(Conversation { body: Bytes::from(passed.body.into_owned()), answers })
    }

    /// The body with nothing omitted, and its report.
    fn whole(&self) -> Option<(Vec<u8>, Report)> {
        self.pass(Loss::Form).ok().map(|passed| (passed.body.into_owned(), passed.report))
    }
}

impl Expansion {
    /// Creates the expansion of a request that was sent with a hidden tool.
    pub(crate) fn new(
        sent: SentRequest,
        way: HiddenWay,
        sums: Arc<TotalSums>,
        shelf: Option<TenantShelf>,
    ) -> Self {
        Self { sent: Arc::new(sent), way, sums, shelf, most: Loss::Detail, clearing: None, asked: None }
    }

    /// The same, with a clearing that has to be recorded first.
    pub(crate) fn clearing(self, clearing: Option<NewClearing>) -> Self {
        Self { clearing, ..self }
    }

    /// Records a clearing. If it cannot be recorded, returns the body without it, and its report.
    async fn settle_clearing(&mut self) -> Option<(Vec<u8>, Report)> {
        let NewClearing { cold, point } = self.clearing.take()?;
        if cold.record(point).await {
            return None;
        }
        // Nobody else holds the request before it is sent.
        Arc::get_mut(&mut self.sent)?.clearings = cold.points().to_vec();
        let sent = Arc::clone(&self.sent);
        offload(move || sent.pass(Loss::Detail).ok().map(|passed| (passed.body.into_owned(), passed.report)))
            .await
    }

    /// Stores the omitted texts if later requests may only refer to this one. If they had to be stored and could not
    /// be, returns another body to forward instead, with nothing omitted, and its report.
    pub(crate) async fn settle(&mut self, kept: Vec<KeptOriginal>) -> Option<(Vec<u8>, Report)> {
        if let Some(uncleared) = self.settle_clearing().await {
            return Some(uncleared);
        }
        if kept.is_empty() {
            return None;
        }
        let keeper = self.shelf.clone();
        match self.sent.history {
            HistoryPlace::Here => return None,
            HistoryPlace::Named => {
                // This response can be served from the request itself. The stored texts are needed only for a later
                // request, which may never be sent.
                tokio::spawn(async move { keeper?.keep(kept).await.then_some(()) });
                return None;
            }
            HistoryPlace::Elsewhere => {}
        }
        if let Some(keeper) = keeper
            && keeper.keep(kept).await
        {
            return None;
        }
        let sent = Arc::clone(&self.sent);
        let whole = offload(move || sent.whole()).await?;
        self.most = Loss::Form;
        Some(whole)
    }

    /// The body of the next round: the previous body, the model's turn, and the answers to it, which may have `room`
    /// bytes in total over all rounds. If it is `None`, the response cannot continue. All work that depends on the
    /// length of a text runs on other threads.
    pub(crate) async fn next(&mut self, turn: HiddenTurn, round: Round, room: usize) -> Option<Bytes> {
        let (most, sent, asked) = (self.most, Arc::clone(&self.sent), self.asked.take());
        let begun = move || {
            let talk = asked.or_else(|| sent.again(most))?;
            let unknown = talk.answers.unknown(&turn.asks);
            Some((talk, turn, unknown))
        };
        let (mut talk, turn, unknown) = offload(begun).await?;
        if let Some(shelf) = &self.shelf {
            for (id, text) in shelf.keeper.find(shelf.tenant, unknown).await {
                talk.answers.add(id, text);
            }
        }
        let way = self.way.clone();
        let (body, answers) = offload(move || talk.go_on(&way, &turn, round, room)).await?;
        self.asked = Some(Conversation { body: body.clone(), answers });
        Some(body)
    }

    /// Creates a watch that finds calls of the hidden tool in the response.
    pub(crate) fn watch(&self, framing: ResponseFraming) -> Box<dyn ResponseWatch> {
        self.way.watch(framing, self.sent.history)
    }

    /// Reports the totals when the response has ended; `further` is the usage of the rounds after the first.
    pub(crate) fn finish(&mut self, further: TokenUsage) -> ExpansionEnd {
        let Some(Conversation { answers, .. }) = &self.asked else { return ExpansionEnd::default() };
        let (fetched, rounds) = (answers.fetches().clone(), price(further));
        self.sums.fetch(&fetched, rounds);
        ExpansionEnd { headers: fetch_headers(&fetched, rounds), fetched }
    }
}

impl fmt::Debug for Expansion {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("Expansion")
    }
}

impl Conversation {
    /// The next request, and the answers so far. If answering fails, the model gets an error message instead.
    fn go_on(
        self,
        way: &HiddenWay,
        turn: &HiddenTurn,
        round: Round,
        room: usize,
    ) -> Option<(Bytes, Answers)> {
        let (hides, names) = (way.hides, way.names);
        let Self { body, mut answers } = self;
        let texts = answers.answer(room, &turn.asks);
        let next = catch_panic(|| answer_body(hides, turn, &texts, &body)).ok().flatten();
        let next = next.or_else(|| answer_body(hides, turn, &vec![FAILED.to_owned(); texts.len()], &body))?;
        let next = match round {
            Round::Open => next,
            Round::Last => hides.withdraw(names, &next).ok().flatten().unwrap_or(next),
        };
        Some((Bytes::from(next), answers))
    }
}

fn answer_body(hides: &ToolHiding, turn: &HiddenTurn, texts: &[String], body: &[u8]) -> Option<Vec<u8>> {
    hides.answer(turn, texts, body).ok()
}

impl TenantShelf {
    async fn keep(&self, kept: Vec<KeptOriginal>) -> bool {
        self.keeper.keep(self.tenant, kept).await
    }
}

/// Runs `work` on another thread; `None` if it panics.
async fn offload<T: Send + 'static>(work: impl FnOnce() -> Option<T> + Send + 'static) -> Option<T> {
    spawn_blocking(move || catch_panic(work)).await.ok()?.ok()?
}

/// Tokens read, converted to tokens at full price: a cache read costs a tenth, and a cache write a quarter more.
fn price(usage: TokenUsage) -> u64 {
    usage.input + usage.cache_read / 10 + usage.cache_write + usage.cache_write / 4
}

fn fetch_headers(fetched: &Fetches, rounds: u64) -> HeaderMap {
    let stages = fetched.iter().map(|(stage, fetch)| format!("{stage}={}", fetch.tokens));
    let stages = stages.collect::<Vec<_>>().join(", ");
    let mut headers = HeaderMap::new();
    if let Ok(stages) = HeaderValue::try_from(stages) {
        headers.insert(FETCHED, stages);
    }
    headers.insert(ROUNDS, HeaderValue::from(rounds));
    headers
}

#[cfg(test)]
mod tests {
    use std::time::Duration;

    use tersely_core::{O200k, Plan};
    use tersely_engine::EngineSettings;
    use tersely_store::{Remote, Store, StorePlace, StoreSecret};

    use super::*;
    use crate::access::TenantId;

    /// A request from which most of a long result is omitted, and the omitted texts.
    fn sent(member: &str) -> (SentRequest, Vec<KeptOriginal>) {
        let line = |n| format!("INFO worker {} finished batch {n}", n % 7);
        let log = (0..1500).map(line).collect::<Vec<_>>().join("\\n");
        let body = format!(
            r#"{{"tools":[{{"type":"function","name":"Bash"}}],{member}"input":[{{"type":"function_call_output","call_id":"c","output":"{log}\nerror: disk full"}}]}}"#
        );
        let plan = Plan { loss: Loss::Detail, max_bytes: 4096, ..Plan::default() };
        let engine = Arc::new(Engine::new(EngineSettings { plan, ..EngineSettings::default() }));
        let path = "/v1/responses".to_owned();
        let provider = tersely_wire::claimed_provider(&path).unwrap();
        let (body, asked) = (Bytes::from(body), RequestOptions::default());
        let history = provider.read(&body).history();
        let agreed = RemoteAnswers::default();
        let sent = SentRequest {
            engine,
            provider,
            path,
            tenant: None,
            asked,
            named: None,
            body,
            history,
            plain: 0,
            clearings: Vec::new(),
            agreed,
            memo: None,
        };
        let kept = sent.pass(Loss::Detail).unwrap().hidden.unwrap().kept;
        assert!(!kept.is_empty());
        (sent, kept)
    }

    fn shelf(store: &tersely_store::StoreSettings) -> TenantShelf {
        let keeper = Keeper::new(Store::open(store).unwrap(), None);
        let mut headers = HeaderMap::new();
        headers.insert("x-api-key", HeaderValue::from_static("one"));
        let whose = TenantId::of(None, &http::Uri::default(), &headers, None).unwrap_or_default();
        let tenant = keeper.tenant(&whose).unwrap();
        TenantShelf { keeper: Arc::new(keeper), tenant }
    }

    /// Settings of a store at an address where no server listens.
    fn dead() -> tersely_store::StoreSettings {
        let deadline = Duration::from_millis(50);
        let addresses = vec!["redis://127.0.0.1:1".to_owned()];
        let place = StorePlace::Remote(Remote { addresses, deadline, ..Remote::default() });
        let secret = StoreSecret::new(b"a secret that is long enough to be one").ok();
        tersely_store::StoreSettings { place, secret, ..tersely_store::StoreSettings::default() }
    }

    async fn settle(member: &str, shelf: Option<TenantShelf>) -> Option<String> {
        let (sent, kept) = sent(member);
        let way = sent.pass(Loss::Detail).unwrap().hidden.unwrap().way;
        let mut trail = Expansion::new(sent, way, Arc::default(), shelf);
        let (body, report) = trail.settle(kept).await?;
        let body = String::from_utf8(body).unwrap();
        assert_eq!(
            report.record.request_tokens.unwrap().after,
            O200k.count(&body),
            "the account is that of the other body"
        );
        Some(body)
    }

    /// Waits until the text omitted from such a request is stored, and returns it.
    async fn found(shelf: &TenantShelf) -> Option<String> {
        let (_, kept) = sent("");
        for _ in 0..200 {
            let found = shelf.keeper.find(shelf.tenant, vec![kept[0].id.clone()]).await;
            if let Some((_, text)) = found.into_iter().next() {
                return Some(text);
            }
            tokio::time::sleep(Duration::from_millis(5)).await;
        }
        None
    }

    #[tokio::test]
    async fn what_a_later_request_may_only_name_is_kept_if_it_can_be() {
        let store = shelf(&tersely_store::StoreSettings::default());
        assert_eq!(settle("", Some(store.clone())).await, None);
        assert_eq!(found(&store).await, Some(sent("").1.remove(0).text));
        assert_eq!(settle("", Some(shelf(&dead()))).await, None, "the answer to this request is in it");
        assert_eq!(settle("", None).await, None);
    }

    #[tokio::test]
    async fn what_is_all_here_is_not_kept() {
        let store = shelf(&tersely_store::StoreSettings::default());
        assert_eq!(settle(r#""store":false,"#, Some(store.clone())).await, None);
        tokio::time::sleep(Duration::from_millis(20)).await;
        let (_, kept) = sent("");
        assert_eq!(store.keeper.find(store.tenant, vec![kept[0].id.clone()]).await, []);
    }

    #[tokio::test]
    async fn what_is_elsewhere_is_left_out_only_if_it_is_kept() {
        const NAMED: &str = r#""previous_response_id":"resp_1","#;
        let store = shelf(&tersely_store::StoreSettings::default());
        assert_eq!(settle(NAMED, Some(store.clone())).await, None);
        assert_eq!(found(&store).await, Some(sent("").1.remove(0).text));
        for shelf in [None, Some(shelf(&dead()))] {
            let whole = settle(NAMED, shelf).await.expect("another body");
            assert!(!whole.contains("SHADOW:shadow_") && whole.contains("700"), "{whole}");
        }
    }
}
