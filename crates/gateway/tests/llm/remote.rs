//! A remote compressor that is slow, dead, lying, verbose or different each time: no request fails because of it, and
//! what was sent once is sent again.

use std::net::SocketAddr;
use std::sync::atomic::{AtomicUsize, Ordering::SeqCst};
use std::sync::{Arc, Mutex};
use std::time::{Duration, Instant};

use bytes::Bytes;
use http::{Request, Response, StatusCode};
use http_body_util::{BodyExt, Full};
use hyper::body::Incoming;
use serde_json::{Value, json};
use tersely_core::O200k;
use tersely_engine::{Engine, EngineSettings, Fallback, RemotePlan, Strategy};
use tersely_gateway::{Compressor, CompressorSettings, CompressorShape, EngineRewriter, Keeper};
use tersely_store::{Store, StoreSettings};
use tersely_testing::pace::at_most;

use crate::scene::{
    Any, Conversation, ERROR, Gateway, Raw, SeenRequest, answer, any, feed, gateway, log, recorder, send,
    settings, soon, upstream,
};

/// How long a compressor may take in these tests.
const TIMEOUT: Duration = Duration::from_millis(400);

/// What a request itself may take in these tests, with the tables that the first one makes.
const OWN: Duration = Duration::from_millis(200);

/// How long a slow one takes.
const SLOW: Duration = Duration::from_millis(1200);

/// A gateway with a recording upstream and a scripted compressor.
struct Scene {
    gateway: Gateway,
    live: Arc<EngineRewriter>,
    seen: Arc<Mutex<Vec<SeenRequest>>>,
}

/// What a compressor does with its n-th call.
type Script = fn(usize, SeenRequest) -> Response<Any>;

/// A scripted compressor, and what it was asked.
async fn compressor(script: Script) -> (SocketAddr, Arc<Mutex<Vec<SeenRequest>>>) {
    let (calls, number) = (Arc::new(Mutex::new(Vec::new())), Arc::new(AtomicUsize::new(0)));
    let log = Arc::clone(&calls);
    let address = upstream(move |request: Request<Incoming>| {
        let (log, number) = (Arc::clone(&log), number.fetch_add(1, SeqCst));
        async move {
            let seen = SeenRequest::of(request).await;
            log.lock().unwrap().push(seen.clone());
            if seen.uri.path().contains("hang") {
                std::future::pending::<()>().await;
            }
            if seen.uri.path().contains("slow") {
                tokio::time::sleep(SLOW).await;
            }
            script(number, seen)
        }
    })
    .await;
    (address, calls)
}

/// A service at `url`.
fn service(url: &str) -> CompressorSettings {
    CompressorSettings {
        shape: CompressorShape::Api,
        endpoint: url.parse().unwrap(),
        key: Some("their-key".to_owned()),
        model: "m".to_owned(),
        timeout: TIMEOUT,
        rate: 0,
    }
}

impl Scene {
    /// A gateway with this compressor and a recording upstream.
    async fn new(compressor: CompressorSettings, fallback: Fallback) -> Self {
        let (address, seen) = recorder().await;
        Self::before(address, seen, compressor, fallback).await
    }

    async fn before(
        address: SocketAddr,
        seen: Arc<Mutex<Vec<SeenRequest>>>,
        compressor: CompressorSettings,
        fallback: Fallback,
    ) -> Self {
        let stage = "api";
        let plan = RemotePlan { stage, mark: compressor.mark(), tells_question: true, fallback };
        let engine = EngineSettings { strategy: Strategy::Remote(plan), ..EngineSettings::default() };
        let keeper = Keeper::new(Store::open(&StoreSettings::default()).unwrap(), None);
        let settings = settings(address);
        let compressor = Compressor::new(compressor, &settings, &keeper).unwrap();
        let live = Arc::new(EngineRewriter::new(Engine::new(engine)).keeping(keeper).asking(compressor));
        Self { gateway: gateway(settings, Arc::clone(&live) as _).await, live, seen }
    }

    /// What the upstream sees of a conversation, and how long that took.
    async fn sent(&self, headers: &[(&str, &str)], conversation: &Conversation) -> (String, Duration) {
        let begun = Instant::now();
        let post = Request::post(self.gateway.url("/v1/messages"));
        let post = headers.iter().fold(post, |post, (name, value)| post.header(*name, *value));
        let body = Full::new(Bytes::from(conversation.body()));
        let answer = soon(send(post.body(body).unwrap())).await;
        assert_eq!(answer.status, StatusCode::OK, "{answer:?}");
        let body = self.seen.lock().unwrap().pop().unwrap().body;
        (String::from_utf8(body.to_vec()).unwrap(), begun.elapsed())
    }
}

fn says(text: &str) -> Response<Any> {
    let body = json!({"success": true, "data": {"compressed_output": text}}).to_string();
    Response::new(any(Full::new(Bytes::from(body))))
}

/// A good answer that is never the same.
fn differs(number: usize, _: SeenRequest) -> Response<Any> {
    says(&format!("answer {number}: 120 jobs ran.\n{ERROR}"))
}

/// True if a body contains a whole log.
fn is_whole(body: &str, log: &str) -> bool {
    let last: Value = serde_json::from_str(body).unwrap();
    let sent =
        last["messages"].as_array().unwrap().last().unwrap()["content"][0]["content"].as_str().unwrap();
    let text = tersely_core::restore(sent).map_or(sent.to_owned(), std::borrow::Cow::into_owned);
    !sent.contains("<<<SHADOW:") && text == log && O200k.count(sent) <= O200k.count(log)
}

/// Behaviour 8.3, 8.6: a useful answer replaces the result, with the id of the original.
#[tokio::test]
async fn what_a_compressor_says_stands_for_the_result() {
    let (address, calls) = compressor(differs).await;
    let scene = Scene::new(service(&format!("http://{address}/v1/compress")), Fallback::Whole).await;
    let mut talk = Conversation::new();
    let (body, _) = scene.sent(&[("x-api-key", "mine")], talk.result("run", &log(1))).await;
    assert!(body.contains("<<<SHADOW:shadow_") && body.contains("answer 0: 120 jobs ran."), "{body}");
    assert!(body.contains(ERROR) && !body.contains("queue 7 took"), "{body}");
    let call = calls.lock().unwrap().pop().unwrap();
    assert_eq!(
        (call.uri.path(), &call.headers["x-api-key"]),
        ("/v1/compress", &"their-key".parse().unwrap())
    );
    let asked: Value = serde_json::from_slice(&call.body).unwrap();
    assert_eq!(asked["tool_output"], log(1));
    assert_eq!((&asked["query"], &asked["tool_name"]), (&json!("why did the job fail?"), &json!("Bash")));
    let totals = scene.live.totals();
    assert_eq!(totals.compressors.calls, 1);
    assert!(totals.compressors.tokens > 1000, "what a compressor costs is counted: {totals:?}");
    assert!(totals.stages["api"] > 0);
}

/// Behaviour 8.8, law 2: turn by turn, sent again or not, also after a new login, nothing that was sent changes, and
/// results that the model has seen are not sent to the compressor.
#[tokio::test]
async fn what_was_sent_once_is_sent_again() {
    let (address, calls) = compressor(differs).await;
    let scene = Scene::new(service(&format!("http://{address}")), Fallback::Whole).await;
    let (mut talk, mut before) = (Conversation::new(), String::new());
    for turn in 0..30 {
        talk.result(&format!("run {turn}"), &log(turn * 7));
        let login = format!("Bearer token-{turn}");
        let (body, _) = scene.sent(&[("authorization", &login)], &talk).await;
        let (again, _) = scene.sent(&[("authorization", "Bearer other")], &talk).await;
        assert_eq!(body, again, "turn {turn}");
        let stem = before.trim_end_matches("]}");
        assert!(body.starts_with(stem), "turn {turn}:\n{before}\n{body}");
        assert!(body.contains(&format!("answer {turn}:")), "turn {turn}: {body}");
        before = body;
    }
    assert_eq!(calls.lock().unwrap().len(), 30, "each result is asked about once");
}

/// Behaviour 8.5, 8.6: whatever is wrong with a compressor, the request is forwarded with the result whole, and it
/// stays whole.
#[tokio::test]
async fn a_compressor_that_is_of_no_use_changes_nothing() {
    let scripts: [(&str, Script); 9] = [
        ("it fails", |_, _| Response::builder().status(500).body(any(answer("no").into_body())).unwrap()),
        ("it lies about an error", |_, _| says("120 jobs ran. All is well.")),
        ("it changes an error", |_, _| says("120 jobs ran.\nerror: disk full on /dev/sdb9")),
        ("it is verbose", |_, seen| says(&format!("{}{}", log(1), seen.body.len()))),
        ("it saves next to nothing", |_, _| {
            says(&log(1)[..log(1).len() - ERROR.len() - 1].replacen("job", "", 1))
        }),
        ("it says nothing", |_, _| says("")),
        ("it does not speak JSON", |_, _| answer("<html>busy</html>").map(any)),
        ("it answers something else", |_, _| answer("{\"choices\":[]}").map(any)),
        ("it breaks off", |_, _| {
            let (frames, body) = feed();
            tokio::spawn(async move {
                frames.say("{\"data\":{").await;
                frames.fail().await;
            });
            Response::new(any(body.map_err(std::io::Error::other)))
        }),
    ];
    for (what, script) in scripts {
        let (address, calls) = compressor(script).await;
        let scene = Scene::new(service(&format!("http://{address}")), Fallback::Whole).await;
        let mut talk = Conversation::new();
        let (body, _) = scene.sent(&[], talk.result("run", &log(1))).await;
        assert!(is_whole(&body, &log(1)), "{what}: {body}");
        assert_eq!(scene.sent(&[], &talk).await.0, body, "{what}");
        let (next, _) = scene.sent(&[], talk.clone().result("run", "ok")).await;
        assert!(next.starts_with(body.trim_end_matches("]}")), "{what}");
        assert_eq!(calls.lock().unwrap().len(), 1, "{what}: a refusal stands as well");
    }
}

/// Behaviour 8.5, 8.10: a compressor that hangs, before or during its answer, costs no more than its timeout; after
/// five failures it is not called for a while.
#[tokio::test]
async fn a_slow_or_dead_compressor_costs_no_more_than_its_time() {
    let (slow, _) = compressor(differs).await;
    let (half, _) = compressor(|_, _| {
        let (frames, body) = feed();
        tokio::spawn(async move {
            frames.say("{\"data\":{").await;
            frames.closed().await;
        });
        Response::new(any(body.map_err(std::io::Error::other)))
    })
    .await;
    let dead = std::net::TcpListener::bind("127.0.0.1:0").unwrap().local_addr().unwrap();
    for url in [format!("http://{slow}/hang"), format!("http://{half}"), format!("http://{dead}")] {
        let scene = Scene::new(service(&url), Fallback::Whole).await;
        let mut took = Vec::new();
        for turn in 0..8 {
            let mut talk = Conversation::new();
            for part in 0..4 {
                talk.result("run", &log(turn * 1000 + part * 200));
            }
            let (body, time) = scene.sent(&[], &talk).await;
            assert!(is_whole(&body, &log(turn * 1000 + 600)), "{url}: {body}");
            took.push(time);
        }
        let (longest, last) = (took.iter().max().unwrap(), took[7]);
        assert!(*longest < at_most(TIMEOUT + OWN), "{url}: {took:?}");
        assert!(last < at_most(OWN), "{url}: it rests after five failures: {took:?}");
    }
}

/// Behaviour 8.2, 8.5: another fallback shows the first lines, and every error.
#[tokio::test]
async fn the_first_words_may_stand_for_what_a_compressor_fails_at() {
    let (address, _) = compressor(|_, _| says("nothing")).await;
    let scene = Scene::new(service(&format!("http://{address}")), Fallback::Simple).await;
    let (body, _) = scene.sent(&[], Conversation::new().result("run", &log(1))).await;
    assert!(body.contains(&format!("00:01 job 7919 of queue 1 took 31 ms 00:02...\\n{ERROR}\"")), "{body}");
}

/// Behaviour 8.11: what the model has seen stays whole if no answer is stored, whatever the fallback.
#[tokio::test]
async fn the_first_words_never_stand_for_what_was_seen() {
    let (address, calls) = compressor(|_, _| says("nothing")).await;
    let scene = Scene::new(service(&format!("http://{address}")), Fallback::Simple).await;
    let mut talk = Conversation::new();
    talk.result("run", &log(1)).result("run on", "ok");
    for _ in 0..2 {
        let (body, _) = scene.sent(&[], &talk).await;
        assert!(!body.contains("<<<SHADOW:shadow_") && body.len() > log(1).len() / 2, "{body}");
    }
    assert_eq!(calls.lock().unwrap().len(), 0);
}

/// A conversation whose last message has this many results.
fn at_once(many: usize) -> Conversation {
    let mut talk = Conversation::new();
    let results: Vec<_> =
        (0..many).map(|n| talk.clone().result("run", &log(n * 200)).messages.clone()).collect();
    let parts = |from_end: usize, field: &str| -> Vec<Value> {
        let part = |(n, messages): (usize, &Vec<Value>)| {
            let mut part = messages[messages.len() - from_end]["content"][0].clone();
            part[field] = json!(format!("toolu_{n}"));
            part
        };
        results.iter().enumerate().map(part).collect()
    };
    talk.messages.push(json!({"role": "assistant", "content": parts(2, "id")}));
    talk.messages.push(json!({"role": "user", "content": parts(1, "tool_use_id")}));
    talk
}

/// Behaviour 8.10: a call that started late because of others is not a failure of the compressor.
#[tokio::test]
async fn a_call_without_its_share_of_the_time_is_no_failure() {
    let (address, calls) = compressor(differs).await;
    let slow =
        CompressorSettings { timeout: Duration::from_secs(2), ..service(&format!("http://{address}/slow")) };
    let scene = Scene::new(slow, Fallback::Whole).await;
    scene.sent(&[], &at_once(20)).await;
    let before = calls.lock().unwrap().len();
    assert!(before > 10, "some came late: {before}");
    let (body, _) = scene.sent(&[], Conversation::new().result("run", &log(1))).await;
    assert_eq!(calls.lock().unwrap().len(), before + 1, "it is not left alone");
    assert!(body.contains("120 jobs ran."), "{body}");
}

/// Behaviour 8.13: at most 64 results of a request are sent; the others stay whole.
#[tokio::test]
async fn the_calls_of_one_request_are_counted() {
    let (address, calls) = compressor(differs).await;
    let patient =
        CompressorSettings { timeout: Duration::from_mins(1), ..service(&format!("http://{address}")) };
    let scene = Scene::new(patient, Fallback::Simple).await;
    let (body, _) = scene.sent(&[], &at_once(70)).await;
    assert_eq!(calls.lock().unwrap().len(), 64);
    assert_eq!(body.matches("120 jobs ran.").count(), 64);
    assert_eq!(body.matches("<<<SHADOW:shadow_").count(), 64, "what was not asked about stays whole");
}

/// Behaviour 15.3: calls per second are limited; results whose call would start too late stay whole, and no request
/// fails.
#[tokio::test]
async fn calls_begin_at_the_pace_that_is_set() {
    let (address, calls) = compressor(differs).await;
    let url = format!("http://{address}");
    let paced = CompressorSettings { timeout: Duration::from_millis(1_200), rate: 2, ..service(&url) };
    let scene = Scene::new(paced, Fallback::Whole).await;
    let (body, _) = scene.sent(&[], &at_once(9)).await;
    let made = calls.lock().unwrap().len();
    assert!((2..=4).contains(&made), "two at once, and one each half second: {made}");
    assert_eq!(body.matches("120 jobs ran.").count(), made);
}

/// Behaviour 15.3: when the client leaves, no further call starts; calls that were not made are made when it asks
/// again.
#[tokio::test]
async fn no_call_begins_for_a_client_that_has_left() {
    let (address, calls) = compressor(differs).await;
    let slow =
        CompressorSettings { timeout: Duration::from_secs(15), ..service(&format!("http://{address}/slow")) };
    let scene = Scene::new(slow, Fallback::Whole).await;
    let body = at_once(30).body();
    let mut client = Raw::open(scene.gateway.address).await;
    let head =
        format!("POST /v1/messages HTTP/1.1\r\nhost: localhost\r\ncontent-length: {}\r\n\r\n", body.len());
    client.write(head + &body).await;
    let made = || calls.lock().unwrap().len();
    while made() < 10 {
        tokio::time::sleep(Duration::from_millis(10)).await;
    }
    drop(client);
    tokio::time::sleep(SLOW * 3).await;
    assert_eq!(made(), 10, "what has begun ends, and nothing else begins");
    let (body, _) = scene.sent(&[], &at_once(30)).await;
    assert_eq!((made(), body.matches("120 jobs ran.").count()), (30, 30), "nothing was settled for it");
}

/// Behaviour 8.10: a refusal of one login does not stop calls for others.
#[tokio::test]
async fn a_refused_login_is_nobody_elses_failure() {
    let script: Script = |_, seen| {
        let is_ask = seen.body.windows(16).any(|part| part == b"You shorten the ");
        if is_ask && seen.headers["authorization"] != "Bearer good" {
            return Response::builder().status(401).body(any(answer("no").into_body())).unwrap();
        }
        let text = json!([{"type": "text", "text": format!("120 jobs ran.\n{ERROR}")}]);
        Response::new(any(Full::new(Bytes::from(json!({"content": text}).to_string()))))
    };
    let (address, seen) = compressor(script).await;
    let endpoint = format!("http://{address}").parse().unwrap();
    let model =
        CompressorSettings { shape: CompressorShape::Anthropic, endpoint, key: None, ..service("http://h") };
    let scene = Scene::before(address, seen, model, Fallback::Whole).await;
    for turn in 0..8 {
        let mut talk = Conversation::new();
        scene.sent(&[("authorization", "Bearer bad")], talk.result("run", &log(turn * 200))).await;
    }
    let mut talk = Conversation::new();
    let (body, _) = scene.sent(&[("authorization", "Bearer good")], talk.result("run", &log(1))).await;
    assert!(body.contains("120 jobs ran."), "{body}");
}

/// What is sent: no file, no edit, no failure, nothing that the model has seen, and no secret.
#[tokio::test]
async fn only_new_output_of_tools_goes_out_and_no_secret() {
    let (address, calls) = compressor(differs).await;
    let scene = Scene::new(service(&format!("http://{address}")), Fallback::Whole).await;
    let secret = format!("ghp_{}", "a1B2".repeat(9));
    let mut talk = Conversation::new();
    talk.messages[0] = json!({"role": "user", "content": format!("use {secret}")});
    talk.result("seen", &log(1)).result("cat src/main.rs", &log(2)).result("git diff", &log(3));
    scene.sent(&[], &talk).await;
    scene.sent(&[], talk.clone().result("apply_patch <<EOF", &log(4))).await;
    let failed = talk.clone().result("run", &log(5)).messages.clone();
    let mut failing = Conversation { messages: failed };
    failing.messages.last_mut().unwrap()["content"][0]["is_error"] = json!(true);
    scene.sent(&[], &failing).await;
    assert_eq!(calls.lock().unwrap().len(), 0);
    scene.sent(&[], talk.result("env", &format!("{}TOKEN={secret}\n", log(6)))).await;
    let calls = calls.lock().unwrap();
    assert_eq!(calls.len(), 1);
    let asked = String::from_utf8(calls[0].body.to_vec()).unwrap();
    assert!(asked.contains("REDACTED") && !asked.contains(&secret), "{asked}");
}

/// Behaviour 8.4, 8.8: a model is called in its own format, with its key, or with the request's login if that is
/// forwarded to the same server.
#[tokio::test]
async fn a_login_goes_to_the_server_that_it_is_meant_for_alone() {
    let script: Script = |_, seen| {
        let text = format!("120 jobs ran.\n{ERROR}");
        let is_ask = seen.body.windows(16).any(|part| part == b"You shorten the ");
        let body = if is_ask {
            json!({"content": [{"type": "text", "text": text}], "usage": {"input_tokens": 7, "output_tokens": 5}})
        } else {
            json!({})
        };
        Response::new(any(Full::new(Bytes::from(body.to_string()))))
    };
    let login = [("authorization", "Bearer login"), ("anthropic-beta", "tools-1,oauth-2025-04-20")];
    for (is_same, key) in [(true, None), (false, None), (true, Some("k")), (false, Some("k"))] {
        let (other, elsewhere) = compressor(script).await;
        let (address, seen) = compressor(script).await;
        let endpoint = format!("http://{}", if is_same { address } else { other }).parse().unwrap();
        let (shape, key) = (CompressorShape::Anthropic, key.map(str::to_owned));
        let model = CompressorSettings { shape, endpoint, key, ..service("http://h") };
        let scene = Scene::before(address, Arc::clone(&seen), model.clone(), Fallback::Whole).await;
        let (body, _) = scene.sent(&login, Conversation::new().result("run", &log(1))).await;
        assert!(body.contains("SHADOW:shadow_"), "{body}");
        let asked = if is_same { &seen } else { &elsewhere }.lock().unwrap().pop().unwrap();
        assert_eq!(asked.uri.path(), "/v1/messages");
        let says = |name: &str| asked.headers.get(name).map(|value| value.to_str().unwrap().to_owned());
        let lent = is_same && model.key.is_none();
        assert_eq!(says("authorization").as_deref(), lent.then_some("Bearer login"));
        assert_eq!(says("anthropic-beta").as_deref(), lent.then_some("oauth-2025-04-20"));
        assert_eq!(says("x-api-key"), model.key);
        assert_eq!(scene.live.totals().compressors.tokens, 12);
    }
}

/// A request that only counts tokens calls no compressor, and stores nothing.
#[tokio::test]
async fn counting_asks_nobody() {
    let (address, calls) = compressor(differs).await;
    let scene = Scene::new(service(&format!("http://{address}")), Fallback::Whole).await;
    let mut talk = Conversation::new();
    talk.result("run", &log(1));
    let url = scene.gateway.url("/v1/messages/count_tokens");
    for calls_before in [0, 1] {
        send(Request::post(&url).body(Full::new(Bytes::from(talk.body()))).unwrap()).await;
        let counted = scene.seen.lock().unwrap().pop().unwrap().body;
        assert_eq!(calls.lock().unwrap().len(), calls_before);
        let (body, _) = scene.sent(&[], &talk).await;
        assert!(body.contains("answer 0"), "{body}");
        let is_same = counted == body;
        assert_eq!(is_same, calls_before == 1, "what is agreed on is counted");
    }
}

/// Behaviour 13.3: it is counted what became of each result that a compressor was to shorten, also where it was not
/// asked because it kept failing.
#[tokio::test]
async fn what_becomes_of_each_result_is_counted() {
    let (address, calls) = compressor(|number, seen| match number {
        0 => differs(number, seen),
        1 => says(&"longer ".repeat(10_000)),
        2 => Response::builder().status(404).body(any(answer("no").into_body())).unwrap(),
        _ => Response::builder().status(500).body(any(answer("no").into_body())).unwrap(),
    })
    .await;
    let scene = Scene::new(service(&format!("http://{address}")), Fallback::Whole).await;
    for at in 0..10 {
        let mut talk = Conversation::new();
        talk.result("cat job.log", &log(1_000 * at));
        scene.sent(&[], &talk).await;
    }
    let told: Vec<_> = scene.live.totals().remote.each().map(|(it, count)| (it.name(), count)).collect();
    let some: Vec<_> = told.into_iter().filter(|(_, count)| *count > 0).collect();
    assert_eq!(some, [("shortened", 1), ("useless", 1), ("failed", 4), ("refused", 1), ("breaker", 3)]);
    assert_eq!((scene.live.totals().compressors.calls, calls.lock().unwrap().len()), (7, 7));
}
