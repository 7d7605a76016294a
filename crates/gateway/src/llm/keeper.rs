//! Stores texts left out of requests, separately for each sender, for later requests that only refer to them.

use std::sync::Arc;
use std::time::Instant;

use http::header::{HeaderMap, HeaderName};
use http::{StatusCode, Uri};
use tersely_engine::KeptOriginal;
use tersely_store::{Id, Life, Store, StoreError, StoreKey, StoreWatch, Tenant};
use tokio::task::JoinSet;

use crate::access::TenantId;
use crate::error::Error;

/// The maximum number of concurrent store calls of one request, so that capacity is left for other requests.
const MAX_CONCURRENT_CALLS: usize = 16;

/// The header that contains the name of an authenticated tenant whose texts are to be deleted.
const TENANT_HEADER: HeaderName = HeaderName::from_static("x-tersely-tenant");

/// A store, and the header that distinguishes senders.
pub struct Keeper {
    store: Arc<Store>,
    /// The header that contains the tenant's name, if a proxy in front of us sets one.
    header: Option<HeaderName>,
}

impl Keeper {
    /// Creates a keeper that uses `store`. If a proxy in front of us sets `header`, it identifies the tenant in
    /// addition to the credentials.
    #[must_use]
    pub fn new(store: Store, header: Option<HeaderName>) -> Self {
        Self { store: Arc::new(store), header }
    }

    /// Statistics of the store.
    #[must_use]
    pub fn watch(&self) -> StoreWatch {
        self.store.watch()
    }

    /// Deletes the texts of the sender of requests with these headers, or all texts, and returns the number deleted.
    /// The header `x-tersely-tenant` contains the name of an authenticated tenant.
    ///
    /// # Errors
    /// Fails if the headers do not identify a sender, or the store is unreachable.
    pub async fn forget(&self, headers: Option<&HeaderMap>) -> Result<u64, Error> {
        let tenant = match headers {
            None => None,
            Some(headers) => Some(self.sender(headers)?),
        };
        let fault = |error: StoreError| Error::us(StatusCode::BAD_GATEWAY, error.to_string());
        self.store.forget(tenant).await.map_err(fault)
    }

    fn sender(&self, headers: &HeaderMap) -> Result<Tenant, Error> {
        let refuse = |message: String| Error::client(StatusCode::BAD_REQUEST, message);
        let checked = headers.get(TENANT_HEADER).and_then(|name| name.to_str().ok());
        let whose = TenantId::of(self.header(), &Uri::default(), headers, checked)
            .map_err(|refused| refuse(refused.message))?;
        self.tenant(&whose).ok_or_else(|| refuse("the headers do not identify a tenant".to_owned()))
    }

    /// The store.
    pub(crate) fn store(&self) -> &Arc<Store> {
        &self.store
    }

    /// The header that contains the tenant's name, if any.
    pub(crate) fn header(&self) -> Option<&HeaderName> {
        self.header.as_ref()
    }

    /// The owner in the store for the sender of a request; `None` if the sender is not identified.
    pub(crate) fn tenant(&self, whose: &TenantId) -> Option<Tenant> {
        self.tenant_of(whose.tenant()?)
    }

    /// The owner in the store for this identity.
    pub(crate) fn tenant_of(&self, identity: &[u8]) -> Option<Tenant> {
        self.store.tenant(identity)
    }

    /// Stores all of these texts; returns false if one could not be stored. No call begins after the deadline of a
    /// single call, so that a request with many texts waits hardly longer than a request with one.
    pub(crate) async fn keep(&self, tenant: Tenant, kept: Vec<KeptOriginal>) -> bool {
        let begun = Instant::now();
        let calls = kept.into_iter().map(|kept| {
            let store = Arc::clone(&self.store);
            async move {
                let key = in_time(&store, begun).and_then(|()| key(tenant, &kept.id))?;
                store.keep(&key, &kept.text).await.ok()
            }
        });
        all(calls).await.is_some()
    }

    /// Frees the memory of a tenant that will not ask again.
    pub(crate) fn release(&self, tenant: Tenant) {
        self.store.release(tenant);
    }

    /// The texts with these ids that belong to this tenant and can be read within the deadline of a single call.
    pub(crate) async fn find(&self, tenant: Tenant, ids: Vec<String>) -> Vec<(String, String)> {
        let begun = Instant::now();
        let calls = ids.into_iter().map(|id| {
            let store = Arc::clone(&self.store);
            async move {
                let key = in_time(&store, begun).and_then(|()| key(tenant, &id));
                let text = if let Some(key) = key { store.find(&key).await.ok().flatten() } else { None };
                Some(text.map(|text| (id, text)))
            }
        });
        all(calls).await.unwrap_or_default().into_iter().flatten().collect()
    }
}

/// Returns `None` once the deadline of a single call has passed.
pub(crate) fn in_time(store: &Store, begun: Instant) -> Option<()> {
    store.deadline().is_none_or(|deadline| begun.elapsed() < deadline).then_some(())
}

fn key(tenant: Tenant, id: &str) -> Option<StoreKey> {
    Some(StoreKey { life: Life::Original, tenant, id: Id::parse(id)? })
}

/// Runs these calls, a few at a time, and returns their results in any order; `None` as soon as one call returns
/// `None`.
pub(crate) async fn all<T, C>(mut calls: impl Iterator<Item = C>) -> Option<Vec<T>>
where
    T: Send + 'static,
    C: Future<Output = Option<T>> + Send + 'static,
{
    let (mut running, mut given) = (JoinSet::new(), Vec::new());
    loop {
        calls.by_ref().take(MAX_CONCURRENT_CALLS - running.len()).for_each(|call| drop(running.spawn(call)));
        match running.join_next().await {
            Some(done) => given.push(done.ok()??),
            None => return Some(given),
        }
    }
}

#[cfg(test)]
mod tests {
    use std::sync::atomic::{AtomicUsize, Ordering::SeqCst};

    use tokio::task::yield_now;

    use super::*;

    #[tokio::test]
    async fn calls_are_made_a_few_at_once_until_one_fails() {
        for (fails, made) in [(usize::MAX, 100), (20, 20 + MAX_CONCURRENT_CALLS)] {
            let [begun, under_way, most] = <[Arc<AtomicUsize>; 3]>::default();
            let calls = (0..100).map(|number| {
                let (begun, under_way, most) =
                    (Arc::clone(&begun), Arc::clone(&under_way), Arc::clone(&most));
                async move {
                    begun.fetch_add(1, SeqCst);
                    most.fetch_max(under_way.fetch_add(1, SeqCst) + 1, SeqCst);
                    yield_now().await;
                    under_way.fetch_sub(1, SeqCst);
                    (number != fails).then_some(number)
                }
            });
            let given = all(calls).await.map(|given| given.len());
            assert_eq!(given, (fails == usize::MAX).then_some(100));
            assert!(begun.load(SeqCst) <= made, "{fails}: {begun:?}");
            assert_eq!(most.load(SeqCst), MAX_CONCURRENT_CALLS);
        }
    }
}
