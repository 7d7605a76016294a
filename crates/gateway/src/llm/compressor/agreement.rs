//! Agreement on the text that replaces a result: from the first answer on, all replicas use that answer.
//!
//! A compressor answers differently each time, but a text that was sent must not change later. So an answer is used
//! only after it has been written to the store that all replicas share, and an answer in the store takes precedence
//! over a new one. Each process also remembers the answers that it has used: even if the store loses them, it never
//! sends a different text for the same result.

use std::sync::Arc;
use std::time::Instant;

use tersely_engine::RemoteAnswer;
use tersely_store::{Id, Life, Store, StoreKey};
use tokio::sync::Semaphore;

use crate::llm::keeper::in_time;

/// The key of a result in the stores: the result's owner and name.
#[derive(Clone)]
pub(crate) struct AnswerKey {
    pub(crate) whose: Arc<[u8]>,
    pub(crate) name: String,
}

/// The stores of agreed answers.
#[derive(Clone)]
pub(crate) struct Agreement {
    /// The store in this process.
    near: Arc<Store>,
    /// The store that all replicas share; `None` if there is only one replica.
    far: Option<Arc<Store>>,
    /// Limits the number of concurrent refreshes.
    tending: Arc<Semaphore>,
}

/// The maximum number of requests whose answers are refreshed at the same time, so that a slow store is not overloaded.
const MAX_TENDED_REQUESTS: usize = 4;

/// What the shared store contains for a result.
pub(crate) enum StoredAnswer {
    /// This answer replaces the result.
    Said(RemoteAnswer),
    /// There is no answer yet.
    Open,
    /// The store could not be read.
    Unknown,
}

impl Agreement {
    /// Creates an agreement through `store`. If that store is remote, `near` stores the answers used in this process.
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

    /// True if there is still time to wait for a store call, for work that began at `begun`.
    pub(crate) fn in_time(&self, begun: Instant) -> bool {
        self.far.as_ref().is_none_or(|far| in_time(far, begun).is_some())
    }

    /// The shared answer for a result for which this process has used no answer yet.
    pub(crate) async fn find_shared(&self, key: &AnswerKey) -> StoredAnswer {
        let Some(far) = &self.far else { return StoredAnswer::Open };
        let Some(place) = key.on(far) else { return StoredAnswer::Unknown };
        match far.find(&place).await {
            Ok(Some(said)) => StoredAnswer::Said(decode(&said)),
            Ok(None) => StoredAnswer::Open,
            Err(_) => StoredAnswer::Unknown,
        }
    }

    /// Proposes an answer and returns the agreed one, which is the answer that was proposed first. If the store does
    /// not confirm it, the result is left whole, as it is for every other replica.
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

    /// Sets the answer that this process uses from now on: `word`, unless it has already used another. Returns that
    /// answer.
    pub(crate) async fn hold(&self, key: &AnswerKey, word: RemoteAnswer) -> RemoteAnswer {
        let Some(place) = key.on(&self.near) else { return RemoteAnswer::Whole };
        let first = self.near.first(&place, &encode(&word)).await;
        first.map_or(RemoteAnswer::Whole, |said| decode(&said))
    }

    /// Refreshes the answers used here in the shared store, one after the other: entries are kept alive, and lost
    /// entries are written again. If no slot is free, a later request refreshes them.
    pub(crate) async fn refresh(&self, used: Vec<(AnswerKey, RemoteAnswer)>) {
        let (Some(far), Ok(_place)) = (&self.far, self.tending.try_acquire()) else { return };
        for (key, word) in used {
            let Some(place) = key.on(far) else { continue };
            let done = match far.find(&place).await {
                Ok(None) => far.first(&place, &encode(&word)).await.map(drop),
                found => found.map(drop),
            };
            // If the store fails for one answer, it will fail for the others too.
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

/// Encodes an answer for the store: a character for the kind, then the text.
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
