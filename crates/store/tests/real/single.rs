//! One server that works: what is stored there, how it looks from outside, and who can read it.

use std::time::Duration;

use tersely_store::{Id, Life, Lives, Store, StoreKey, StoreSettings};

use crate::{alone, hasty, key, secret, settings, store};
use tersely_testing::valkey::{Cluster, ValkeyNode};

#[tokio::test(flavor = "multi_thread")]
async fn what_is_kept_is_found_until_it_expires() {
    let _alone = alone().await;
    let node = ValkeyNode::start();
    let lives = Lives { original: Duration::from_millis(1500), form: Duration::from_mins(1) };
    let one = Store::open(&StoreSettings { lives, ..settings(vec![node.address()]) }).unwrap();
    let original = key(&one, "a", 1);
    let form = StoreKey { life: Life::Form, ..original };
    one.keep(&original, "the original\r\n\0").await.unwrap();
    one.keep(&form, "the form").await.unwrap();
    for _ in 0..3 {
        tokio::time::sleep(Duration::from_millis(600)).await;
        assert_eq!(
            one.find(&original).await.unwrap().as_deref(),
            Some("the original\r\n\0"),
            "asked for, it lives on"
        );
    }
    let two = store(vec![node.address().replace("redis://", "valkey://")]);
    assert_eq!(two.find(&form).await.unwrap().as_deref(), Some("the form"), "another replica, same secret");
    let life = |name: &str| node.say(&format!("PTTL {name}"))[1..].parse::<u64>().unwrap();
    let longest = names(&node).iter().map(|name| life(name)).max().unwrap();
    assert!((50_000..=24 * 60 * 60 * 1000).contains(&longest), "{longest} ms");
    tokio::time::sleep(Duration::from_millis(1700)).await;
    assert_eq!(one.find(&original).await.unwrap(), None);
    let counts = one.counts();
    assert_eq!((counts.hits, counts.misses, counts.kept, counts.failures, counts.spoiled), (3, 1, 2, 0, 0));
}

#[tokio::test(flavor = "multi_thread")]
async fn a_server_sees_neither_texts_nor_ids_nor_keys() {
    let _alone = alone().await;
    let node = ValkeyNode::start();
    let store = store(vec![node.address()]);
    let key = key(&store, "sk-key-of-a-tenant", 0xfeed_face);
    store.keep(&key, "swordfish and chips").await.unwrap();
    let names = names(&node);
    assert_eq!(names.len(), 1);
    assert!(names[0].starts_with("tersely:o:"), "{names:?}");
    let value = node.bytes(&format!("GET {}", names[0]));
    assert_eq!(value.len(), "swordfish and chips".len() + 29);
    let seen = [names[0].as_bytes(), &value].concat();
    for secret in ["swordfish", "feedface", "sk-key", "only for tests"] {
        assert!(!seen.windows(secret.len()).any(|part| part == secret.as_bytes()), "{secret} in {seen:?}");
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn no_tenant_reads_another_tenants_text() {
    let _alone = alone().await;
    let node = ValkeyNode::start();
    let store = store(vec![node.address()]);
    for number in 0..100 {
        store.keep(&key(&store, "owner", number), &format!("text {number}")).await.unwrap();
    }
    let mut dice = 0x9e37_79b9_7f4a_7c15_u64;
    for round in 0..10_000_u64 {
        dice ^= dice << 13;
        dice ^= dice >> 7;
        dice ^= dice << 17;
        // Ids that exist, under other tenants; and ids that do not, under the owner.
        let stranger = match round % 4 {
            0 => key(&store, &format!("key {dice}"), round % 100),
            1 => StoreKey { life: Life::Form, ..key(&store, "owner", round % 100) },
            2 => StoreKey { tenant: store.tenant(b"owner\n").unwrap(), ..key(&store, "x", round % 100) },
            _ => key(&store, "owner", dice | 1 << 40),
        };
        assert_eq!(store.find(&stranger).await.unwrap(), None, "round {round}");
    }
    assert_eq!((store.counts().hits, store.counts().misses), (0, 10_000));
    assert_eq!(store.find(&key(&store, "owner", 99)).await.unwrap().as_deref(), Some("text 99"));
}

#[tokio::test(flavor = "multi_thread")]
async fn what_was_tampered_with_is_not_there() {
    let _alone = alone().await;
    let node = ValkeyNode::start();
    let store = store(vec![node.address()]);
    let (mine, yours) = (key(&store, "mine", 1), key(&store, "yours", 1));
    store.keep(&mine, "my text").await.unwrap();
    let my_name = names(&node).remove(0);
    store.keep(&yours, "your text").await.unwrap();
    let your_name = names(&node).into_iter().find(|name| *name != my_name).unwrap();
    let spoil = [
        format!("COPY {my_name} {your_name} REPLACE"),
        format!("SETRANGE {your_name} 20 x"),
        format!("SET {your_name} 0123"),
        format!("SET {your_name} {}", "\\x01".repeat(40)),
        format!("SET {your_name} \"\""),
        format!("SETRANGE {your_name} 5000000 x"),
    ];
    for (round, command) in spoil.iter().enumerate() {
        store.keep(&yours, "your text").await.unwrap();
        node.say(command);
        assert_eq!(store.find(&yours).await, Ok(None), "{command}");
        assert_eq!(store.counts().spoiled, round as u64 + 1, "{command}");
    }
    node.say(&format!("DEL {your_name}"));
    node.say(&format!("RPUSH {your_name} a"));
    for _ in 0..10 {
        assert_eq!(store.find(&yours).await, Ok(None), "a list");
    }
    let mut other = settings(vec![node.address()]);
    other.secret = Some(tersely_store::StoreSecret::new(b"another secret, long enough").unwrap());
    let other = Store::open(&other).unwrap();
    let moved = StoreKey { tenant: mine.tenant, ..key(&other, "mine", 1) };
    assert_eq!(other.find(&moved).await, Ok(None), "another secret");
    assert_eq!(store.find(&mine).await.unwrap().as_deref(), Some("my text"));
}

#[tokio::test(flavor = "multi_thread")]
async fn a_refreshed_token_is_the_same_tenant_and_an_id_is_checked_first() {
    let one = Store::open(&StoreSettings { secret: Some(secret()), ..StoreSettings::default() }).unwrap();
    let two = Store::open(&StoreSettings { secret: Some(secret()), ..StoreSettings::default() }).unwrap();
    let account = b"account-1";
    assert_eq!(one.tenant(account), two.tenant(account));
    assert_ne!(one.tenant(account), one.tenant(b"account-2"));
    assert_eq!(Id::parse("shadow_* \r\nFLUSHALL\r\n"), None);
}

fn names(node: &ValkeyNode) -> Vec<String> {
    node.list("KEYS *")
}

/// Replicas that write under one key at the same time all read the same text, and a write that was not read back
/// expires soon.
#[tokio::test(flavor = "multi_thread")]
async fn of_several_replicas_the_first_stands() {
    let _alone = alone().await;
    let node = ValkeyNode::start();
    let stores: Vec<_> = (0..4).map(|_| std::sync::Arc::new(store(vec![node.address()]))).collect();
    for round in 0..20 {
        let form = StoreKey { life: Life::Form, ..key(&stores[0], "a", round) };
        let mut saying = tokio::task::JoinSet::new();
        for (number, store) in stores.iter().cloned().enumerate() {
            saying.spawn(async move { store.first(&form, &format!("said by {number}")).await.unwrap() });
        }
        let heard = saying.join_all().await;
        assert!(heard.iter().all(|text| *text == heard[0]), "{heard:?}");
        assert_eq!(stores[3].find(&form).await.unwrap(), Some(heard[0].clone()));
    }
    let life = |name: &str| node.say(&format!("PTTL {name}"))[1..].parse::<u64>().unwrap();
    assert!(names(&node).iter().all(|name| life(name) > 1_000_000), "what was read back lives on");
    let form = StoreKey { life: Life::Form, ..key(&stores[0], "a", 99) };
    let hasty = hasty(vec![node.address()]);
    hasty.find(&form).await.unwrap();
    node.freeze();
    assert!(hasty.first(&form, "late").await.is_err());
    node.thaw();
    tokio::time::sleep(Duration::from_secs(2)).await;
    assert_eq!(stores[1].find(&form).await.unwrap(), None, "what nobody waited for is not there");
}

/// Stores some texts of two tenants, deletes those of one, then all.
async fn forgets(addresses: Vec<String>) {
    let store = store(addresses);
    for number in 0..40 {
        for who in ["a", "b"] {
            store.keep(&key(&store, who, number), who).await.unwrap();
        }
    }
    assert_eq!(store.forget(store.tenant(b"a")).await, Ok(40));
    assert_eq!(store.find(&key(&store, "a", 7)).await, Ok(None));
    assert_eq!(store.find(&key(&store, "b", 7)).await, Ok(Some("b".to_owned())));
    assert_eq!(store.forget(None).await, Ok(40));
    assert_eq!(store.find(&key(&store, "b", 7)).await, Ok(None));
}

#[tokio::test(flavor = "multi_thread")]
async fn a_tenant_is_forgotten_and_others_are_not() {
    let _alone = alone().await;
    let node = ValkeyNode::start();
    node.say("SET somebody-elses value");
    forgets(vec![node.address()]).await;
    assert_eq!(node.ask("GET somebody-elses"), "value");
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_tenant_is_forgotten_by_a_whole_cluster() {
    let _alone = alone().await;
    let cluster = tokio::task::block_in_place(Cluster::start);
    forgets(cluster.addresses()).await;
}
