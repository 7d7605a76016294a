//! Agreement on what replaces a result: the first answer applies to every replica, from then on.
//!
//! A compressor answers differently each time, but what was sent must not change. So an answer is used only once the
//! store that all replicas share has it, and an answer in the store takes precedence over a new one. A process keeps
//! what it has used: whatever happens to the store, it never sends anything else for the same result.

use std::sync::Arc;
use std::time::Instant;

use tersely_engine::RemoteAnswer;
use tersely_store::{Id, Life, Store, StoreKey};
use tokio::sync::Semaphore;

use crate::llm::keeper::in_time;

/// The key of a result in the stores: its owner and its name.
#[derive(Clone)]
pub(crate) struct AnswerKey {
    pub(crate) whose: Arc<[u8]>,
    pub(crate) name: String,
}

/// The stores of agreed answers.
#[derive(Clone)]
pub(crate) struct Agreement {
    /// In this process.
    near: Arc<Store>,
    /// Shared by all replicas; `None` if there is only one.
    far: Option<Arc<Store>>,
    /// Limits concurrent refreshes.
    tending: Arc<Semaphore>,
}

/// How many requests' answers are refreshed at a time; a slow store gets no more.
const MAX_TENDED_REQUESTS: usize = 4;

/// What is known of a result.
pub(crate) enum StoredAnswer {
    /// This answer replaces it.
    Said(RemoteAnswer),
    /// There is no answer yet.
    Open,
    /// The store could not be asked.
    Unknown,
}

impl Agreement {
    /// Agreement through `store`, with `near` for the answers used here if the store is remote.
    pub(crate) fn new(store: &Arc<Store>, near: Store) -> Self {
        let tending = Arc::new(Semaphore::new(MAX_TENDED_REQUESTS));
        if store.deadline().is_some() {
            Self { near: Arc::new(near), far: Some(Arc::clone(store)), tending }
        } else {
            Self { near: Arc::clone(store), far: None, tending }
        }
    }

    /// The answer that this process has used for a result.
    pub(crate) async fn find_used(&self, key: &AnswerKey) -> Option<RemoteAnswer> {
        let found = self.near.find(&key.on(&self.near)?).await.ok().flatten();
        found.as_deref().map(decode)
    }

    /// True if a store call that began then may still be waited for.
    pub(crate) fn in_time(&self, begun: Instant) -> bool {
        self.far.as_ref().is_none_or(|far| in_time(far, begun).is_some())
    }

    /// The shared answer for a result that this process has used none for.
    pub(crate) async fn find_shared(&self, key: &AnswerKey) -> StoredAnswer {
        let Some(far) = &self.far else { return StoredAnswer::Open };
        let Some(place) = key.on(far) else { return StoredAnswer::Unknown };
        match far.find(&place).await {
            Ok(Some(said)) => StoredAnswer::Said(decode(&said)),
            Ok(None) => StoredAnswer::Open,
            Err(_) => StoredAnswer::Unknown,
        }
    }

    /// Proposes an answer and returns the agreed one, which is the first proposed. If the store does not confirm it,
    /// the result stays whole, as it does for every other replica.
    pub(crate) async fn settle(&self, key: &AnswerKey, word: RemoteAnswer) -> RemoteAnswer {
        let stands = match &self.far {
            None => word,
            Some(far) => {
                let Some(place) = key.on(far) else { return RemoteAnswer::Whole };
                let first = far.first(&place, &encode(&word)).await;
                first.map_or(RemoteAnswer::Whole, |said| decode(&said))
            }
        };
        self.hold(key, stands).await
    }

    /// The answer that this process uses from now on: `word`, unless it has used another.
    pub(crate) async fn hold(&self, key: &AnswerKey, word: RemoteAnswer) -> RemoteAnswer {
        let Some(place) = key.on(&self.near) else { return RemoteAnswer::Whole };
        let first = self.near.first(&place, &encode(&word)).await;
        first.map_or(RemoteAnswer::Whole, |said| decode(&said))
    }

    /// Refreshes the answers used here in the shared store, one after the other and in the background: entries live on,
    /// and lost ones are written again. If there is no slot, a later request refreshes them.
    pub(crate) async fn refresh(&self, used: Vec<(AnswerKey, RemoteAnswer)>) {
        let (Some(far), Ok(_place)) = (&self.far, self.tending.try_acquire()) else { return };
        for (key, word) in used {
            let Some(place) = key.on(far) else { continue };
            let done = match far.find(&place).await {
                Ok(None) => far.first(&place, &encode(&word)).await.map(drop),
                found => found.map(drop),
            };
            // If the store fails now, it will fail for the others too.
            if done.is_err() {
                return;
            }
        }
    }
}

impl AnswerKey {
    fn on(&self, store: &Store) -> Option<StoreKey> {
        Some(StoreKey { life: Life::Form, tenant: store.tenant(&self.whose)?, id: Id::parse(&self.name)? })
    }
}

/// The stored form of an answer: a character for its kind, then its text.
fn encode(word: &RemoteAnswer) -> String {
    match word {
        RemoteAnswer::Text(text) => format!("+{text}"),
        RemoteAnswer::Failed => "-".to_owned(),
        RemoteAnswer::Whole => "=".to_owned(),
    }
}

fn decode(kept: &str) -> RemoteAnswer {
    match kept.strip_prefix('+') {
        Some(text) => RemoteAnswer::Text(text.to_owned()),
        None if kept == "-" => RemoteAnswer::Failed,
        None => RemoteAnswer::Whole,
    }
}
