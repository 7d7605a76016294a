//! What is agreed to stand for results: whoever says something first is heard, by everyone and from then on.
//!
//! A compressor says something else each time, and what was sent must not change. So a word is used only once the store
//! that all replicas share holds it, and what the store holds goes before what was just said. What this process has used
//! stays with it: whatever becomes of the store, it never sends something else for the same result.

use std::sync::Arc;
use std::time::Instant;

use tersely_engine::RemoteAnswer;
use tersely_store::{Id, Life, Store, StoreKey};
use tokio::sync::Semaphore;

use crate::llm::keeper::in_time;

/// A result in the stores: whose it is, and what it is called.
#[derive(Clone)]
pub(crate) struct AnswerKey {
    pub(crate) whose: Arc<[u8]>,
    pub(crate) name: String,
}

/// Where agreed words are kept.
#[derive(Clone)]
pub(crate) struct Agreement {
    /// In this process.
    near: Arc<Store>,
    /// Where all replicas look; nowhere when there is but one.
    far: Option<Arc<Store>>,
    /// Places for those who tend.
    tending: Arc<Semaphore>,
}

/// How many requests' results are tended at a time; a store that is slow is not asked for more.
const MAX_TENDED_REQUESTS: usize = 4;

/// What is known of a result.
pub(crate) enum StoredAnswer {
    /// This stands for it.
    Said(RemoteAnswer),
    /// Nobody has said anything.
    Open,
    /// Nobody can say whether somebody has.
    Unknown,
}

impl Agreement {
    /// Agreement by `store`, and by `near` for what was used here where the store is elsewhere.
    pub(crate) fn new(store: &Arc<Store>, near: Store) -> Self {
        let tending = Arc::new(Semaphore::new(MAX_TENDED_REQUESTS));
        if store.deadline().is_some() {
            Self { near: Arc::new(near), far: Some(Arc::clone(store)), tending }
        } else {
            Self { near: Arc::clone(store), far: None, tending }
        }
    }

    /// What this process has used for a result.
    pub(crate) async fn find_used(&self, key: &AnswerKey) -> Option<RemoteAnswer> {
        let found = self.near.find(&key.on(&self.near)?).await.ok().flatten();
        found.as_deref().map(unspell)
    }

    /// True when what was begun then may still be waited for.
    pub(crate) fn in_time(&self, begun: Instant) -> bool {
        self.far.as_ref().is_none_or(|far| in_time(far, begun).is_some())
    }

    /// What stands for a result that this process has not used anything for.
    pub(crate) async fn look(&self, key: &AnswerKey) -> StoredAnswer {
        let Some(far) = &self.far else { return StoredAnswer::Open };
        let Some(place) = key.on(far) else { return StoredAnswer::Unknown };
        match far.find(&place).await {
            Ok(Some(said)) => StoredAnswer::Said(unspell(&said)),
            Ok(None) => StoredAnswer::Open,
            Err(_) => StoredAnswer::Unknown,
        }
    }

    /// What stands for a result once `word` was said of it: that of whoever was first. Where nobody confirms a word, the
    /// result stays whole, as it does for everybody else.
    pub(crate) async fn settle(&self, key: &AnswerKey, word: RemoteAnswer) -> RemoteAnswer {
        let stands = match &self.far {
            None => word,
            Some(far) => {
                let Some(place) = key.on(far) else { return RemoteAnswer::Whole };
                let first = far.first(&place, &spell(&word)).await;
                first.map_or(RemoteAnswer::Whole, |said| unspell(&said))
            }
        };
        self.hold(key, stands).await
    }

    /// What this process uses for a result from now on: `word`, unless it has used something else.
    pub(crate) async fn hold(&self, key: &AnswerKey, word: RemoteAnswer) -> RemoteAnswer {
        let Some(place) = key.on(&self.near) else { return RemoteAnswer::Whole };
        let first = self.near.first(&place, &spell(&word)).await;
        first.map_or(RemoteAnswer::Whole, |said| unspell(&said))
    }

    /// Lets the store that all share know what is used here, one after the other and while nobody waits: what it holds
    /// lives on, and what it has lost is there again. What finds no place is tended with a later request.
    pub(crate) async fn tend(&self, used: Vec<(AnswerKey, RemoteAnswer)>) {
        let (Some(far), Ok(_place)) = (&self.far, self.tending.try_acquire()) else { return };
        for (key, word) in used {
            let Some(place) = key.on(far) else { continue };
            let done = match far.find(&place).await {
                Ok(None) => far.first(&place, &spell(&word)).await.map(drop),
                found => found.map(drop),
            };
            // A store that fails now will fail for the others too.
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

/// A word as it is kept: a sign of its kind, and what it says.
fn spell(word: &RemoteAnswer) -> String {
    match word {
        RemoteAnswer::Said(text) => format!("+{text}"),
        RemoteAnswer::Failed => "-".to_owned(),
        RemoteAnswer::Whole => "=".to_owned(),
    }
}

fn unspell(kept: &str) -> RemoteAnswer {
    match kept.strip_prefix('+') {
        Some(text) => RemoteAnswer::Said(text.to_owned()),
        None if kept == "-" => RemoteAnswer::Failed,
        None => RemoteAnswer::Whole,
    }
}
