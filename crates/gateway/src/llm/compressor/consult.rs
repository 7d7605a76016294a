//! Finds out what stands for the results of a request: what was agreed on before, or what a compressor says now.
//!
//! Only what the model has not seen is asked about, and whatever comes of that is kept, a failure too: the same request
//! sent again gets the same bytes. All of it ends within one deadline.

use std::collections::HashMap;
use std::sync::Arc;
use std::time::Duration;

use http::Uri;
use http::header::{AUTHORIZATION, HeaderMap, HeaderName, HeaderValue};
use tersely_engine::{Agreed, Candidate, CompressorAsk};
use tersely_store::{Breaker, Store, StoreSettings};
use tokio::sync::Semaphore;
use tokio::time::{Instant, timeout_at};

use crate::client::Pools;
use crate::error::Error;
use crate::llm::compressor::agreement::{AgreedKey, AgreedWord, Agreement, KnownWord};
use crate::llm::compressor::call::call;
use crate::llm::compressor::settings::{CompressorSettings, CompressorShape};
use crate::llm::compressor::shape;
use crate::llm::keeper::{Keeper, all};
use crate::llm::rewrite::Head;
use crate::llm::whose::Whose;
use crate::settings::GatewaySettings;

/// Calls at one time, for all requests.
const CALLS: usize = 10;

/// How long a compressor is left alone after it failed several times in a row.
const REST: Duration = Duration::from_secs(30);

/// What the identity of whoever owns an answer begins with, so that somebody does who says nothing of himself.
const OWNER: &[u8] = b"compressor\n";

/// A compressor elsewhere, and what was agreed on with it.
pub struct Compressor {
    settings: CompressorSettings,
    address: Uri,
    pools: Pools,
    breaker: Breaker,
    places: Semaphore,
    agreement: Agreement,
}

/// What is asked for one request.
pub(crate) struct Inquiry {
    /// Its results.
    pub(crate) candidates: Vec<Candidate>,
    /// The one who sent it, by what a new login leaves as it is, and by all that it says.
    pub(crate) lasting: Arc<[u8]>,
    pub(crate) said: Arc<[u8]>,
    /// The credential in it, where a compressor may have that.
    pub(crate) credential: HeaderMap,
    /// Whether it only asks what a request would cost: then nobody is asked and nothing is kept.
    pub(crate) only_counts: bool,
}

/// What came of an inquiry.
#[derive(Default)]
pub(crate) struct Consulted {
    pub(crate) agreed: Agreed,
    /// Calls that were made, and the tokens that they cost.
    pub(crate) calls: u64,
    pub(crate) tokens: u64,
}

impl Consulted {
    /// What came of an inquiry about these places that failed.
    pub(crate) fn nothing(places: &[usize]) -> Self {
        let mut consulted = Self::default();
        for at in places {
            consulted.agreed.settle(*at, None);
        }
        consulted
    }
}

/// A result to be settled.
struct Pending {
    at: usize,
    key: AgreedKey,
    ask: Option<CompressorAsk>,
}

/// What a call came to: its word, and its cost.
type Spent = (AgreedWord, u64);

impl Compressor {
    /// A compressor that is reached as upstreams are, and whose answers are kept where `keeper` keeps.
    ///
    /// # Errors
    /// When a setting does not work.
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
            settings,
            pools: Pools::new(gateway)?,
            breaker: Breaker::new(REST),
            places: Semaphore::new(CALLS),
            agreement: Agreement::new(keeper.store(), near),
        })
    }

    /// What is asked for a request with these results.
    pub(crate) fn inquiry(
        &self,
        head: &Head<'_>,
        whose: &Whose,
        candidates: Vec<Candidate>,
        only_counts: bool,
    ) -> Inquiry {
        let [lasting, said] = [whose.lasting(), whose.said()].map(|who| [OWNER, who].concat().into());
        Inquiry { candidates, lasting, said, credential: self.credential(head), only_counts }
    }

    /// The credential of a request that goes to the very server that the compressor is at; none where that has its own.
    fn credential(&self, head: &Head<'_>) -> HeaderMap {
        let settings = &self.settings;
        let is_same = head.upstream.is_some_and(|upstream| upstream.is_at(&settings.endpoint));
        if settings.key.is_some() || settings.shape == CompressorShape::Api || !is_same {
            return HeaderMap::new();
        }
        let lent = LENT.into_iter().filter_map(|name| Some((head.headers.get(&name)?.clone(), name)));
        lent.map(|(value, name)| (name, value)).chain(login(head.headers)).collect()
    }

    /// What stands for each result. It takes as long as the deadline and a few calls of the store at most.
    pub(crate) async fn consult(self: Arc<Self>, inquiry: Inquiry) -> Consulted {
        let deadline = Instant::now() + self.settings.timeout;
        let Inquiry { candidates, lasting, said, credential, only_counts } = inquiry;
        let mut consulted = Consulted::default();
        let (mut open, mut used) = (Vec::new(), Vec::new());
        for Candidate { at, name, is_bound, ask } in candidates {
            let key = AgreedKey { whose: Arc::clone(if is_bound { &lasting } else { &said }), name };
            match self.agreement.used(&key).await {
                Some(word) => {
                    consulted.agreed.settle(at, word.clone());
                    used.push((key, word));
                }
                None => open.push(Pending { at, key, ask }),
            }
        }
        let standings = self.look(&open).await;
        let mut asked = Vec::new();
        for pending in open {
            let Pending { at, key, ask } = pending;
            match (standings.get(&at), ask) {
                (Some(KnownWord::Said(word)), _) if only_counts => consulted.agreed.settle(at, word.clone()),
                _ if only_counts => consulted.agreed.settle(at, None),
                (Some(KnownWord::Said(word)), _) => {
                    consulted.agreed.settle(at, self.agreement.hold(&key, word.clone()).await);
                }
                (Some(KnownWord::Open), Some(ask)) => asked.push((at, key, ask)),
                // The model has seen it whole, or nobody could agree: it stays whole.
                (standing, _) => {
                    let word = self.agreement.hold(&key, None).await;
                    consulted.agreed.settle(at, word.clone());
                    if matches!(standing, Some(KnownWord::Open)) {
                        used.push((key, word));
                    }
                }
            }
        }
        if !only_counts && !used.is_empty() {
            let agreement = self.agreement.clone();
            tokio::spawn(async move { agreement.tend(used).await });
        }
        self.ask_all(deadline, credential, asked, &mut consulted).await;
        consulted
    }

    /// What is known elsewhere of these results, by their places; those that nobody had the time for are not there.
    async fn look(self: &Arc<Self>, open: &[Pending]) -> HashMap<usize, KnownWord> {
        let begun = std::time::Instant::now();
        let calls = open.iter().map(|pending| {
            let (compressor, at, key) = (Arc::clone(self), pending.at, pending.key.clone());
            async move {
                let in_time = compressor.agreement.in_time(begun);
                let standing =
                    if in_time { compressor.agreement.look(&key).await } else { KnownWord::Unknown };
                Some((at, standing))
            }
        });
        all(calls).await.unwrap_or_default().into_iter().collect()
    }

    /// Asks about these results, a few at a time, and settles what stands for each.
    async fn ask_all(
        self: &Arc<Self>,
        deadline: Instant,
        credential: HeaderMap,
        asked: Vec<(usize, AgreedKey, CompressorAsk)>,
        consulted: &mut Consulted,
    ) {
        for (at, ..) in &asked {
            consulted.agreed.settle(*at, None);
        }
        let calls = asked.into_iter().map(|(at, key, ask)| {
            let (compressor, credential) = (Arc::clone(self), credential.clone());
            async move {
                let spent = compressor.ask(deadline, credential, &ask).await;
                let (word, tokens) = spent.clone().unwrap_or_default();
                Some((at, compressor.agreement.settle(&key, word).await, spent.is_some(), tokens))
            }
        });
        for (at, word, was_called, tokens) in all(calls).await.unwrap_or_default() {
            consulted.agreed.settle(at, word);
            consulted.calls += u64::from(was_called);
            consulted.tokens = consulted.tokens.saturating_add(tokens);
        }
    }

    /// What the compressor says of a result, and what that costs; `None` when it was not asked.
    async fn ask(&self, deadline: Instant, credential: HeaderMap, ask: &CompressorAsk) -> Option<Spent> {
        let settings = &self.settings;
        let mut headers = shape::headers(settings.shape, settings.key.as_deref())?;
        headers.extend(credential);
        let _place = timeout_at(deadline, self.places.acquire()).await.ok()?.ok()?;
        if !self.breaker.admits() {
            return None;
        }
        let calling = call(&self.pools, settings, (self.address.clone(), headers), ask);
        match timeout_at(deadline, calling).await {
            Ok(Some(heard)) => {
                self.breaker.succeeded();
                // What is longer than the result is of no use, and need not be kept.
                let text = heard.text.filter(|text| text.len() < ask.text.len());
                Some((text, heard.tokens.unwrap_or_default()))
            }
            Ok(None) => {
                self.breaker.failed();
                Some((None, 0))
            }
            Err(_) => {
                self.breaker.failed();
                // It may well have been read to its end.
                Some((None, shape::estimate(ask.text.len())))
            }
        }
    }
}

/// Headers that hold a credential.
const LENT: [HeaderName; 4] = [
    AUTHORIZATION,
    HeaderName::from_static("x-api-key"),
    HeaderName::from_static("x-goog-api-key"),
    HeaderName::from_static("chatgpt-account-id"),
];

/// What says that a credential is a login; other wishes of the request are none of the compressor's.
const BETA: HeaderName = HeaderName::from_static("anthropic-beta");

fn login(headers: &HeaderMap) -> Option<(HeaderName, HeaderValue)> {
    let wishes = headers.get(BETA)?.to_str().ok()?;
    let login = wishes.split(',').map(str::trim).find(|wish| wish.starts_with("oauth-"))?;
    Some((BETA, HeaderValue::try_from(login).ok()?))
}
