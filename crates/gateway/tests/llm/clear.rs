//! Old results are cleared after a pause in which the provider's cache expires, and at no other time.

use std::sync::atomic::{AtomicU64, Ordering::SeqCst};
use std::sync::{Arc, Mutex};
use std::time::{Duration, UNIX_EPOCH};

use http::{Request, Response};
use http_body_util::Full;
use hyper::body::Incoming;
use serde_json::{Value, json};
use tersely_account::PriceTable;
use tersely_core::{Mode, Plan};
use tersely_engine::{ClearMode, Engine, EngineSettings};
use tersely_gateway::{ColdWatch, EngineRewriter, Keeper};
use tersely_store::{Remote, Store, StorePlace, StoreSecret, StoreSettings};
use tersely_telemetry::{EventSink, RequestEvent, Telemetry};
use tersely_testing::valkey::ValkeyNode;

use crate::scene::{Answer, Gateway, SeenRequest, gateway, send, settings, soon, upstream};

/// A clock that a test moves, in seconds.
#[derive(Clone)]
struct TestClock(Arc<AtomicU64>);

impl TestClock {
    fn new() -> Self {
        Self(Arc::new(AtomicU64::new(1_800_000_000)))
    }

    fn pass(&self, seconds: u64) {
        self.0.fetch_add(seconds, SeqCst);
    }
}

/// A conversation: reads of long files, and words of a person in between.
#[derive(Clone)]
struct Talk {
    messages: Vec<Value>,
    ttl: Option<&'static str>,
}

/// A file that is long enough to be cleared. Its first line is in no other.
fn file(n: usize) -> String {
    let line = |at: usize| {
        format!("    let value_{n}_{at} = compute_{n}(input_{}, {});\n", at * 7 % 13, at * 31 % 97)
    };
    format!("// file number {n}\n{}", (0..120).map(line).collect::<String>())
}

impl Talk {
    /// A conversation in which so many files were read.
    fn of(files: usize) -> Self {
        let mut talk = Self { messages: Vec::new(), ttl: Some("5m") };
        talk.say("Look at the files.");
        (0..files).for_each(|n| talk.read(n));
        talk
    }

    fn say(&mut self, text: &str) {
        if self.messages.last().is_some_and(|it| it["role"] == "user") {
            self.messages.push(json!({"role": "assistant", "content": [{"type": "text", "text": "Done."}]}));
        }
        self.messages.push(json!({"role": "user", "content": [{"type": "text", "text": text}]}));
    }

    fn read(&mut self, n: usize) {
        let path = format!("src/file_{n}.rs");
        let call =
            json!({"type": "tool_use", "id": format!("t{n}"), "name": "Read", "input": {"file_path": path}});
        let result = json!({"type": "tool_result", "tool_use_id": format!("t{n}"), "content": file(n)});
        self.messages.push(json!({"role": "assistant", "content": [call]}));
        self.messages.push(json!({"role": "user", "content": [result]}));
    }

    fn body(&self) -> Value {
        let mut messages = self.messages.clone();
        if let Some(ttl) = self.ttl {
            let last = messages.last_mut().unwrap()["content"].as_array_mut().unwrap().last_mut().unwrap();
            last["cache_control"] = json!({"type": "ephemeral", "ttl": ttl});
        }
        let tools: Vec<_> =
            ["Read", "Bash"].map(|name| json!({"name": name, "input_schema": {"type": "object"}})).into();
        json!({"model": "claude-sonnet-4-5", "max_tokens": 9, "tools": tools, "messages": messages})
    }
}

/// Gateways in front of one upstream that answers, and remembers what it gets.
struct Town {
    upstream: std::net::SocketAddr,
    seen: Arc<Mutex<Vec<Value>>>,
    clock: TestClock,
    /// The number of requests that were sent, and of those that have ended.
    sent: AtomicU64,
    ended: Ended,
}

/// Counts the requests that have ended.
#[derive(Clone, Default)]
struct Ended(Arc<AtomicU64>);

impl EventSink for Ended {
    fn name(&self) -> &'static str {
        "ended"
    }

    fn hear(&self, _: &Arc<RequestEvent>) {
        self.0.fetch_add(1, SeqCst);
    }

    fn dropped(&self) -> u64 {
        0
    }
}

impl Town {
    /// The model asks for the first result that was cleared, if `asks`.
    async fn new(asks: bool) -> Self {
        let seen = Arc::new(Mutex::new(Vec::new()));
        let log = Arc::clone(&seen);
        let upstream = upstream(move |request: Request<Incoming>| {
            let log = Arc::clone(&log);
            async move {
                let body: Value = serde_json::from_slice(&SeenRequest::of(request).await.body).unwrap();
                let answer = answer(asks, &body);
                log.lock().unwrap().push(body);
                Response::builder()
                    .header("content-type", "application/json")
                    .body(Full::from(answer))
                    .unwrap()
            }
        })
        .await;
        Self { upstream, seen, clock: TestClock::new(), sent: AtomicU64::new(0), ended: Ended::default() }
    }

    async fn gateway(&self, store: Option<&ValkeyNode>) -> Gateway {
        self.gateway_with(store, Mode::Standard, self.clock.clone()).await
    }

    async fn gateway_with(&self, store: Option<&ValkeyNode>, mode: Mode, clock: TestClock) -> Gateway {
        self.gateway_that_clears(ClearMode::Cold, store, mode, clock).await
    }

    async fn gateway_that_clears(
        &self,
        clear: ClearMode,
        store: Option<&ValkeyNode>,
        mode: Mode,
        clock: TestClock,
    ) -> Gateway {
        let place = store.map(|node| {
            let deadline = Duration::from_secs(10);
            StorePlace::Remote(Remote { addresses: vec![node.address()], deadline, ..Remote::default() })
        });
        let secret = StoreSecret::new(b"only for tests, and long enough").ok();
        let usual = StoreSettings { secret, ..StoreSettings::default() };
        let store =
            Store::open(&place.map_or(usual.clone(), |place| StoreSettings { place, ..usual })).unwrap();
        let plan = Plan { mode, ..Plan::default() };
        let engine = Engine::new(EngineSettings { plan, clear, ..EngineSettings::default() });
        let live = EngineRewriter::new(engine).keeping(Keeper::new(store, None));
        let now = Arc::new(move || UNIX_EPOCH + Duration::from_secs(clock.0.load(SeqCst)));
        let cold = ColdWatch::new(&live.store().unwrap(), PriceTable::known()).with_clock(now);
        let mut settings = settings(self.upstream);
        settings.telemetry = Telemetry::new(vec![Box::new(self.ended.clone())]);
        gateway(settings, Arc::new(live.clearing(cold))).await
    }

    /// Sends the conversation, and returns the messages as they arrive.
    async fn send(&self, gateway: &Gateway, talk: &Talk) -> Vec<Value> {
        self.answer(gateway, talk).await;
        let seen = std::mem::take(&mut *self.seen.lock().unwrap());
        let mut messages = seen[0]["messages"].as_array().unwrap().clone();
        // Marks of the cache move, and are no part of what the model reads.
        for block in messages.iter_mut().filter_map(|it| it["content"].as_array_mut()).flatten() {
            block.as_object_mut().unwrap().remove("cache_control");
        }
        messages
    }

    async fn answer(&self, gateway: &Gateway, talk: &Talk) -> Answer {
        let request = Request::post(gateway.url("/v1/messages")).header("x-api-key", "mine");
        let answer = soon(send(request.body(Full::from(talk.body().to_string())).unwrap())).await;
        assert_eq!(answer.status, 200, "{answer:?}");
        // A request ends after its response has arrived.
        let count = self.sent.fetch_add(1, SeqCst) + 1;
        soon(async {
            while self.ended.0.load(SeqCst) < count {
                tokio::time::sleep(Duration::from_millis(5)).await;
            }
        })
        .await;
        answer
    }
}

fn answer(asks: bool, body: &Value) -> String {
    let text = body.to_string();
    let is_asked = text.contains("\"expand_context\",\"type\":\"tool_use\"")
        || text.contains("\"tool_use_id\":\"toolu_ask\"");
    let cleared = text.find("SHADOW:shadow_").filter(|_| asks && !is_asked);
    let content = match cleared {
        Some(at) => {
            let id = &text[at + 7..at + 7 + 39];
            json!([{"type": "tool_use", "id": "toolu_ask", "name": "expand_context", "input": {"id": id}}])
        }
        None => json!([{"type": "text", "text": "Done."}]),
    };
    let stop = if cleared.is_some() { "tool_use" } else { "end_turn" };
    json!({"id": "msg_1", "type": "message", "role": "assistant", "model": "claude-sonnet-4-5", "content": content,
        "stop_reason": stop, "usage": {"input_tokens": 9, "output_tokens": 3}})
    .to_string()
}

/// Waits until so many records were written to a store.
async fn written(node: &ValkeyNode, count: usize) {
    let calls = || {
        let stats = node.ask("INFO commandstats");
        let line = stats.lines().find_map(|line| line.strip_prefix("cmdstat_set:calls="));
        line.and_then(|line| line.split(',').next()?.parse::<usize>().ok()).unwrap_or(0)
    };
    soon(async {
        while calls() < count {
            tokio::time::sleep(Duration::from_millis(5)).await;
        }
    })
    .await;
}

/// The files of which the model sees a stub.
fn cleared(messages: &[Value]) -> Vec<usize> {
    let text = Value::from(messages.to_vec()).to_string();
    (0..99).filter(|n| text.contains(&format!("cleared, 121 lines: Read src/file_{n}.rs"))).collect()
}

fn whole(messages: &[Value]) -> Vec<usize> {
    let text = Value::from(messages.to_vec()).to_string();
    (0..99).filter(|n| text.contains(&format!("// file number {n}\\n"))).collect()
}

/// Behaviour 26.1, 26.2: nothing changes while the cache lives; after a pause old results are cleared, and stay so.
#[tokio::test]
async fn old_results_are_cleared_once_the_cache_is_gone_and_stay_so() {
    for (ttl, lifetime) in [("5m", 300), ("1h", 3_600)] {
        let town = Town::new(false).await;
        let gateway = town.gateway(None).await;
        let mut talk = Talk { ttl: Some(ttl), ..Talk::of(20) };
        let mut before = town.send(&gateway, &talk).await;
        town.clock.pass(lifetime - 10);
        talk.say("Now the next task.");
        let warm = town.send(&gateway, &talk).await;
        assert_eq!(&warm[..before.len()], &before[..], "the cache may still be there");
        assert!(cleared(&warm).is_empty());
        town.clock.pass(lifetime + 1);
        talk.say("And another one.");
        let cold = town.send(&gateway, &talk).await;
        assert_eq!(cleared(&cold), (0..12).collect::<Vec<_>>(), "{ttl}");
        assert_eq!(whole(&cold), (12..20).collect::<Vec<_>>(), "the latest ten turns stay");
        before = cold;
        for n in 20..32 {
            talk.read(n);
            let next = town.send(&gateway, &talk).await;
            assert_eq!(&next[..before.len()], &before[..], "what was sent is sent again");
            before = next;
        }
        town.clock.pass(lifetime + 1);
        talk.say("Once more.");
        let again = town.send(&gateway, &talk).await;
        assert_eq!(cleared(&again), (0..23).collect::<Vec<_>>());
    }
}

/// Behaviour 26.1: a provider that does not say how long its cache lives is never cold, a short conversation is not
/// cleared, nor what has happened since a person spoke.
#[tokio::test]
async fn what_is_not_known_to_be_cold_is_not_cleared() {
    let town = Town::new(false).await;
    let gateway = town.gateway(None).await;
    let mut unstated = Talk { ttl: None, ..Talk::of(20) };
    let short = Talk::of(9);
    let mut working = Talk::of(20);
    // They are three conversations.
    unstated.messages[0]["content"][0]["text"] = json!("Look at them.");
    working.messages[0]["content"][0]["text"] = json!("See them.");
    for talk in [&unstated, &short, &working] {
        town.send(&gateway, talk).await;
    }
    town.clock.pass(100_000);
    for mut talk in [unstated, short] {
        talk.say("Now the next task.");
        assert!(cleared(&town.send(&gateway, &talk).await).is_empty());
    }
    working.read(20);
    assert!(cleared(&town.send(&gateway, &working).await).is_empty(), "a tool that took long");
}

/// Behaviour 26.10: in a trial, half of the conversations are cleared, and each says which half it is in.
#[tokio::test]
async fn a_trial_clears_half_of_the_conversations() {
    let town = Town::new(false).await;
    let gateway = town.gateway_that_clears(ClearMode::Half, None, Mode::Standard, town.clock.clone()).await;
    let mut counts = [0, 0];
    for number in 0..12 {
        let mut talk = Talk::of(20);
        talk.messages[0]["content"][0]["text"] = json!(format!("Task {number}: look at the files."));
        let first = town.answer(&gateway, &talk).await;
        town.seen.lock().unwrap().clear();
        town.clock.pass(301);
        talk.say("Now the next task.");
        let cold = town.send(&gateway, &talk).await;
        let arm = first.headers["x-tersely-arm"].to_str().unwrap();
        assert_eq!(arm == "cleared", !cleared(&cold).is_empty(), "{number}: {arm}");
        assert!(["cleared", "uncleared"].contains(&arm), "{arm}");
        counts[usize::from(arm == "cleared")] += 1;
    }
    assert!(counts.iter().all(|count| *count > 0), "{counts:?}");
}

/// Behaviour 26.3: a process that has lost its memory sends what it would have sent without a clearing.
#[tokio::test]
async fn a_lost_memory_costs_a_miss_and_no_answer() {
    let town = Town::new(false).await;
    let first = town.gateway(None).await;
    let mut talk = Talk::of(20);
    let whole_before = town.send(&first, &talk).await;
    town.clock.pass(301);
    talk.say("Now the next task.");
    assert!(!cleared(&town.send(&first, &talk).await).is_empty());
    let second = town.gateway(None).await;
    talk.read(20);
    let lost = town.send(&second, &talk).await;
    assert_eq!(&lost[..whole_before.len()], &whole_before[..]);
    // The first has not seen that request, so it does not know whether the cache is gone.
    town.clock.pass(301);
    talk.read(21);
    talk.say("Go on.");
    let known = town.send(&first, &talk).await;
    assert_eq!(
        cleared(&known),
        (0..11).collect::<Vec<_>>(),
        "what was cleared here stays cleared, and no more"
    );
}

/// Behaviour 26.4: replicas agree through a store, whatever their clocks say; what cannot be recorded is not cleared.
#[tokio::test]
async fn replicas_agree_or_do_not_clear() {
    let mut node = tokio::task::spawn_blocking(ValkeyNode::start).await.unwrap();
    let town = Town::new(false).await;
    let (one, two) = (town.gateway(Some(&node)).await, town.gateway(Some(&node)).await);
    let mut talk = Talk::of(20);
    town.send(&one, &talk).await;
    written(&node, 1).await;
    town.clock.pass(301);
    talk.say("Now the next task.");
    let cold = town.send(&two, &talk).await;
    assert_eq!(
        cleared(&cold),
        (0..11).collect::<Vec<_>>(),
        "the other knows when the conversation was last continued"
    );
    written(&node, 3).await;
    talk.read(20);
    let next = town.send(&one, &talk).await;
    assert_eq!(&next[..cold.len()], &cold[..], "both send the same");
    written(&node, 4).await;
    let late = TestClock::new();
    let skewed = town.gateway_with(Some(&node), Mode::Standard, late).await;
    talk.read(21);
    let skewed = town.send(&skewed, &talk).await;
    assert_eq!(&skewed[..next.len()], &next[..], "a clock that is slow clears no more, and no less");
    written(&node, 5).await;
    // Without the store: who knows goes on, and nothing new is cleared.
    talk.read(22);
    let before = town.send(&one, &talk).await;
    written(&node, 6).await;
    node.kill();
    town.clock.pass(301);
    talk.say("And now?");
    let dead = town.send(&one, &talk).await;
    assert_eq!(&dead[..before.len()], &before[..]);
    assert_eq!(cleared(&dead), (0..11).collect::<Vec<_>>());
}

/// Behaviour 26.2: another branch was not cleared, and goes on as it was.
#[tokio::test]
async fn another_branch_is_not_cleared() {
    let town = Town::new(false).await;
    let gateway = town.gateway(None).await;
    let mut talk = Talk::of(20);
    let before = town.send(&gateway, &talk).await;
    let mut branch = talk.clone();
    town.clock.pass(301);
    talk.say("Now the next task.");
    assert!(!cleared(&town.send(&gateway, &talk).await).is_empty());
    branch.say("Or this one.");
    for n in 30..34 {
        branch.read(n);
        let other = town.send(&gateway, &branch).await;
        assert_eq!(&other[..before.len()], &before[..]);
    }
}

/// Behaviour 26.5: the model fetches a cleared result byte for byte, and the client sees nothing of it.
#[tokio::test]
async fn what_was_cleared_is_fetched_back() {
    let town = Town::new(true).await;
    let gateway = town.gateway(None).await;
    let mut talk = Talk::of(20);
    town.answer(&gateway, &talk).await;
    town.clock.pass(301);
    talk.say("What was in the first file?");
    town.seen.lock().unwrap().clear();
    let answer = town.answer(&gateway, &talk).await;
    assert_eq!(answer.json()["content"], json!([{"type": "text", "text": "Done."}]));
    let seen = town.seen.lock().unwrap();
    let [first, second] = &seen[..] else { panic!("{} rounds", seen.len()) };
    assert_eq!(cleared(first["messages"].as_array().unwrap()).len(), 11);
    let results = second["messages"].as_array().unwrap().last().unwrap()["content"].as_array().unwrap();
    assert_eq!(results[0]["content"], file(0));
}

/// Behaviour 26.6: what is only observed is sent as it came, and counted.
#[tokio::test]
async fn what_would_be_cleared_is_counted() {
    let town = Town::new(false).await;
    let gateway = town.gateway_with(None, Mode::Observe, town.clock.clone()).await;
    let mut talk = Talk::of(20);
    town.send(&gateway, &talk).await;
    town.clock.pass(301);
    talk.say("Now the next task.");
    for _ in 0..2 {
        let answer = town.answer(&gateway, &talk).await;
        assert!(answer.header("x-tersely-would-stages").contains("clear="), "{answer:?}");
    }
    assert!(
        town.seen.lock().unwrap().iter().all(|body| cleared(body["messages"].as_array().unwrap()).is_empty())
    );
}
