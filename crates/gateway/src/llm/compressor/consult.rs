//! Finds replacements for the results of a request: agreed answers, or new answers of a remote compressor.
//!
//! Only results that the model has not seen are sent to the compressor, and every outcome is stored, including
//! failures, so that the same request always gets the same bytes. All calls must end within one deadline.

use std::collections::HashMap;
use std::sync::Arc;
use std::time::Duration;

use http::Uri;
use http::header::{AUTHORIZATION, HeaderMap, HeaderName, HeaderValue};
use tersely_account::{RemoteOutcome, RemoteSums};
use tersely_engine::{Candidate, CompressorAsk, RemoteAnswer, RemoteAnswers};
use tersely_store::{Breaker, Store, StoreSettings};
use tokio::select;
use tokio::sync::{OwnedSemaphorePermit, Semaphore};
use tokio::time::{Instant, timeout_at};
use tokio_util::sync::CancellationToken;

use crate::access::TenantId;
use crate::error::Error;
use crate::http::client::Pools;
use crate::llm::compressor::agreement::{Agreement, AnswerKey, StoredAnswer};
use crate::llm::compressor::call::{CallFault, call};
use crate::llm::compressor::pace::Pace;
use crate::llm::compressor::settings::CompressorSettings;
use crate::llm::compressor::shape;
use crate::llm::keeper::{Keeper, all};
use crate::llm::rewrite::Head;
use crate::settings::GatewaySettings;

/// The maximum number of concurrent calls, over all requests.
const MAX_CONCURRENT_CALLS: usize = 10;

/// The maximum number of results of one request to send to the compressor.
const MAX_ASKS: usize = 64;

/// Limits the data that waits to be sent, over all requests, even if their clients have disconnected: each request
/// takes one unit, and one more for each `UNIT_BYTES` bytes.
const MAX_QUEUED_UNITS: usize = 2048;
const UNIT_BYTES: usize = 64 << 10;

/// How long a compressor is not called after several consecutive failures.
const BREAKER_PAUSE: Duration = Duration::from_secs(30);

/// The prefix of an answer's owner, so that answers for requests without credentials have an owner too.
const OWNER: &[u8] = b"compressor\n";

/// A remote compressor, and the agreed answers.
pub struct Compressor {
    settings: CompressorSettings,
    address: Uri,
    pools: Pools,
    breaker: Breaker,
    places: Semaphore,
    pace: Pace,
    room: Arc<Semaphore>,
    agreement: Agreement,
}

/// The questions to ask the compressor about one request.
pub(crate) struct Inquiry {
    /// The results of the request that may be replaced.
    pub(crate) candidates: Vec<Candidate>,
    /// The sender's identity, first without the login, which may be renewed, and then in full.
    pub(crate) lasting: Arc<[u8]>,
    pub(crate) said: Arc<[u8]>,
    /// The credential of the request, if it may be sent to the compressor.
    pub(crate) credential: HeaderMap,
    /// True if the request only counts tokens; then nothing is sent or stored.
    pub(crate) only_counts: bool,
    /// The units that this inquiry takes; `None` if nothing is sent.
    _room: Option<OwnedSemaphorePermit>,
}

/// The result of an inquiry.
#[derive(Default)]
pub(crate) struct Consultation {
    pub(crate) agreed: RemoteAnswers,
    /// The number of calls made, and their tokens.
    pub(crate) calls: u64,
    pub(crate) tokens: u64,
    /// What became of the results that the compressor was to shorten.
    pub(crate) outcomes: RemoteSums,
}

impl Consultation {
    /// The result of a failed inquiry: all results at these positions are left whole.
    pub(crate) fn nothing(places: &[usize]) -> Self {
        let mut consulted = Self::default();
        for at in places {
            consulted.agreed.settle(*at, RemoteAnswer::Whole);
        }
        consulted
    }
}

/// A result that this process has no answer for.
struct OpenResult {
    at: usize,
    key: AnswerKey,
    ask: Option<CompressorAsk>,
}

/// Limits the time to wait for calls.
#[derive(Clone)]
struct CallWait {
    deadline: Instant,
    /// Cancelled when the client has disconnected.
    left: CancellationToken,
}

impl CallWait {
    /// Waits for the result of `wait`; `None` as soon as the client has disconnected.
    async fn unless_left<T>(&self, wait: impl Future<Output = T>) -> Option<T> {
        select! {
            biased;
            () = self.left.cancelled() => None,
            given = wait => Some(given),
        }
    }
}

/// What became of a result: the text, if it is usable, and the tokens used.
struct CallOutcome {
    outcome: RemoteOutcome,
    text: Option<String>,
    tokens: u64,
}

impl Compressor {
    /// Creates a compressor that is reached in the same way as upstreams. Its answers are stored where `keeper` stores
    /// texts.
    ///
    /// # Errors
    /// Fails if a setting is invalid.
    pub fn new(
        settings: CompressorSettings,
        gateway: &GatewaySettings,
        keeper: &Keeper,
    ) -> Result<Self, Error> {
        let near =
            Store::open(&StoreSettings::default()).map_err(|error| Error::setting(error.to_string()))?;
        if shape::headers(settings.shape, settings.key.as_deref()).is_none() {
            return Err(Error::setting(
                "the compressor's key contains characters that are not allowed in a header",
            ));
        }
        Ok(Self {
            address: settings.address()?,
            pace: Pace::new(settings.rate),
            settings,
            pools: Pools::new(gateway)?,
            breaker: Breaker::new(BREAKER_PAUSE),
            places: Semaphore::new(MAX_CONCURRENT_CALLS),
            room: Arc::new(Semaphore::new(MAX_QUEUED_UNITS)),
            agreement: Agreement::new(keeper.store(), near),
        })
    }

    /// Creates the inquiry for a request with these results.
    pub(crate) fn inquiry(
        &self,
        head: &Head<'_>,
        whose: &TenantId,
        mut candidates: Vec<Candidate>,
        only_counts: bool,
    ) -> Inquiry {
        let room = self.admit(&mut candidates);
        let [lasting, said] = [whose.lasting(), whose.identity()].map(|who| [OWNER, who].concat().into());
        Inquiry { candidates, lasting, said, credential: self.credential(head), only_counts, _room: room }
    }

    /// Limits the data to send: a maximum number of results for one request, and nothing if too few units are free.
    fn admit(&self, candidates: &mut [Candidate]) -> Option<OwnedSemaphorePermit> {
        candidates.iter_mut().filter(|it| it.ask.is_some()).skip(MAX_ASKS).for_each(|it| it.ask = None);
        let asks = candidates.iter().filter_map(|it| it.ask.as_ref());
        let bytes: usize = asks.map(|ask| ask.text.len() + ask.question.len()).sum();
        if bytes == 0 {
            return None;
        }
        let places = u32::try_from(1 + bytes / UNIT_BYTES).unwrap_or(u32::MAX);
        let room = Arc::clone(&self.room).try_acquire_many_owned(places).ok();
        if room.is_none() {
            for candidate in candidates {
                candidate.ask = None;
            }
        }
        room
    }

    /// The credential of a request, if the request is forwarded to the compressor's own server. Empty if the compressor
    /// has a key of its own.
    fn credential(&self, head: &Head<'_>) -> HeaderMap {
        let settings = &self.settings;
        let is_same = head.upstream.is_some_and(|upstream| upstream.is_at(&settings.endpoint));
        if !settings.is_lent() || !is_same {
            return HeaderMap::new();
        }
        let lent =
            CREDENTIAL_HEADERS.into_iter().filter_map(|name| Some((head.headers.get(&name)?.clone(), name)));
        lent.map(|(value, name)| (name, value)).chain(login(head.headers)).collect()
    }

    /// Finds the replacement for each result. Takes no longer than the deadline and a few store calls. Once the client
    /// has disconnected, no call begins, and nothing is stored for results that were not sent, because nobody has seen
    /// them.
    pub(crate) async fn consult(self: Arc<Self>, inquiry: Inquiry, left: CancellationToken) -> Consultation {
        let wait = CallWait { deadline: Instant::now() + self.settings.timeout, left };
        let Inquiry { candidates, lasting, said, credential, only_counts, _room } = inquiry;
        let mut consulted = Consultation::default();
        let (mut open, mut used) = (Vec::new(), Vec::new());
        for Candidate { at, name, is_bound, ask } in candidates {
            let key = AnswerKey { whose: Arc::clone(if is_bound { &lasting } else { &said }), name };
            match self.agreement.find_used(&key).await {
                Some(word) => {
                    consulted.agreed.settle(at, word.clone());
                    used.push((key, word));
                }
                None => open.push(OpenResult { at, key, ask }),
            }
        }
        let standings = self.look(&open).await;
        let mut asked = Vec::new();
        for pending in open {
            let OpenResult { at, key, ask } = pending;
            match (standings.get(&at), ask) {
                (Some(StoredAnswer::Said(word)), _) if only_counts => {
                    consulted.agreed.settle(at, word.clone());
                }
                _ if only_counts => consulted.agreed.settle(at, RemoteAnswer::Whole),
                (Some(StoredAnswer::Said(word)), _) => {
                    consulted.agreed.settle(at, self.agreement.hold(&key, word.clone()).await);
                }
                (Some(StoredAnswer::Open), Some(ask)) => asked.push((at, key, ask)),
                // The model has seen the whole result, the store could not be read, or a limit is reached: the result
                // is left whole.
                (standing, _) => {
                    let word = self.agreement.hold(&key, RemoteAnswer::Whole).await;
                    consulted.agreed.settle(at, word.clone());
                    if matches!(standing, Some(StoredAnswer::Open)) {
                        used.push((key, word));
                    }
                }
            }
        }
        if !only_counts && !used.is_empty() {
            let agreement = self.agreement.clone();
            tokio::spawn(async move { agreement.refresh(used).await });
        }
        consulted.agreed.mark_stored();
        self.ask_all(&wait, credential, asked, &mut consulted).await;
        consulted
    }

    /// The shared answers for these results, by position; `Unknown` for results that there was no time to look up.
    async fn look(self: &Arc<Self>, open: &[OpenResult]) -> HashMap<usize, StoredAnswer> {
        let begun = std::time::Instant::now();
        let calls = open.iter().map(|pending| {
            let (compressor, at, key) = (Arc::clone(self), pending.at, pending.key.clone());
            async move {
                let in_time = compressor.agreement.in_time(begun);
                let standing = if in_time {
                    compressor.agreement.find_shared(&key).await
                } else {
                    StoredAnswer::Unknown
                };
                Some((at, standing))
            }
        });
        all(calls).await.unwrap_or_default().into_iter().collect()
    }

    /// Sends these results to the compressor, a few at a time, and agrees on an answer for each.
    async fn ask_all(
        self: &Arc<Self>,
        wait: &CallWait,
        credential: HeaderMap,
        asked: Vec<(usize, AnswerKey, CompressorAsk)>,
        consulted: &mut Consultation,
    ) {
        for (at, ..) in &asked {
            consulted.agreed.settle(*at, RemoteAnswer::Whole);
        }
        let calls = asked.into_iter().map(|(at, key, ask)| {
            let (compressor, wait, credential) = (Arc::clone(self), wait.clone(), credential.clone());
            async move {
                let CallOutcome { outcome, text, tokens } = compressor.ask(&wait, credential, &ask).await;
                if !outcome.was_asked() && wait.left.is_cancelled() {
                    return Some((at, None, RemoteOutcome::Left, 0));
                }
                let word = compressor.settle(wait.deadline, &key, text).await;
                Some((at, Some(word), outcome, tokens))
            }
        });
        for (at, word, outcome, tokens) in all(calls).await.unwrap_or_default() {
            if let Some(word) = word {
                consulted.agreed.settle(at, word);
            }
            consulted.outcomes.count(outcome);
            consulted.calls += u64::from(outcome.was_asked());
            consulted.tokens = consulted.tokens.saturating_add(tokens);
        }
    }

    /// Agrees on an answer. After the deadline, waits for the store no longer than one call takes; if the store does
    /// not confirm the answer, the result is left whole.
    async fn settle(&self, deadline: Instant, key: &AnswerKey, text: Option<String>) -> RemoteAnswer {
        if self.agreement.in_time(deadline.into_std()) {
            self.agreement.settle(key, text.map_or(RemoteAnswer::Failed, RemoteAnswer::Text)).await
        } else {
            self.agreement.hold(key, RemoteAnswer::Whole).await
        }
    }

    /// Asks the compressor about a result, when it is its turn.
    async fn ask(&self, wait: &CallWait, credential: HeaderMap, ask: &CompressorAsk) -> CallOutcome {
        let deadline = wait.deadline;
        let place = wait.unless_left(timeout_at(deadline, self.places.acquire())).await;
        let Some(Ok(Ok(_place))) = place else { return without_text(RemoteOutcome::Full) };
        if wait.unless_left(self.pace.turn(deadline)).await.flatten().is_none() {
            return without_text(RemoteOutcome::Full);
        }
        match deadline.saturating_duration_since(Instant::now()) {
            Duration::ZERO => without_text(RemoteOutcome::Full),
            _ if !self.breaker.admits() => without_text(RemoteOutcome::Breaker),
            left => self.call(deadline, left, credential, ask).await,
        }
    }

    /// Calls the compressor.
    async fn call(
        &self,
        deadline: Instant,
        left: Duration,
        credential: HeaderMap,
        ask: &CompressorAsk,
    ) -> CallOutcome {
        let settings = &self.settings;
        // A key that no header can hold is refused at the start.
        let mut headers = shape::headers(settings.shape, settings.key.as_deref()).unwrap_or_default();
        headers.extend(credential);
        let calling = call(&self.pools, settings, (self.address.clone(), headers), ask);
        let called = timeout_at(deadline, calling).await;
        let is_at_fault = match &called {
            Ok(Ok(_)) => false,
            Ok(Err(CallFault::Down)) => true,
            Ok(Err(CallFault::Refused)) => !settings.is_lent(),
            // A call that had to wait for others first had little time, so its timeout says little about the
            // compressor.
            Err(_) => left >= settings.timeout / 2,
        };
        if is_at_fault {
            self.breaker.record_failure();
        }
        match called {
            Ok(Ok(heard)) => {
                self.breaker.record_success();
                // An answer that is not shorter than the result is useless, so it is not stored.
                let text = heard.text.filter(|text| text.len() < ask.text.len());
                let outcome = if text.is_some() { RemoteOutcome::Shortened } else { RemoteOutcome::Useless };
                CallOutcome { outcome, text, tokens: heard.tokens.unwrap_or_default() }
            }
            Ok(Err(CallFault::Down)) => without_text(RemoteOutcome::Failed),
            Ok(Err(CallFault::Refused)) => without_text(RemoteOutcome::Refused),
            // The server may have processed the whole request.
            Err(_) => {
                CallOutcome { tokens: shape::estimate(ask.text.len()), ..without_text(RemoteOutcome::Late) }
            }
        }
    }
}

/// The outcome for a result that there is no text for.
fn without_text(outcome: RemoteOutcome) -> CallOutcome {
    CallOutcome { outcome, text: None, tokens: 0 }
}

/// Headers that contain a credential.
const CREDENTIAL_HEADERS: [HeaderName; 5] = [
    AUTHORIZATION,
    HeaderName::from_static("api-key"),
    HeaderName::from_static("x-api-key"),
    HeaderName::from_static("x-goog-api-key"),
    HeaderName::from_static("chatgpt-account-id"),
];

/// The header that marks a credential as a login; its other values are not forwarded.
const BETA: HeaderName = HeaderName::from_static("anthropic-beta");

fn login(headers: &HeaderMap) -> Option<(HeaderName, HeaderValue)> {
    let wishes = headers.get(BETA)?.to_str().ok()?;
    let login = wishes.split(',').map(str::trim).find(|wish| wish.starts_with("oauth-"))?;
    Some((BETA, HeaderValue::try_from(login).ok()?))
}

#[cfg(test)]
mod tests {
    use tersely_engine::Candidate;

    use super::*;
    use crate::llm::compressor::settings::CompressorShape;

    fn candidates(many: usize, bytes: usize) -> Vec<Candidate> {
        let ask = || CompressorAsk { tool: String::new(), text: "x".repeat(bytes), question: String::new() };
        let candidate = |at| Candidate { at, name: String::new(), is_bound: true, ask: Some(ask()) };
        (0..many).map(candidate).collect()
    }

    /// Behaviour 8.13: requests in progress take units, and if no units are free, the compressor is not asked.
    #[tokio::test]
    async fn without_room_nothing_is_asked() {
        let keeper = Keeper::new(Store::open(&StoreSettings::default()).unwrap(), None);
        let settings = CompressorSettings {
            shape: CompressorShape::Api,
            endpoint: "http://h".parse().unwrap(),
            key: None,
            model: String::new(),
            timeout: Duration::from_secs(1),
            rate: 20,
        };
        let compressor = Compressor::new(settings, &GatewaySettings::default(), &keeper).unwrap();
        let (mut many, mut small) = (candidates(MAX_ASKS + 6, 1 << 20), candidates(1, 1 << 10));
        let first = compressor.admit(&mut many);
        assert!(first.is_some() && many.iter().filter(|it| it.ask.is_some()).count() == MAX_ASKS);
        assert!(compressor.admit(&mut candidates(MAX_ASKS, 1 << 20)).is_none(), "half of the room is taken");
        let others: Vec<_> = std::iter::repeat_with(|| compressor.admit(&mut candidates(1, 1 << 10)))
            .take(MAX_QUEUED_UNITS / 2)
            .collect();
        assert_eq!(others.iter().flatten().count(), MAX_QUEUED_UNITS / 2 - 1);
        assert!(compressor.admit(&mut small).is_none() && small[0].ask.is_none());
        drop(first);
        assert!(compressor.admit(&mut candidates(1, 1 << 10)).is_some());
    }
}
