//! Follows a request whose model may ask for what was left out, and answers from that very request.
//!
//! Until a model asks, nothing is held but the client's own body: what was left out is found again by compressing it
//! again, which gives the same bytes.

use std::sync::Arc;

use bytes::Bytes;
use http::HeaderMap;
use http::header::{HeaderName, HeaderValue};
use tersely_account::TokenUsage;
use tersely_core::Loss;
use tersely_core::expand::FAILED;
use tersely_engine::{
    Answers, Candidate, Engine, Fetched, ForwardBody, HiddenTools, HiddenWay, KeptOriginal, Memo,
    OptionError, Recall, RemoteAnswers, Report, Request, RequestOptions,
};
use tersely_store::Tenant;
use tersely_wire::hidden::{HiddenTurn, HidesTool, ResponseFraming, ResponseWatch};
use tersely_wire::{HistoryPlace, Provider};
use tokio::task::spawn_blocking;

use crate::llm::keeper::Keeper;
use crate::llm::rewrite::{Follow, FollowEnd, Pending, Round};
use crate::llm::totals::TotalSums;
use crate::worker_pool::guarded;

/// What a response says of what was fetched back: tokens by stage, and what the further rounds cost to read.
const FETCHED: HeaderName = HeaderName::from_static("x-tersely-tokens-fetched");
const ROUNDS: HeaderName = HeaderName::from_static("x-tersely-tokens-rounds");

/// A request under way.
pub(crate) struct Trail {
    sent: Arc<Sent>,
    way: HiddenWay,
    sums: Arc<TotalSums>,
    shelf: Option<TrailShelf>,
    /// The most that was lost.
    most: Loss,
    /// The latest request and the answers, once the model has asked.
    asked: Option<Talk>,
}

/// A request that goes on with the model's turns, and what they are answered from.
struct Talk {
    body: Bytes,
    answers: Answers,
}

/// All that decides what is forwarded.
pub(crate) struct Sent {
    pub(crate) engine: Arc<Engine>,
    pub(crate) provider: &'static dyn Provider,
    pub(crate) path: String,
    /// The tenant who sent it, if that was checked.
    pub(crate) tenant: Option<String>,
    pub(crate) asked: RequestOptions,
    /// A hash of the name that its head gives its conversation.
    pub(crate) named: Option<u64>,
    pub(crate) body: Bytes,
    /// Where the rest of its conversation is.
    pub(crate) history: HistoryPlace,
    /// How many results an earlier request sent as they came.
    pub(crate) plain: usize,
    /// What stands for its results by the word of a compressor.
    pub(crate) agreed: RemoteAnswers,
    pub(crate) memo: Option<TrailMemory>,
}

/// What is remembered of earlier requests, and of whom.
pub(crate) struct TrailMemory {
    pub(crate) memo: Arc<Memo>,
    pub(crate) whose: Vec<u8>,
}

impl TrailMemory {
    /// The memo, as its client may use it.
    pub(crate) fn recall(&self) -> Recall<'_> {
        Recall { memo: &self.memo, whose: &self.whose }
    }
}

/// Where a tenant's texts are kept, for requests that name earlier ones.
#[derive(Clone)]
pub(crate) struct TrailShelf {
    pub(crate) keeper: Arc<Keeper>,
    pub(crate) tenant: Tenant,
}

impl Sent {
    /// What is forwarded, with at most this loss.
    fn pass(&self, most: Loss) -> Result<ForwardBody<'_>, OptionError> {
        self.with(most, None)
    }

    /// The same, only faster where its beginning is remembered; what was left out of that is then not given again.
    pub(crate) fn pass_on(&self) -> Result<ForwardBody<'_>, OptionError> {
        self.with(Loss::Detail, self.memo.as_ref().map(TrailMemory::recall))
    }

    fn with(&self, most: Loss, memo: Option<Recall<'_>>) -> Result<ForwardBody<'_>, OptionError> {
        self.engine.pass(&self.request(most, memo), &self.body)
    }

    /// The results that a compressor may shorten.
    pub(crate) fn candidates(&self) -> Vec<Candidate> {
        self.engine.candidates(&self.request(Loss::Detail, None), &self.body)
    }

    fn request<'r>(&'r self, most: Loss, memo: Option<Recall<'r>>) -> Request<'r> {
        let (provider, path, asked) = (self.provider, self.path.as_str(), self.asked.clone());
        let (named, plain, agreed) = (self.named, self.plain, Some(&self.agreed));
        let tenant = self.tenant.as_deref();
        Request { tenant, asked, named, most, plain, agreed, memo, ..Request::new(provider, path) }
    }

    /// What was forwarded first, and what was left out of it.
    fn again(&self, most: Loss) -> Option<Talk> {
        let passed = self.pass(most).ok()?;
        let HiddenTools { kept, way } = passed.hidden?;
        let mut answers = Answers::new(kept);
        if let Some(shed) = &way.shed {
            answers = answers.searching(shed, &self.body);
        }
        Some(Talk { body: Bytes::from(passed.body.into_owned()), answers })
    }

    /// The body with nothing left out, and the account of it.
    fn whole(&self) -> Option<(Vec<u8>, Report)> {
        self.pass(Loss::Form).ok().map(|passed| (passed.body.into_owned(), passed.report))
    }
}

impl Trail {
    /// Follows what was sent with a tool hidden in it.
    pub(crate) fn new(sent: Sent, way: HiddenWay, sums: Arc<TotalSums>, shelf: Option<TrailShelf>) -> Self {
        Self { sent: Arc::new(sent), way, sums, shelf, most: Loss::Detail, asked: None }
    }

    /// Another body, when the next request may only name this one and what was left out cannot be kept until then.
    async fn settled(&mut self, kept: Vec<KeptOriginal>) -> Option<(Vec<u8>, Report)> {
        if kept.is_empty() {
            return None;
        }
        let keeper = self.shelf.clone();
        match self.sent.history {
            HistoryPlace::Here => return None,
            HistoryPlace::Named => {
                // The answer to this request is in it; the rest is for a later one, which may never come.
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
        let whole = aside(move || sent.whole()).await?;
        self.most = Loss::Form;
        Some(whole)
    }

    /// The request of the next round. All that takes time in proportion to a text is done off the threads that serve.
    async fn answer(&mut self, turn: HiddenTurn, round: Round, room: usize) -> Option<Bytes> {
        let (most, sent, asked) = (self.most, Arc::clone(&self.sent), self.asked.take());
        let begun = move || {
            let talk = asked.or_else(|| sent.again(most))?;
            let unknown = talk.answers.unknown(&turn.asks);
            Some((talk, turn, unknown))
        };
        let (mut talk, turn, unknown) = aside(begun).await?;
        if let Some(shelf) = &self.shelf {
            for (id, text) in shelf.keeper.find(shelf.tenant, unknown).await {
                talk.answers.add(id, text);
            }
        }
        let way = self.way.clone();
        let (body, answers) = aside(move || talk.go_on(&way, &turn, round, room)).await?;
        self.asked = Some(Talk { body: body.clone(), answers });
        Some(body)
    }
}

impl Talk {
    /// The next request, and the answers so far. Should we fail at the answers, the model is told so.
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
        let next = guarded(|| answered(hides, turn, &texts, &body)).ok().flatten();
        let next = next.or_else(|| answered(hides, turn, &vec![FAILED.to_owned(); texts.len()], &body))?;
        let next = match round {
            Round::Open => next,
            Round::Last => hides.withdraw(names, &next).ok().flatten().unwrap_or(next),
        };
        Some((Bytes::from(next), answers))
    }
}

fn answered(hides: &dyn HidesTool, turn: &HiddenTurn, texts: &[String], body: &[u8]) -> Option<Vec<u8>> {
    hides.answer(turn, texts, body).ok()
}

impl TrailShelf {
    async fn keep(&self, kept: Vec<KeptOriginal>) -> bool {
        self.keeper.keep(self.tenant, kept).await
    }
}

/// What `work` gives on another thread, unless it panics.
async fn aside<T: Send + 'static>(work: impl FnOnce() -> Option<T> + Send + 'static) -> Option<T> {
    spawn_blocking(move || guarded(work)).await.ok()?.ok()?
}

impl Follow for Trail {
    fn settle(&mut self, kept: Vec<KeptOriginal>) -> Pending<'_, Option<(Vec<u8>, Report)>> {
        Box::pin(self.settled(kept))
    }

    fn watch(&self, framing: ResponseFraming) -> Box<dyn ResponseWatch> {
        self.way.watch(framing, self.sent.history)
    }

    fn next(&mut self, turn: HiddenTurn, round: Round, room: usize) -> Pending<'_, Option<Bytes>> {
        Box::pin(self.answer(turn, round, room))
    }

    fn over(&mut self, further: TokenUsage) -> FollowEnd {
        let Some(Talk { answers, .. }) = &self.asked else { return FollowEnd::default() };
        let (fetched, rounds) = (answers.fetched().clone(), price(further));
        self.sums.fetch(&fetched, rounds);
        FollowEnd { headers: told(&fetched, rounds), fetched }
    }
}

/// What was read, in tokens at full price: what comes from a provider's cache costs a tenth, what goes there a quarter
/// more.
fn price(usage: TokenUsage) -> u64 {
    usage.input + usage.cache_read / 10 + usage.cache_write + usage.cache_write / 4
}

fn told(fetched: &Fetched, rounds: u64) -> HeaderMap {
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

    use tersely_core::{O200k, Plan, Tokens};
    use tersely_engine::EngineSettings;
    use tersely_store::{Remote, Store, StorePlace, StoreSecret};

    use super::*;
    use crate::llm::tenant_id::Whose;

    /// Where a request leaves most of a long result out, and what that was.
    fn sent(member: &str) -> (Sent, Vec<KeptOriginal>) {
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
        let history = provider.history(&body);
        let agreed = RemoteAnswers::default();
        let sent = Sent {
            engine,
            provider,
            path,
            tenant: None,
            asked,
            named: None,
            body,
            history,
            plain: 0,
            agreed,
            memo: None,
        };
        let kept = sent.pass(Loss::Detail).unwrap().hidden.unwrap().kept;
        assert!(!kept.is_empty());
        (sent, kept)
    }

    fn shelf(store: &tersely_store::StoreSettings) -> TrailShelf {
        let keeper = Keeper::new(Store::open(store).unwrap(), None);
        let mut headers = HeaderMap::new();
        headers.insert("x-api-key", HeaderValue::from_static("one"));
        let whose = Whose::of(None, &http::Uri::default(), &headers, None).unwrap_or_default();
        let tenant = keeper.tenant(&whose).unwrap();
        TrailShelf { keeper: Arc::new(keeper), tenant }
    }

    /// A store behind a door that nobody opens.
    fn dead() -> tersely_store::StoreSettings {
        let deadline = Duration::from_millis(50);
        let addresses = vec!["redis://127.0.0.1:1".to_owned()];
        let place = StorePlace::Remote(Remote { addresses, deadline, ..Remote::default() });
        let secret = StoreSecret::new(b"a secret that is long enough to be one").ok();
        tersely_store::StoreSettings { place, secret, ..tersely_store::StoreSettings::default() }
    }

    async fn settle(member: &str, shelf: Option<TrailShelf>) -> Option<String> {
        let (sent, kept) = sent(member);
        let way = sent.pass(Loss::Detail).unwrap().hidden.unwrap().way;
        let mut trail = Trail::new(sent, way, Arc::default(), shelf);
        let (body, report) = trail.settle(kept).await?;
        let body = String::from_utf8(body).unwrap();
        assert_eq!(
            report.record.request_tokens.unwrap().after,
            O200k.count(&body),
            "the account is that of the other body"
        );
        Some(body)
    }

    /// What is kept under the name of what such a request leaves out, once it is.
    async fn found(shelf: &TrailShelf) -> Option<String> {
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
