//! Finds the replacements for the results of a request: agreed ones, or new answers of a remote compressor.
//!
//! Only results that the model has not seen are sent, and every outcome is stored, failures too: the same request sent
//! again gets the same bytes. Everything ends within one deadline.

use std::collections::HashMap;
use std::sync::Arc;
use std::time::Duration;

use http::Uri;
use http::header::{AUTHORIZATION, HeaderMap, HeaderName, HeaderValue};
use tersely_engine::{Candidate, CompressorAsk, RemoteAnswer, RemoteAnswers};
use tersely_store::{Breaker, Store, StoreSettings};
use tokio::select;
use tokio::sync::{OwnedSemaphorePermit, Semaphore};
use tokio::time::{Instant, timeout_at};
use tokio_util::sync::CancellationToken;

use crate::error::Error;
use crate::http::client::Pools;
use crate::llm::compressor::agreement::{Agreement, AnswerKey, StoredAnswer};
use crate::llm::compressor::call::{CallFault, call};
use crate::llm::compressor::pace::Pace;
use crate::llm::compressor::settings::CompressorSettings;
use crate::llm::compressor::shape;
use crate::llm::keeper::{Keeper, all};
use crate::llm::rewrite::Head;
use crate::llm::tenant_id::TenantId;
use crate::settings::GatewaySettings;

/// Concurrent calls, over all requests.
const MAX_CONCURRENT_CALLS: usize = 10;

/// Results sent per request.
const MAX_ASKS: usize = 64;

/// Limit for what waits to be sent, over all requests, whose clients may be gone: each request takes one unit, and one
/// more for each `UNIT_BYTES` bytes.
const MAX_QUEUED_UNITS: usize = 2048;
const UNIT_BYTES: usize = 64 << 10;

/// How long a compressor is not called after several failures in a row.
const BREAKER_PAUSE: Duration = Duration::from_secs(30);

/// The prefix of an answer's owner, so that requests without credentials have one too.
const OWNER: &[u8] = b"compressor\n";

/// A remote compressor, and the answers agreed on.
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

/// What is asked for one request.
pub(crate) struct Inquiry {
    /// Its results.
    pub(crate) candidates: Vec<Candidate>,
    /// The sender's identity, without what a renewed login changes and complete.
    pub(crate) lasting: Arc<[u8]>,
    pub(crate) said: Arc<[u8]>,
    /// The credential of the request, if the compressor may get it.
    pub(crate) credential: HeaderMap,
    /// Whether the request only counts tokens: then nothing is sent or stored.
    pub(crate) only_counts: bool,
    /// The units that it takes; `None` if it sends nothing.
    _room: Option<OwnedSemaphorePermit>,
}

/// The result of an inquiry.
#[derive(Default)]
pub(crate) struct Consultation {
    pub(crate) agreed: RemoteAnswers,
    /// Calls made, and their tokens.
    pub(crate) calls: u64,
    pub(crate) tokens: u64,
}

impl Consultation {
    /// The result of a failed inquiry about these positions.
    pub(crate) fn nothing(places: &[usize]) -> Self {
        let mut consulted = Self::default();
        for at in places {
            consulted.agreed.settle(*at, RemoteAnswer::Whole);
        }
        consulted
    }
}

/// A result without an answer so far.
struct OpenResult {
    at: usize,
    key: AnswerKey,
    ask: Option<CompressorAsk>,
}

/// How long calls are waited for.
#[derive(Clone)]
struct CallWait {
    deadline: Instant,
    /// Cancelled when the client has left.
    left: CancellationToken,
}

impl CallWait {
    /// The result of `wait`; `None` as soon as the client has left.
    async fn unless_left<T>(&self, wait: impl Future<Output = T>) -> Option<T> {
        select! {
            biased;
            () = self.left.cancelled() => None,
            given = wait => Some(given),
        }
    }
}

/// The result of a call: its text if it is usable, and its tokens.
type CallOutcome = (Option<String>, u64);

impl Compressor {
    /// A compressor that is reached as upstreams are, with answers stored where `keeper` stores texts.
    ///
    /// # Errors
    /// If a setting does not work.
    pub fn new(
        settings: CompressorSettings,
        gateway: &GatewaySettings,
        keeper: &Keeper,
    ) -> Result<Self, Error> {
        let near =
            Store::open(&StoreSettings::default()).map_err(|error| Error::setting(error.to_string()))?;
        if shape::headers(settings.shape, settings.key.as_deref()).is_none() {
            return Err(Error::setting("the compressor's key has characters that no header can hold"));
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

    /// What is asked for a request with these results.
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

    /// Limits what is sent: not too much for one request, and nothing if others use all units.
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

    /// The credential of a request that is forwarded to the compressor's own server; empty if the compressor has a key
    /// of its own.
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

    /// The replacement of each result. Takes at most the deadline and a few store calls. Once the client has left, no
    /// call begins, and nothing is stored for results that were not sent: nobody has seen them.
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
                // The model has seen it whole, the store could not be asked, or the limit is reached: it stays whole.
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

    /// The shared answers for these results, by position; without those that there was no time for.
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

    /// Sends these results, a few at a time, and agrees on an answer for each.
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
                let spent = compressor.ask(&wait, credential, &ask).await;
                let was_called = spent.is_some();
                if !was_called && wait.left.is_cancelled() {
                    return Some(None);
                }
                let (text, tokens) = spent.unwrap_or_default();
                let word = compressor.settle(wait.deadline, &key, text).await;
                Some(Some((at, word, was_called, tokens)))
            }
        });
        for (at, word, was_called, tokens) in all(calls).await.unwrap_or_default().into_iter().flatten() {
            consulted.agreed.settle(at, word);
            consulted.calls += u64::from(was_called);
            consulted.tokens = consulted.tokens.saturating_add(tokens);
        }
    }

    /// Agrees on an answer. After the deadline, the store is waited for no longer than for one call; without its
    /// confirmation the result stays whole.
    async fn settle(&self, deadline: Instant, key: &AnswerKey, text: Option<String>) -> RemoteAnswer {
        if self.agreement.in_time(deadline.into_std()) {
            self.agreement.settle(key, text.map_or(RemoteAnswer::Failed, RemoteAnswer::Text)).await
        } else {
            self.agreement.hold(key, RemoteAnswer::Whole).await
        }
    }

    /// The compressor's answer for a result; `None` if it was not called.
    async fn ask(&self, wait: &CallWait, credential: HeaderMap, ask: &CompressorAsk) -> Option<CallOutcome> {
        let settings = &self.settings;
        let mut headers = shape::headers(settings.shape, settings.key.as_deref())?;
        headers.extend(credential);
        let deadline = wait.deadline;
        let _place = wait.unless_left(timeout_at(deadline, self.places.acquire())).await?.ok()?.ok()?;
        wait.unless_left(self.pace.turn(deadline)).await??;
        let left = deadline.saturating_duration_since(Instant::now());
        if left.is_zero() || !self.breaker.admits() {
            return None;
        }
        let calling = call(&self.pools, settings, (self.address.clone(), headers), ask);
        let called = timeout_at(deadline, calling).await;
        let is_at_fault = match &called {
            Ok(Ok(_)) => false,
            Ok(Err(CallFault::Down)) => true,
            Ok(Err(CallFault::Refused)) => !settings.is_lent(),
            // A call that first waited for others says little about the compressor.
            Err(_) => left >= settings.timeout / 2,
        };
        if is_at_fault {
            self.breaker.record_failure();
        }
        Some(match called {
            Ok(Ok(heard)) => {
                self.breaker.record_success();
                // An answer longer than the result is useless, and is not stored.
                let text = heard.text.filter(|text| text.len() < ask.text.len());
                (text, heard.tokens.unwrap_or_default())
            }
            Ok(Err(_)) => (None, 0),
            // The server may have read the whole request.
            Err(_) => (None, shape::estimate(ask.text.len())),
        })
    }
}

/// Headers that hold a credential.
const CREDENTIAL_HEADERS: [HeaderName; 5] = [
    AUTHORIZATION,
    HeaderName::from_static("api-key"),
    HeaderName::from_static("x-api-key"),
    HeaderName::from_static("x-goog-api-key"),
    HeaderName::from_static("chatgpt-account-id"),
];

/// The header that marks a credential as a login; its other values are not passed on.
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

    /// Behaviour 8.13: requests in progress take units, and without units nothing is asked.
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
