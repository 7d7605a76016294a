//! A late rewrite: the client is told, and what was forwarded unchanged stays unchanged.

use std::sync::atomic::{AtomicBool, Ordering::SeqCst};
use std::sync::{Arc, Mutex};
use std::thread::sleep;
use std::time::Duration;

use bytes::Bytes;
use flate2::Compression;
use flate2::write::GzEncoder;
use http::Request;
use http_body_util::Full;
use serde_json::{Value, json};
use tersely_gateway::{BypassReason, EngineRewriter, Head, Rewrite, Verdict};

use crate::scene::{Answer, Gateway, Hook, SeenRequest, gateway, post, recorder, send, settings};

/// Rows that take fewer tokens in another form.
fn rows(turn: usize) -> String {
    let rows: Vec<Value> =
        (0..400).map(|n| json!({"id": n, "turn": turn, "kind": "fruit", "ripe": null})).collect();
    Value::from(rows).to_string()
}

/// A conversation with this many results.
fn conversation(turns: usize) -> String {
    let turn = |turn: usize| {
        [
            json!({"role": "assistant", "content": [{"type": "tool_use", "id": turn.to_string(), "name": "Bash", "input": {"command": "run"}}]}),
            json!({"role": "user", "content": [{"type": "tool_result", "tool_use_id": turn.to_string(), "content": rows(turn)}]}),
        ]
    };
    let messages: Vec<_> = (0..turns).flat_map(turn).collect();
    json!({"model": "m", "tools": [{"name": "Bash", "input_schema": {"type": "object"}}], "messages": messages}).to_string()
}

/// An engine that is in time, or late.
struct Hasty {
    live: EngineRewriter,
    is_late: AtomicBool,
}

impl Rewrite for Hasty {
    fn wants(&self, head: &Head<'_>) -> bool {
        self.live.wants(head)
    }

    fn rewrite(&self, head: &Head<'_>, body: &Bytes) -> Verdict {
        let verdict = self.live.rewrite(head, body);
        if self.is_late.load(SeqCst) {
            sleep(Duration::from_secs(3));
        }
        verdict
    }

    fn mask(&self, head: &Head<'_>, body: &Bytes) -> Option<Vec<u8>> {
        self.live.mask(head, body)
    }

    fn on_bypass(&self, head: &Head<'_>, why: BypassReason) {
        self.live.on_bypass(head, why);
    }

    fn sent_plain(&self, head: &Head<'_>, body: &Bytes) {
        self.live.sent_plain(head, body);
    }
}

/// A gateway with such an engine.
struct House {
    gateway: Gateway,
    engine: Arc<Hasty>,
    log: Arc<Mutex<Vec<SeenRequest>>>,
}

impl House {
    async fn new() -> Self {
        let (address, log) = recorder().await;
        let engine = Arc::new(Hasty { live: EngineRewriter::default(), is_late: AtomicBool::default() });
        let mut settings = settings(address);
        // Long enough for a busy machine to rewrite what is not meant to be late.
        settings.timeouts.rewrite = Duration::from_secs(2);
        Self { gateway: gateway(settings, Arc::clone(&engine) as _).await, engine, log }
    }

    /// The client's response, and what the upstream saw.
    async fn ask(
        &self,
        is_late: bool,
        key: &str,
        body: impl Into<Bytes>,
        coding: &str,
    ) -> (Answer, SeenRequest) {
        self.engine.is_late.store(is_late, SeqCst);
        let request = Request::post(self.gateway.url("/v1/messages")).header("x-api-key", key);
        let request = request.header("content-encoding", coding).body(Full::new(body.into())).unwrap();
        let answer = send(request).await;
        let seen = self.log.lock().unwrap().pop().unwrap();
        (answer, seen)
    }
}

fn results(seen: &SeenRequest) -> Vec<String> {
    let body: Value = serde_json::from_slice(&seen.body).unwrap();
    let messages = body["messages"].as_array().unwrap().iter();
    messages.filter_map(|it| it["content"][0]["content"].as_str().map(str::to_owned)).collect()
}

fn tools(seen: &SeenRequest) -> usize {
    let body: Value = serde_json::from_slice(&seen.body).unwrap();
    body["tools"].as_array().unwrap().len()
}

#[tokio::test]
async fn what_went_on_as_it_came_stays_so_for_its_conversation() {
    let house = House::new().await;
    let (answer, seen) = house.ask(true, "one", conversation(2), "identity").await;
    assert_eq!((answer.header("x-tersely-missed"), &seen.body[..]), ("late", conversation(2).as_bytes()));
    for turns in 2..5 {
        let (answer, seen) = house.ask(false, "one", conversation(turns), "identity").await;
        assert_eq!((answer.header("x-tersely-missed"), answer.header("x-tersely-unshortened")), ("", "2"));
        let shown = results(&seen);
        assert_eq!((&shown[..2], tools(&seen)), (&[rows(0), rows(1)][..], 1));
        assert!(
            shown[2..].iter().enumerate().all(|(at, text)| text.len() * 2 < rows(at + 2).len()),
            "{turns}"
        );
    }
    let (answer, seen) = house.ask(false, "two", conversation(3), "identity").await;
    assert!(!answer.headers.contains_key("x-tersely-unshortened"), "another client has sent nothing yet");
    assert!(results(&seen)[0].len() * 2 < rows(0).len());
    assert_eq!(tools(&seen), 2);
}

/// The memo keeps different decisions apart, and an encoded body is the same conversation.
#[tokio::test]
async fn the_memo_and_a_coding_change_nothing_of_it() {
    let house = House::new().await;
    let gzip = |text: &str| {
        let mut sink = GzEncoder::new(Vec::new(), Compression::default());
        std::io::Write::write_all(&mut sink, text.as_bytes()).unwrap();
        sink.finish().unwrap()
    };
    let (_, first) = house.ask(false, "one", conversation(3), "identity").await;
    let (answer, seen) = house.ask(true, "one", gzip(&conversation(2)), "gzip").await;
    assert_eq!(
        (answer.header("x-tersely-missed"), &seen.headers["content-encoding"]),
        ("late", &"gzip".parse().unwrap())
    );
    let mut bodies = Vec::new();
    for _ in 0..2 {
        let (_, seen) = house.ask(false, "one", conversation(3), "identity").await;
        assert_eq!(results(&seen)[..2], [rows(0), rows(1)]);
        bodies.push(seen.body);
    }
    assert!(bodies[0] == bodies[1] && bodies[0] != first.body);
}

/// Behaviour 14.9: no timeout takes precedence over masking, and what was only masked stays as it was sent.
#[tokio::test]
async fn what_there_was_no_time_for_is_masked() {
    let house = House::new().await;
    let secret = format!("ghp_{}", "a1B2".repeat(9));
    let body = conversation(2).replace("\\\"turn\\\":0,", &format!("\\\"turn\\\":\\\"{secret}\\\","));
    assert!(body.contains(&secret));
    let (answer, seen) = house.ask(true, "one", body.clone(), "identity").await;
    let sent = String::from_utf8(seen.body.to_vec()).unwrap();
    assert_eq!(answer.header("x-tersely-missed"), "late");
    assert_eq!(sent, body.replace(&secret, "[REDACTED_SECRET]"), "masked, and nothing else");
    let (answer, again) = house.ask(false, "one", body.clone(), "identity").await;
    assert_eq!((answer.header("x-tersely-unshortened"), &again.body), ("2", &seen.body));
    let mut sink = GzEncoder::new(Vec::new(), Compression::default());
    std::io::Write::write_all(&mut sink, body.as_bytes()).unwrap();
    let (_, coded) = house.ask(true, "two", sink.finish().unwrap(), "gzip").await;
    assert_eq!((&coded.body, coded.headers.get("content-encoding")), (&seen.body, None));
}

/// Whatever the reason, it is reported.
#[tokio::test]
async fn a_request_that_is_missed_says_why() {
    let (address, _) = recorder().await;
    let hook = Hook::new(|_: &[u8]| -> Verdict { panic!("a fault of ours") });
    let mut settings = settings(address);
    settings.limits.memory = 1 << 20;
    let gateway = gateway(settings, hook).await;
    let url = gateway.url("/v1/messages");
    let why = async |headers: &[(&str, &str)], length: usize| {
        let request = headers.iter().fold(Request::post(&url), |it, (name, value)| it.header(*name, *value));
        let answer = send(request.body(Full::from("x".repeat(length))).unwrap()).await;
        answer.header("x-tersely-missed").to_owned()
    };
    assert_eq!(why(&[], 10).await, "panicked");
    assert_eq!(why(&[], 100_000).await, "panicked");
    assert_eq!(why(&[], 2 << 20).await, "full");
    assert_eq!(why(&[("content-encoding", "compress")], 10).await, "coded");
    assert_eq!(why(&[("content-digest", "x")], 10).await, "signed");
    assert_eq!(post(&gateway.url("/healthz"), "").await.header("x-tersely-missed"), "panicked");
}
