//! Many large bodies at once: each waits for its turn, and health checks are answered at once.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering::SeqCst};
use std::time::{Duration, Instant};

use bytes::Bytes;
use serde_json::json;
use tersely_gateway::{EngineRewriter, Replacement, Rewrite, Verdict};
use tokio::task::JoinSet;
use tokio::time::sleep;

use crate::scene::{Gateway, Hook, gateway, get, post, recorder, settings, soon};

/// Posts all bodies at once; returns the times of health checks meanwhile, the slowest last.
async fn crowd(gateway: &Gateway, bodies: Vec<String>) -> Vec<Duration> {
    let mut asks = JoinSet::new();
    for body in bodies {
        let url = gateway.url("/v1/messages");
        asks.spawn(async move { post(&url, body).await.status });
    }
    let (done, url) = (Arc::new(AtomicBool::new(false)), gateway.url("/healthz"));
    let checks = tokio::spawn({
        let done = Arc::clone(&done);
        async move {
            let mut took = Vec::new();
            while !done.load(SeqCst) {
                let begun = Instant::now();
                assert_eq!(get(&url).await.status, 200);
                took.push(begun.elapsed());
                sleep(Duration::from_millis(5)).await;
            }
            took.sort();
            took
        }
    });
    while let Some(status) = asks.join_next().await {
        assert_eq!(status.unwrap(), 200);
    }
    done.store(true, SeqCst);
    checks.await.unwrap()
}

/// Forty bodies of three megabytes: as many at a time as there is capacity, and none is forwarded unchanged. While all
/// rewrites hang, a health check is answered.
#[tokio::test(flavor = "multi_thread")]
async fn bodies_are_rewritten_as_there_is_room_for_them() {
    const BODY: usize = 3 << 20;
    let (address, log) = recorder().await;
    let [inside, most] = <[Arc<AtomicUsize>; 2]>::default();
    let open = Arc::new(AtomicBool::new(false));
    let hook = Hook::new({
        let (inside, most, open) = (Arc::clone(&inside), Arc::clone(&most), Arc::clone(&open));
        move |_: &[u8]| {
            most.fetch_max(inside.fetch_add(1, SeqCst) + 1, SeqCst);
            while !open.load(SeqCst) {
                std::thread::sleep(Duration::from_millis(5));
            }
            inside.fetch_sub(1, SeqCst);
            Verdict::Replace(Replacement { body: b"short".as_slice().into(), ..Replacement::default() })
        }
    });
    let mut settings = settings(address);
    settings.limits.rewriting = 8 * BODY + BODY / 2;
    let gateway = gateway(settings, Arc::clone(&hook) as _).await;
    let mut asks = JoinSet::new();
    let body = Bytes::from(vec![b'x'; BODY]);
    for _ in 0..40 {
        let (url, body) = (gateway.url("/v1/messages"), body.clone());
        asks.spawn(async move { post(&url, body).await.status });
    }
    while inside.load(SeqCst) < 8 {
        sleep(Duration::from_millis(5)).await;
    }
    for _ in 0..20 {
        assert_eq!(soon(get(&gateway.url("/healthz"))).await.status, 200);
    }
    assert_eq!((inside.load(SeqCst), log.lock().unwrap().len()), (8, 0));
    open.store(true, SeqCst);
    while let Some(status) = asks.join_next().await {
        assert_eq!(status.unwrap(), 200);
    }
    assert_eq!((most.load(SeqCst), hook.missed()), (8, vec![]));
    assert!(log.lock().unwrap().iter().all(|seen| seen.body == "short"));
}

/// A body larger than the whole capacity gets all of it.
#[tokio::test]
async fn a_body_without_equal_waits_until_it_is_alone() {
    let (address, log) = recorder().await;
    let [inside, most] = <[Arc<AtomicUsize>; 2]>::default();
    let hook = Hook::new({
        let (inside, most) = (Arc::clone(&inside), Arc::clone(&most));
        move |body: &[u8]| {
            most.fetch_max(inside.fetch_add(body.len(), SeqCst) + body.len(), SeqCst);
            std::thread::sleep(Duration::from_millis(20));
            inside.fetch_sub(body.len(), SeqCst);
            Verdict::Keep
        }
    });
    let mut settings = settings(address);
    settings.limits.rewriting = 1 << 20;
    let gateway = gateway(settings, Arc::clone(&hook) as _).await;
    let bodies = (0..12).map(|n| "x".repeat(if n % 3 == 0 { 4 << 20 } else { 400 << 10 })).collect();
    crowd(&gateway, bodies).await;
    assert_eq!((most.load(SeqCst), hook.missed(), log.lock().unwrap().len()), (4 << 20, vec![], 12));
}

/// Tool output that is hard to parse: digits, brackets, punctuation, depth.
fn hostile(kind: usize, length: usize) -> String {
    match kind {
        0 => "1".repeat(length),
        1 => "[".repeat(length),
        2 => "=".repeat(length),
        3 => "\n".repeat(length),
        4 => "{\"a\":".repeat(length / 5),
        5 => "a1b2".repeat(length / 4),
        6 => "\\".repeat(length),
        7 => "é".repeat(length / 2),
        8 => "0123456789 ".repeat(length / 11),
        _ => "-".repeat(length),
    }
}

fn messages(text: &str) -> String {
    let result = json!({"type": "tool_result", "tool_use_id": "a", "content": text});
    json!({"model": "m", "messages": [{"role": "user", "content": [result]}]}).to_string()
}

/// The median and slowest health check, and how many bodies were forwarded unchanged.
async fn health(bodies: Vec<String>) -> (Duration, Duration, u64) {
    let (address, _) = recorder().await;
    let live = Arc::new(EngineRewriter::default());
    let gateway = gateway(settings(address), Arc::clone(&live) as Arc<dyn Rewrite>).await;
    let took = crowd(&gateway, bodies).await;
    (took[took.len() / 2], took[took.len() - 1], live.totals().faults)
}

/// Small enough for a build without optimisation; `just health` measures the time of health checks.
#[tokio::test(flavor = "multi_thread")]
async fn health_is_answered_beside_a_real_engine() {
    let rows = (0..3000).map(|n| format!("{{\"id\":{n},\"name\":\"item {n}\",\"state\":\"open\"}}"));
    let text = format!("[{}]", rows.collect::<Vec<_>>().join(","));
    let mut bodies = vec![messages(&text); 8];
    bodies.extend((0..10).map(|kind| messages(&hostile(kind, 20_000))));
    let (half, slowest, faults) = health(bodies).await;
    println!("half within {half:?}, all within {slowest:?}");
    assert_eq!(faults, 0);
}
