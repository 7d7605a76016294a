//! The memory store: what is stored, for how long, and who can read it.

#![expect(clippy::unwrap_used, reason = "a test fails loudly, its scenery too")]

use tersely_store::{Id, Life, Lives, Store, StoreError, StoreKey, StoreLimits, StorePlace, StoreSettings};
use tokio::time::advance;

fn store(limits: StoreLimits) -> Store {
    Store::open(&StoreSettings { place: StorePlace::Memory(limits), ..StoreSettings::default() }).unwrap()
}

fn key(store: &Store, who: &str, number: u64) -> StoreKey {
    let tenant = store.tenant(who.as_bytes()).unwrap();
    StoreKey { life: Life::Original, tenant, id: Id::parse(&format!("shadow_{number:032x}")).unwrap() }
}

/// Behaviour 6.4.
#[tokio::test(start_paused = true)]
async fn originals_and_forms_have_lives_of_their_own() {
    let store = store(StoreLimits::default());
    let original = key(&store, "a", 1);
    let form = StoreKey { life: Life::Form, ..original };
    store.keep(&original, "original").await.unwrap();
    assert_eq!(store.find(&form).await, Ok(None), "an original is no form");
    store.keep(&form, "form").await.unwrap();
    let Lives { original: brief, form: long } = Lives::default();
    let almost = brief.mul_f32(0.99);
    advance(almost).await;
    assert_eq!(store.find(&original).await.unwrap().as_deref(), Some("original"));
    advance(almost).await;
    assert_eq!(store.find(&original).await.unwrap().as_deref(), Some("original"), "asked for, it lives on");
    advance(brief).await;
    assert_eq!(store.find(&original).await, Ok(None));
    assert_eq!(store.find(&form).await.unwrap().as_deref(), Some("form"));
    advance(long).await;
    assert_eq!(store.find(&form).await, Ok(None));
    let counts = store.counts();
    assert_eq!((counts.hits, counts.misses, counts.kept, counts.failures), (3, 3, 2, 0));
}

#[tokio::test]
async fn no_tenant_reads_another_tenants_text() {
    let store = store(StoreLimits::default());
    for number in 0..1000 {
        store.keep(&key(&store, "owner", number), "text").await.unwrap();
    }
    for round in 0..10_000 {
        let guess = match round % 3 {
            0 => key(&store, &format!("tenant {round}"), round % 1000),
            1 => StoreKey { life: Life::Form, ..key(&store, "owner", round % 1000) },
            _ => key(&store, "owner", 1000 + round),
        };
        assert_eq!(store.find(&guess).await, Ok(None), "round {round}");
    }
    assert_eq!((store.counts().hits, store.counts().misses), (0, 10_000));
}

#[tokio::test]
async fn what_does_not_fit_is_refused_and_changes_nothing() {
    let store = store(StoreLimits { bytes: 100_000, entries: 10 });
    store.keep(&key(&store, "a", 1), "small").await.unwrap();
    assert_eq!(store.keep(&key(&store, "a", 2), &"x".repeat(100_000)).await, Err(StoreError::Full));
    let huge = "x".repeat((4 << 20) + 1);
    let refused = store.keep(&key(&store, "a", 2), &huge).await.unwrap_err();
    assert_eq!(refused.to_string(), "a text of 4194305 bytes exceeds the limit of 4194304");
    assert_eq!(store.find(&key(&store, "a", 1)).await.unwrap().as_deref(), Some("small"));
    assert_eq!(store.counts().failures, 2);
}

#[tokio::test(flavor = "multi_thread")]
async fn many_at_once_find_what_they_kept() {
    let store = std::sync::Arc::new(store(StoreLimits { bytes: 1 << 20, entries: 1000 }));
    let mut tasks = tokio::task::JoinSet::new();
    for caller in 0..8 {
        let store = std::sync::Arc::clone(&store);
        tasks.spawn(async move {
            for number in 0..5000 {
                let key = key(&store, &format!("tenant {caller}"), number);
                let text = format!("{caller} {number}");
                store.keep(&key, &text).await.unwrap();
                // A tenant that holds no more than its share keeps its newest text.
                assert_eq!(store.find(&key).await.unwrap(), Some(text));
            }
        });
    }
    while let Some(task) = tasks.join_next().await {
        task.unwrap();
    }
    assert_eq!(store.counts().hits, 40_000);
}

/// The first writer wins, also later; another tenant has a first writer of its own.
#[tokio::test]
async fn of_several_the_first_stands() {
    let store = store(StoreLimits::default());
    let form = StoreKey { life: Life::Form, ..key(&store, "a", 1) };
    assert_eq!(store.first(&form, "one").await.unwrap(), "one");
    assert_eq!(store.first(&form, "two").await.unwrap(), "one");
    assert_eq!(store.find(&form).await.unwrap().as_deref(), Some("one"));
    let other = StoreKey { life: Life::Form, ..key(&store, "b", 1) };
    assert_eq!(store.first(&other, "two").await.unwrap(), "two");
    let large = "x".repeat(5 << 20);
    assert!(matches!(store.first(&other, &large).await, Err(StoreError::TooLarge { .. })));
}
