//! One server that fails: every call returns in time with an error, and succeeds again once the server works.

use std::io::{Read, Write};
use std::net::TcpListener;
use std::thread;
use std::time::{Duration, Instant};

use tersely_store::{Remote, Store, StoreError, StorePlace, StoreSettings};

use crate::{DEADLINE, SLACK, alone, hasty, key, settings, store};
use tersely_testing::pace::at_most;
use tersely_testing::valkey::ValkeyNode;

/// Calls until one succeeds; every call returns in time.
async fn recovers(store: &Store) {
    let start = Instant::now();
    loop {
        let called = Instant::now();
        let kept = store.keep(&key(store, "a", 1), "text").await;
        assert!(called.elapsed() < at_most(DEADLINE + SLACK), "{kept:?} took {:?}", called.elapsed());
        if kept.is_ok() {
            return;
        }
        assert!(start.elapsed() < Duration::from_mins(1), "still {kept:?}");
        tokio::time::sleep(Duration::from_millis(20)).await;
    }
}

/// Calls ten times: each returns in time, and immediately once the breaker is open.
async fn fails_in_time(store: &Store) -> Vec<StoreError> {
    let mut errors = Vec::new();
    for round in 0..10 {
        let called = Instant::now();
        let error = store.find(&key(store, "a", 1)).await.unwrap_err();
        let most = if round < 5 { DEADLINE + SLACK } else { SLACK };
        assert!(called.elapsed() < at_most(most), "{error:?} took {:?}", called.elapsed());
        errors.push(error);
    }
    assert_eq!(errors[5..], vec![StoreError::Resting; 5]);
    errors
}

#[tokio::test(flavor = "multi_thread")]
async fn a_server_may_start_after_us_and_die_and_come_back() {
    let _alone = alone().await;
    let mut node = ValkeyNode::start();
    node.kill();
    let store = hasty(vec![node.address()]);
    let errors = fails_in_time(&store).await;
    assert!(matches!(&errors[0], StoreError::Down(why) if why.contains("refused")), "{errors:?}");
    for _ in 0..2 {
        node.restart();
        recovers(&store).await;
        node.kill();
        let errors = fails_in_time(&store).await;
        assert!(matches!(&errors[0], StoreError::Down(_) | StoreError::Slow(_)), "{errors:?}");
    }
    assert!(store.counts().failures >= 30, "{:?}", store.counts());
}

#[tokio::test(flavor = "multi_thread")]
async fn a_frozen_server_costs_a_deadline_and_then_nothing() {
    let _alone = alone().await;
    let node = ValkeyNode::start();
    let store = hasty(vec![node.address()]);
    recovers(&store).await;
    node.freeze();
    let errors = fails_in_time(&store).await;
    assert_eq!(errors[0], StoreError::Slow(DEADLINE));
    let start = Instant::now();
    for _ in 0..1000 {
        assert!(store.find(&key(&store, "a", 1)).await.is_err());
    }
    assert!(start.elapsed() < at_most(DEADLINE * 2 + SLACK), "1,000 calls took {:?}", start.elapsed());
    node.thaw();
    recovers(&store).await;
}

#[tokio::test(flavor = "multi_thread")]
async fn a_full_server_refuses_new_texts_and_gives_out_old_ones() {
    let _alone = alone().await;
    let node = ValkeyNode::start();
    let store = store(vec![node.address()]);
    store.keep(&key(&store, "a", 1), "old").await.unwrap();
    node.say("CONFIG SET maxmemory 1");
    for number in 2..20 {
        assert_eq!(store.keep(&key(&store, "a", number), "new").await, Err(StoreError::Full));
    }
    assert_eq!(store.find(&key(&store, "a", 1)).await.unwrap().as_deref(), Some("old"));
    node.say("CONFIG SET maxmemory 0");
    store.keep(&key(&store, "a", 2), "new").await.unwrap();
}

#[tokio::test(flavor = "multi_thread")]
async fn a_server_that_talks_nonsense_costs_a_deadline() {
    let _alone = alone().await;
    let endless = "$999999999999\r\n".to_owned() + &"x".repeat(1 << 16);
    for nonsense in ["", "HTTP/1.1 400 Bad Request\r\n\r\n", "+OK\r\n", "*-7\r\n$", "$-1\r\n", &endless] {
        let address = listen(nonsense.to_owned());
        let store = hasty(vec![address]);
        let called = Instant::now();
        let found = store.find(&key(&store, "a", 1)).await;
        assert!(called.elapsed() < at_most(DEADLINE + SLACK), "{nonsense:.20}: {:?}", called.elapsed());
        assert!(!matches!(found, Ok(Some(_))), "{nonsense:.20}: {found:?}");
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn one_call_too_many_fails_at_once() {
    let _alone = alone().await;
    let remote = Remote { addresses: vec![listen(String::new())], deadline: DEADLINE, ..Remote::default() };
    let place = StorePlace::Remote(Remote { calls: 2, ..remote });
    let store = Store::open(&StoreSettings { place, ..settings(Vec::new()) }).unwrap();
    let key = key(&store, "a", 1);
    let timed = async {
        tokio::task::yield_now().await;
        let called = Instant::now();
        (store.find(&key).await, called.elapsed())
    };
    let (one, two, (three, took)) = tokio::join!(store.find(&key), store.find(&key), timed);
    assert_eq!((one, two), (Err(StoreError::Slow(DEADLINE)), Err(StoreError::Slow(DEADLINE))));
    assert_eq!(three, Err(StoreError::Busy(2)));
    assert!(took < at_most(DEADLINE / 2), "{took:?}");
}

#[tokio::test(flavor = "multi_thread")]
async fn a_wrong_password_is_said_without_saying_it() {
    let _alone = alone().await;
    let node = ValkeyNode::start();
    node.say("CONFIG SET requirepass swordfish");
    let address = |password: &str| format!("redis://:{password}@127.0.0.1:{}", node.port);
    let wrong = store(vec![address("haddock")]);
    let error = wrong.find(&key(&wrong, "a", 1)).await.unwrap_err();
    let said = format!("{error} {error:?}");
    assert!(said.contains("credentials") && !said.contains("haddock"), "{said}");
    recovers(&hasty(vec![address("swordfish")])).await;
}

#[tokio::test(flavor = "multi_thread")]
async fn a_text_that_is_too_large_never_leaves() {
    let _alone = alone().await;
    let node = ValkeyNode::start();
    let store = store(vec![node.address()]);
    let large = "x".repeat((4 << 20) + 1);
    let refused = StoreError::TooLarge { bytes: large.len(), largest: 4 << 20 };
    assert_eq!(store.keep(&key(&store, "a", 1), &large).await, Err(refused));
    store.keep(&key(&store, "a", 1), &large[1..]).await.unwrap();
    assert_eq!(store.find(&key(&store, "a", 1)).await.unwrap().as_deref(), Some(&large[1..]));
}

#[test]
fn settings_that_do_not_work_are_refused_with_a_way_out() {
    let none = StoreSettings { secret: None, ..settings(vec!["redis://127.0.0.1".to_owned()]) };
    let cases = [
        (none, "secret"),
        (settings(vec![]), "redis://host:6379"),
        (settings(vec!["127.0.0.1:6379".to_owned()]), "redis://host:6379"),
        (settings(vec!["http://:haddock@127.0.0.1".to_owned()]), "redis://host:6379"),
        (
            settings(vec!["redis://:haddock@a".to_owned(), "http://:haddock@b".to_owned()]),
            "redis://host:6379",
        ),
        (settings(vec!["redis://:haddock@a".to_owned(), "rediss://:haddock@b".to_owned()]), "TLS modes"),
    ];
    for (settings, way_out) in cases {
        let error = Store::open(&settings).err().map(|error| error.to_string()).unwrap_or_default();
        assert!(error.contains(way_out) && !error.contains("haddock"), "{error}");
    }
}

/// A server that sends the same answer to anything, and then nothing.
fn listen(says: String) -> String {
    let listener = TcpListener::bind("127.0.0.1:0").unwrap();
    let address = format!("redis://{}", listener.local_addr().unwrap());
    thread::spawn(move || {
        for mut stream in listener.incoming().flatten() {
            let says = says.clone();
            thread::spawn(move || {
                let mut heard = [0; 4096];
                while stream.read(&mut heard).is_ok_and(|length| length > 0) {
                    if stream.write_all(says.as_bytes()).is_err() {
                        return;
                    }
                }
            });
        }
    });
    address
}
