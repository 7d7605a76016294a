//! Two gateways with one Valkey and a compressor that never answers the same twice: whatever happens to the store and
//! to logins, a gateway sends again what it has sent, and both agree whenever they can.

#![cfg(unix)]
#![expect(
    clippy::expect_used,
    clippy::panic,
    clippy::print_stdout,
    clippy::unwrap_used,
    reason = "a test fails loudly and says what it measured, its scenery too"
)]

#[path = "llm/scene/mod.rs"]
#[expect(dead_code, unused_imports, reason = "scenery for other tests too")]
mod scene;

use std::net::SocketAddr;
use std::sync::atomic::{AtomicUsize, Ordering::SeqCst};
use std::sync::{Arc, Mutex};
use std::time::Duration;

use bytes::Bytes;
use http::{Request, Response, StatusCode};
use http_body_util::Full;
use hyper::body::Incoming;
use serde_json::json;
use tersely_engine::{Engine, EngineSettings, Fallback, RemotePlan, Strategy};
use tersely_gateway::{Compressor, CompressorSettings, CompressorShape, EngineRewriter, Keeper};
use tersely_store::{Remote, Store, StorePlace, StoreSecret, StoreSettings};
use tersely_testing::valkey::{Cluster, ValkeyNode};
use tokio::task::block_in_place;
use tokio::time::{sleep, timeout};

use scene::{Conversation, ERROR, Gateway, SeenRequest, gateway, log, recorder, send, settings, upstream};

/// A gateway, and the last body that it sent.
struct Replica {
    gateway: Gateway,
    seen: Arc<Mutex<Vec<SeenRequest>>>,
    last: String,
}

impl Replica {
    /// A gateway with a compression service and one node.
    async fn new(compressor: SocketAddr, store: &ValkeyNode) -> Self {
        Self::with(service(compressor), vec![store.address()]).await
    }

    async fn with(compressor: CompressorSettings, addresses: Vec<String>) -> Self {
        let (address, seen) = recorder().await;
        let settings = settings(address);
        let remote = Remote { addresses, deadline: Duration::from_millis(300), ..Remote::default() };
        let secret = StoreSecret::new(b"only for tests, and long enough").ok();
        let place = StorePlace::Remote(remote);
        let store = Store::open(&StoreSettings { place, secret, ..StoreSettings::default() }).unwrap();
        let keeper = Keeper::new(store, None);
        let (mark, fallback) = (compressor.mark(), Fallback::Whole);
        let plan = RemotePlan { stage: "api", mark, tells_question: true, fallback };
        let engine = EngineSettings { strategy: Strategy::Remote(plan), ..EngineSettings::default() };
        let compressor = Compressor::new(compressor, &settings, &keeper).unwrap();
        let live = EngineRewriter::new(Engine::new(engine)).keeping(keeper).asking(compressor);
        Self { gateway: gateway(settings, Arc::new(live)).await, seen, last: String::new() }
    }

    /// Sends the conversation so far, with a login of its own; it must begin with what was sent before.
    async fn turn(&mut self, turn: usize, talk: &Conversation) -> String {
        let post = Request::post(self.gateway.url("/v1/messages"));
        let post = post.header("authorization", format!("Bearer token-{turn}"));
        let sending = send(post.body(Full::new(Bytes::from(talk.body()))).unwrap());
        let answer = timeout(Duration::from_mins(3), sending).await.expect("in time");
        assert_eq!(answer.status, StatusCode::OK, "turn {turn}: {answer:?}");
        let body = self.seen.lock().unwrap().pop().unwrap().body;
        let body = String::from_utf8(body.to_vec()).unwrap();
        let stem = self.last.trim_end_matches("]}");
        assert!(body.starts_with(stem), "turn {turn} changes what was sent:\n{}\n{body}", self.last);
        self.last.clone_from(&body);
        body
    }
}

fn service(address: SocketAddr) -> CompressorSettings {
    CompressorSettings {
        shape: CompressorShape::Api,
        endpoint: format!("http://{address}").parse().unwrap(),
        key: None,
        model: "m".to_owned(),
        timeout: Duration::from_secs(2),
        rate: 0,
    }
}

/// A compressor that answers differently each time, and how often it was called.
async fn compressor() -> (SocketAddr, Arc<AtomicUsize>) {
    let calls = Arc::new(AtomicUsize::new(0));
    let counted = Arc::clone(&calls);
    let address = upstream(move |request: Request<Incoming>| {
        let number = calls.fetch_add(1, SeqCst);
        async move {
            SeenRequest::of(request).await;
            sleep(Duration::from_millis((number % 3) as u64 * 10)).await;
            let body = json!({"compressed_output": format!("answer {number}.\n{ERROR}")}).to_string();
            Response::new(Full::new(Bytes::from(body)))
        }
    })
    .await;
    (address, counted)
}

/// Two replicas and their conversation.
struct Pair {
    one: Replica,
    other: Replica,
    talk: Conversation,
    turn: usize,
    /// Whether each of the two reaches the store, so that they can agree.
    is_quiet: bool,
    /// Tool output.
    log: fn(usize) -> String,
}

/// What became of the new results of some turns.
#[derive(Default)]
struct Sent {
    /// Results that an answer replaced.
    answered: usize,
    /// Results that the two sent differently.
    different: usize,
}

impl Pair {
    /// Continues for some turns, each with both at once, and returns what became of the new results.
    async fn go_on(&mut self, what: &str, turns: usize) -> Sent {
        let mut sent = Sent::default();
        for _ in 0..turns {
            self.turn += 1;
            self.talk.result(&format!("run {}", self.turn), &(self.log)(self.turn * 200));
            let (one, other) =
                tokio::join!(self.one.turn(self.turn, &self.talk), self.other.turn(self.turn, &self.talk));
            if self.is_quiet {
                assert_eq!(one, other, "{what}, turn {}: both send the same", self.turn);
            }
            let [one, other] = [newest(&one), newest(&other)];
            sent.answered += usize::from(one.contains("<<<SHADOW:"));
            sent.different += usize::from(one != other);
        }
        sent
    }
}

/// What was sent for the newest result.
fn newest(body: &str) -> &str {
    body.rfind("toolu_").map_or("", |at| &body[at..])
}

impl Pair {
    /// Continues until answers replace results again.
    async fn recovers(&mut self, what: &str) {
        for _ in 0..30 {
            if self.go_on(what, 1).await.answered > 0 {
                return;
            }
            sleep(Duration::from_millis(500)).await;
        }
        panic!("{what}: no answer is used");
    }
}

/// Behaviour 8.11, law 2.
#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn what_was_sent_is_sent_again_whatever_becomes_of_the_store() {
    let mut store = block_in_place(ValkeyNode::start);
    let (address, calls) = compressor().await;
    let (one, other) = (Replica::new(address, &store).await, Replica::new(address, &store).await);
    let mut pair = Pair { one, other, talk: Conversation::new(), turn: 0, is_quiet: true, log };
    assert_eq!(pair.go_on("both race", 12).await.answered, 12);

    assert_eq!(store.say("FLUSHALL"), "+OK");
    assert_eq!(pair.go_on("all keys are gone", 6).await.answered, 6);
    // What the two have used is in the store again, for a third that knows nothing.
    sleep(Duration::from_millis(500)).await;
    let mut third = Replica::new(address, &store).await;
    let before = calls.load(SeqCst);
    assert_eq!(third.turn(pair.turn, &pair.talk).await, pair.one.last, "a third replica finds it");
    assert_eq!(calls.load(SeqCst), before, "and asks nobody");

    pair.is_quiet = false;
    store.freeze();
    assert_eq!(pair.go_on("the store hangs", 3).await.answered, 0, "what nobody confirms is not used");
    store.thaw();
    pair.recovers("it goes on").await;

    block_in_place(|| store.kill());
    assert_eq!(pair.go_on("the store is dead", 3).await.answered, 0);
    block_in_place(|| store.restart());
    pair.recovers("it is back, and empty").await;
}

/// Behaviour 8.11: a replica that does not know what another sent, and finds nothing, sends it whole and calls no
/// compressor.
#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn nobody_is_asked_again_about_what_the_model_has_seen() {
    let store = block_in_place(ValkeyNode::start);
    let (address, calls) = compressor().await;
    let mut one = Replica::new(address, &store).await;
    let mut talk = Conversation::new();
    assert!(one.turn(1, talk.result("run", &log(1))).await.contains("answer 0"));
    assert_eq!(store.say("FLUSHALL"), "+OK");
    let mut other = Replica::new(address, &store).await;
    let body = other.turn(2, talk.result("run", "ok")).await;
    assert!(!body.contains("answer") && body.contains(" took "), "{body}");
    assert_eq!(calls.load(SeqCst), 1);
    let again = other.turn(3, talk.result("run", "ok")).await;
    assert!(again.starts_with(body.trim_end_matches("]}")));
}

/// As much of a log as a small model reads in some seconds, and its error.
fn short(number: usize) -> String {
    let text = log(number);
    let lines: Vec<_> = text.lines().take(30).collect();
    format!("{}\n{ERROR}\n", lines.join("\n"))
}

/// A real model as the compressor, or a script if none is served, a cluster of six, and all its possible faults.
#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
#[ignore = "takes minutes, and with a model an hour or more"]
async fn five_hundred_turns_change_nothing_that_was_sent() {
    let number = |name: &str, usual| std::env::var(name).ok().and_then(|it| it.parse().ok()).unwrap_or(usual);
    let (turns, seconds) = (number("TERSELY_TURNS", 500), number("TERSELY_TIMEOUT", 30));
    let scripted = service(compressor().await.0);
    let model = match std::env::var("TERSELY_MODEL") {
        Ok(url) => CompressorSettings {
            shape: CompressorShape::OpenAi,
            endpoint: url.parse().unwrap(),
            timeout: Duration::from_secs(seconds as u64),
            ..scripted
        },
        Err(_) => scripted,
    };
    let mut cluster = block_in_place(Cluster::start);
    let [one, other] =
        [Replica::with(model.clone(), cluster.addresses()), Replica::with(model, cluster.addresses())];
    let (one, other) = tokio::join!(one, other);
    let mut pair = Pair { one, other, talk: Conversation::new(), turn: 0, is_quiet: true, log: short };
    let part = turns / 6;
    pair.report("all is well", part).await;
    cluster.nodes[..3].iter().for_each(|node| assert_eq!(node.say("FLUSHALL"), "+OK"));
    pair.report("all keys are gone", part).await;
    pair.is_quiet = false;
    block_in_place(|| cluster.nodes[0].kill());
    pair.report("a master is killed, and another takes its place", part).await;
    cluster.nodes[1].freeze();
    pair.report("a master is frozen", part).await;
    cluster.nodes[1..].iter().for_each(ValkeyNode::freeze);
    pair.report("all nodes are cut off", part).await;
    cluster.nodes[1..].iter().for_each(ValkeyNode::thaw);
    pair.report("they are back", turns - 5 * part).await;
}

impl Pair {
    /// Continues for some turns, and prints the results.
    async fn report(&mut self, what: &str, turns: usize) {
        let begun = std::time::Instant::now();
        let Sent { answered, different } = self.go_on(what, turns).await;
        println!("| {what} | {turns} | {answered} | {} s | {different} |", begun.elapsed().as_secs());
    }
}
