//! Knows when the provider's cache of a conversation is gone, and where conversations were cleared.
//!
//! A conversation is cold if nobody has continued it for longer than its requests say that the cache lives. What is not
//! known is not cold: another replica may have served it.

mod chain;
mod memory;
mod record;

use std::sync::Arc;
use std::time::{SystemTime, UNIX_EPOCH};

use tersely_account::{
    CacheRules, Clearing, PriceTable, PromptMarks, RequestRecord, TokenRates, stable_hash,
};
use tersely_engine::ClearPoint;
use tersely_store::{Id, Life, Store, StoreKey};
use tersely_wire::CacheTtl;

use crate::access::TenantId;
use crate::llm::cold::chain::MessageChain;
use crate::llm::cold::memory::ColdMemory;
use crate::llm::cold::record::{ColdLook, ColdRecord};

/// The time of the day; tests move it.
pub type Clock = Arc<dyn Fn() -> SystemTime + Send + Sync>;

/// Who owns the records in a store, besides the sender.
const OWNER: &[u8] = b"clearings\n";

/// The conversations that may be cleared.
pub struct ColdWatch {
    memory: ColdMemory,
    /// The store that all replicas share; `None` if there is only one.
    store: Option<Arc<Store>>,
    prices: PriceTable,
    clock: Clock,
}

/// A request whose conversation may be cleared.
#[derive(Clone)]
pub(crate) struct ColdRequest {
    watch: Arc<ColdWatch>,
    chain: Arc<MessageChain>,
    whose: Arc<[u8]>,
    key: u64,
    look: ColdLook,
    /// How long the cache lives, as the request says.
    ttl: Option<CacheTtl>,
    /// True when the shared record is known, so that it may be overwritten.
    is_known: bool,
    rates: Option<TokenRates>,
}

impl ColdWatch {
    /// A watch with these prices. Replicas agree through `store` if it is not in this process.
    #[must_use]
    pub fn new(store: &Arc<Store>, prices: PriceTable) -> Self {
        let store = store.deadline().is_some().then(|| Arc::clone(store));
        Self { memory: ColdMemory::default(), store, prices, clock: Arc::new(SystemTime::now) }
    }

    /// The same, with another clock.
    #[must_use]
    pub fn with_clock(self, clock: Clock) -> Self {
        Self { clock, ..self }
    }

    fn now_ms(&self) -> u64 {
        let now = (self.clock)().duration_since(UNIX_EPOCH).unwrap_or_default();
        u64::try_from(now.as_millis()).unwrap_or(u64::MAX)
    }
}

impl ColdRequest {
    /// A request with these marks; `None` if its conversation is too short to be cleared.
    pub(crate) fn of(
        watch: &Arc<ColdWatch>,
        marks: &Arc<PromptMarks>,
        whose: &TenantId,
        model: Option<&str>,
        ttl: Option<CacheTtl>,
    ) -> Option<Self> {
        let chain = MessageChain::of(marks);
        let key = stable_hash(&(whose.lasting(), chain.key()?));
        let now = watch.now_ms();
        let look = watch.memory.get(key).map(|record| record.look(&chain, now)).unwrap_or_default();
        let price = model.and_then(|model| watch.prices.of(model));
        let rates = price.map(|price| *price.rates(0));
        Some(Self {
            watch: Arc::clone(watch),
            chain: Arc::new(chain),
            whose: [OWNER, whose.lasting()].concat().into(),
            key,
            is_known: look.is_next || watch.store.is_none(),
            look,
            ttl,
            rates,
        })
    }

    /// True when the provider's cache is gone.
    pub(crate) fn is_cold(&self) -> bool {
        self.look.is_cold
    }

    /// Where the conversation was cleared.
    pub(crate) fn points(&self) -> &[ClearPoint] {
        &self.look.points
    }

    /// True when another replica may know more.
    pub(crate) fn is_elsewhere(&self) -> bool {
        !self.look.is_next && self.watch.store.is_some()
    }

    /// Asks the store that all replicas share.
    pub(crate) async fn find(mut self) -> Self {
        let found = match (&self.watch.store, self.place()) {
            (Some(store), Some(place)) => store.find(&place).await.ok(),
            _ => None,
        };
        self.is_known = found.is_some();
        if let Some(record) = found.flatten().and_then(|text| ColdRecord::decode(&text)) {
            self.look = record.look(&self.chain, self.watch.now_ms());
            self.watch.memory.change(self.key, |known| *known = record);
        }
        self
    }

    /// The point at which the conversation may be cleared now; `None` if the cache may still be there, or the price of
    /// the model is unknown. The request has this many tokens.
    pub(crate) fn point(&self, tokens: usize) -> Option<ClearPoint> {
        let rates = self.rates.as_ref().filter(|_| self.look.is_cold)?;
        let least = Clearing::least(rates, self.is_hour(), u64::try_from(tokens).ok()?);
        Some(ClearPoint { messages: self.chain.len(), least: usize::try_from(least).ok()? })
    }

    /// True when a clearing pays that makes a request with the record `after` of one with the record `before`.
    pub(crate) fn pays(&self, before: &RequestRecord, after: &RequestRecord) -> bool {
        let Some(rates) = &self.rates else { return false };
        Clearing::between(before, after).pays(rates, self.is_hour())
    }

    /// Remembers a clearing. Returns false if other replicas could not be told; then it must not be made.
    pub(crate) async fn record(&self, point: ClearPoint) -> bool {
        let Some(chain) = self.chain.hash(point.messages) else { return false };
        let mut record = self.watch.memory.get(self.key).unwrap_or_default();
        record.add_point(point, chain);
        if !self.tell(&record).await {
            return false;
        }
        self.remember(point);
        true
    }

    /// Remembers a clearing that is only measured.
    pub(crate) fn remember(&self, point: ClearPoint) {
        if let Some(chain) = self.chain.hash(point.messages) {
            self.watch.memory.change(self.key, |known| known.add_point(point, chain));
        }
    }

    /// Remembers that the request is on its way.
    pub(crate) fn begin(&self) {
        if let Some(gone_ms) = self.gone_ms() {
            self.watch.memory.change(self.key, |known| known.touch(gone_ms));
        }
    }

    /// Remembers that the request was answered, here and in the store that all replicas share.
    pub(crate) fn end(&self) {
        // A provider that does not say how long its cache lives is never cold.
        let gone_ms = self.gone_ms().unwrap_or(u64::MAX);
        let record = self.watch.memory.change(self.key, |known| known.end(&self.chain, gone_ms));
        if self.watch.store.is_some()
            && self.is_known
            && let Ok(runtime) = tokio::runtime::Handle::try_current()
        {
            let request = self.clone();
            runtime.spawn(async move { request.tell(&record).await });
        }
    }

    fn is_hour(&self) -> bool {
        self.ttl == Some(CacheTtl::Hour)
    }

    fn gone_ms(&self) -> Option<u64> {
        let lifetime = self.ttl.map(|_| CacheRules::lifetime_ms(self.is_hour()))?;
        self.watch.now_ms().checked_add_signed(lifetime)
    }

    /// Writes a record to the store that all replicas share, if there is one.
    async fn tell(&self, record: &ColdRecord) -> bool {
        match (&self.watch.store, self.place()) {
            (None, _) => true,
            (Some(store), Some(place)) => store.keep(&place, &record.encode()).await.is_ok(),
            (Some(_), None) => false,
        }
    }

    fn place(&self) -> Option<StoreKey> {
        let tenant = self.watch.store.as_ref()?.tenant(&self.whose)?;
        let id = Id::parse(&format!("shadow_{:016x}{:016x}", self.key, stable_hash(&("clear", self.key))))?;
        Some(StoreKey { life: Life::Form, tenant, id })
    }
}
