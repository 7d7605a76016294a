//! `redact_secrets`: no secret is forwarded, whatever the client sends.

use std::io::Write;
use std::sync::{Arc, Mutex, mpsc};
use std::time::Duration;

use bytes::Bytes;
use flate2::Compression;
use flate2::write::GzEncoder;
use http::{Request, StatusCode};
use http_body_util::Full;
use serde_json::json;
use tersely_core::{Mode, Plan, Redaction};
use tersely_engine::{Engine, EngineSettings};
use tersely_gateway::{EngineRewriter, GatewaySettings as Door};
use tokio::time::timeout;

use crate::scene::{Answer, Raw, SeenRequest, gateway, get, recorder, send, settings};

fn secret() -> String {
    ["AKIA", "Q3EGRIZ7", "HVLXTNWK"].concat()
}

const MASK: &str = "[REDACTED_SECRET]";

fn live(change: EngineSettings) -> Arc<EngineRewriter> {
    let plan = Plan { redact: Redaction::All, ..change.plan };
    Arc::new(EngineRewriter::new(Engine::new(EngineSettings { plan, ..change })))
}

/// A request with the secret in a file read, the user message, the system prompt and a call.
fn body(more: &str) -> String {
    let secret = secret();
    let call =
        json!({"type": "tool_use", "id": "t", "name": "Read", "input": {"path": format!("/{secret}/x")}});
    let result = json!({"type": "tool_result", "tool_use_id": "t", "content": format!("KEY={secret}\n")});
    format!(
        r#"{{{more}"model":"m","system":"say {secret} twice","messages":[{{"role":"assistant","content":[{call}]}},{{"role":"user","content":[{result},{{"type":"text","text":"{secret}"}}]}}]}}"#
    )
}

struct Exchange<'a> {
    live: Arc<EngineRewriter>,
    door: fn(Door) -> Door,
    path: &'a str,
    headers: &'a [(&'a str, &'a str)],
    body: Vec<u8>,
}

impl Default for Exchange<'_> {
    fn default() -> Self {
        let live = live(EngineSettings::default());
        Self { live, door: |door| door, path: "/v1/messages", headers: &[], body: body("").into_bytes() }
    }
}

impl Exchange<'_> {
    async fn run(self) -> (Answer, Option<SeenRequest>) {
        let (address, log) = recorder().await;
        let gateway = gateway((self.door)(settings(address)), self.live as _).await;
        let post = Request::post(gateway.url(self.path));
        let post = self.headers.iter().fold(post, |post, (name, value)| post.header(*name, *value));
        let answer = send(post.body(Full::new(Bytes::from(self.body))).unwrap()).await;
        let seen = log.lock().unwrap().pop();
        (answer, seen)
    }

    /// Checks that it is forwarded with `count` secrets masked.
    async fn goes_masked(self, count: usize) {
        let (answer, seen) = self.run().await;
        assert_eq!(answer.status, StatusCode::OK, "{answer:?}");
        let seen = seen.unwrap();
        let sent = String::from_utf8_lossy(&seen.body);
        assert!(!sent.contains(&secret()), "{sent}");
        assert_eq!(sent.matches(MASK).count(), count, "{sent}");
        assert_eq!(seen.headers["content-length"], seen.body.len().to_string());
    }

    /// Checks that it is not forwarded, and that the client is told why.
    async fn gets_refused(self, status: StatusCode, why: &str) {
        let (answer, seen) = self.run().await;
        assert_eq!((answer.status, seen.is_none()), (status, true), "{answer:?}");
        let told = String::from_utf8_lossy(&answer.body).into_owned();
        assert!(told.contains(why) && !told.contains(&secret()), "{told}");
    }
}

/// Behaviour 14.2: message text, tool results, system and arguments of calls.
#[tokio::test]
async fn all_that_a_request_says_goes_masked() {
    Exchange::default().goes_masked(4).await;
}

#[tokio::test]
async fn no_client_switches_it_off() {
    for name in ["x-tersely-bypass", "x-tersely-mode"] {
        let headers = [(name, if name.ends_with("mode") { "off" } else { "1" })];
        Exchange { headers: &headers, ..Exchange::default() }.goes_masked(4).await;
    }
    for asked in [r#"{"redact_secrets":false}"#, r#""off""#, r#"{"mode":"disabled"}"#] {
        let more = format!(r#""_tersely":{{"tool_output_compression":{asked}}},"#);
        Exchange { body: body(&more).into_bytes(), ..Exchange::default() }.goes_masked(4).await;
    }
}

#[tokio::test]
async fn no_other_setting_stands_in_its_way() {
    let off = Plan { mode: Mode::Disabled, ..Plan::default() };
    let small = Plan { min_bytes: 1 << 20, ..Plan::default() };
    let skip_tools = vec!["read".to_owned()];
    for change in [
        EngineSettings { plan: off, ..EngineSettings::default() },
        EngineSettings { plan: small, ..EngineSettings::default() },
        EngineSettings { skip_tools, ..EngineSettings::default() },
    ] {
        Exchange { live: live(change), ..Exchange::default() }.goes_masked(4).await;
    }
}

#[tokio::test]
async fn no_shape_of_body_gets_by() {
    let secret = secret();
    for (body, masks) in [
        (format!("\u{feff}{}", body("")), 4),
        (format!(r#"{{"messages":[{{"role":"user","content":"\ud800 {secret} \udfff"}}]}}"#), 1),
        (format!(r#"{{"messages":[],"messages":[{{"role":"user","content":"{secret}"}}]}}"#), 1),
        (format!(r#"{{"messages":[{{"role":"user","content":"{} {secret}"}}]}}"#, "7".repeat(200_000)), 1),
        (format!(r#"{{"messages":[{{"role":"user","content":"{}"}}]}}"#, secret.replace('K', "\\u004b")), 1),
        (
            format!(
                r#"{{"messages":[{{"role":"user","content":"say {secret}"}}],"nobody knows":["{secret}"]}}"#
            ),
            2,
        ),
    ] {
        Exchange { body: body.into_bytes(), ..Exchange::default() }.goes_masked(masks).await;
    }
}

#[tokio::test]
async fn every_path_is_searched() {
    for path in ["/v1/messages/batches", "/v1/embeddings", "/anything"] {
        Exchange { path, ..Exchange::default() }.goes_masked(4).await;
    }
}

fn gzip(bytes: &[u8]) -> Vec<u8> {
    let mut coder = GzEncoder::new(Vec::new(), Compression::default());
    coder.write_all(bytes).unwrap();
    coder.finish().unwrap()
}

#[tokio::test]
async fn codings_are_undone_or_refused() {
    let once = gzip(body("").as_bytes());
    Exchange { headers: &[("content-encoding", "gzip")], body: once.clone(), ..Exchange::default() }
        .goes_masked(4)
        .await;
    let (status, why) =
        (StatusCode::UNSUPPORTED_MEDIA_TYPE, "Tersely cannot mask secrets in this content encoding");
    for coding in ["gzip, gzip", "br"] {
        let twice =
            Exchange { headers: &[("content-encoding", coding)], body: gzip(&once), ..Exchange::default() };
        twice.gets_refused(status, why).await;
    }
    let why = "secrets cannot be masked in this body";
    for body in [gzip(&once), b"--x\r\nnot JSON".to_vec(), format!("key={}", secret()).into_bytes()] {
        Exchange { body, ..Exchange::default() }.gets_refused(status, why).await;
    }
}

#[tokio::test]
async fn what_is_signed_goes_on_only_without_secrets() {
    let headers = [("content-md5", "Q2hlY2sgSW50ZWdyaXR5IQ==")];
    let why = "because the request is signed";
    Exchange { headers: &headers, ..Exchange::default() }.gets_refused(StatusCode::BAD_REQUEST, why).await;
    let clean = br#"{"messages":[{"role":"user","content":"nothing to hide"}]}"#.to_vec();
    let (answer, seen) =
        Exchange { headers: &headers, body: clean.clone(), ..Exchange::default() }.run().await;
    assert_eq!((answer.status, seen.unwrap().body), (StatusCode::OK, Bytes::from(clean)));
}

/// Behaviour 14.2, 15.1: a body that is too long to be searched is refused.
#[tokio::test]
async fn no_limit_lets_a_request_go_on_unsearched() {
    let full = |mut door: Door| {
        door.limits.memory = 1;
        door
    };
    let why = "not enough memory to mask secrets";
    Exchange { door: full, ..Exchange::default() }.gets_refused(StatusCode::SERVICE_UNAVAILABLE, why).await;
    let small = |mut door: Door| {
        door.limits.body = 64;
        door
    };
    let why = "the body is longer than 64 bytes";
    Exchange { door: small, ..Exchange::default() }.gets_refused(StatusCode::PAYLOAD_TOO_LARGE, why).await;
    let coded = gzip(body("").as_bytes());
    let headers = [("content-encoding", "gzip")];
    let small = |mut door: Door| {
        door.limits.body = 300;
        door
    };
    let why = "the decoded body is longer than 300 bytes";
    Exchange { door: small, headers: &headers, body: coded, ..Exchange::default() }
        .gets_refused(StatusCode::PAYLOAD_TOO_LARGE, why)
        .await;
}

#[tokio::test]
async fn websockets_are_declined() {
    let (address, log) = recorder().await;
    let gateway = gateway(settings(address), live(EngineSettings::default()) as _).await;
    let mut raw = Raw::open(gateway.address).await;
    raw.write(
        "GET /v1/realtime HTTP/1.1\r\nhost: 127.0.0.1\r\nconnection: upgrade\r\nupgrade: websocket\r\n\r\n",
    )
    .await;
    let head = raw.until("\r\n\r\n").await;
    assert!(head.starts_with("HTTP/1.1 426 "), "{head}");
    assert!(log.lock().unwrap().is_empty());
}

#[tokio::test]
async fn requests_without_a_body_go_on() {
    let (address, log) = recorder().await;
    let gateway = gateway(settings(address), live(EngineSettings::default()) as _).await;
    assert_eq!(get(&gateway.url("/v1/models")).await.status, StatusCode::OK);
    assert_eq!(log.lock().unwrap().len(), 1);
}

/// Behaviour 14.2: a search that takes too long is given up, and so are requests that wait for its capacity.
#[tokio::test]
async fn a_search_that_is_late_refuses_the_request() {
    let (address, log) = recorder().await;
    let mut settings = settings(address);
    settings.timeouts.rewrite = Duration::from_millis(50);
    settings.limits.inline = 0;
    settings.limits.rewrites = 1;
    let (release, hung) = mpsc::channel();
    let gateway = gateway(settings, Arc::new(Searcher(Mutex::new(hung)))).await;
    for _ in 0..2 {
        let post = Request::post(gateway.url("/v1/messages")).body(Full::new(Bytes::from(body("")))).unwrap();
        let answer = timeout(Duration::from_mins(1), send(post)).await.expect("an answer");
        assert_eq!(answer.status, StatusCode::SERVICE_UNAVAILABLE);
        assert!(String::from_utf8_lossy(&answer.body).contains("no time to mask secrets"));
    }
    assert!(log.lock().unwrap().is_empty());
    drop(release);
}

/// Searches until it is told to panic.
struct Searcher(Mutex<mpsc::Receiver<()>>);

impl tersely_gateway::Rewrite for Searcher {
    fn wants(&self, _: &tersely_gateway::Head<'_>) -> bool {
        false
    }

    fn rewrite(&self, _: &tersely_gateway::Head<'_>, _: &Bytes) -> tersely_gateway::Verdict {
        tersely_gateway::Verdict::Keep
    }

    fn seals(&self) -> bool {
        true
    }

    fn seal(&self, _: &[u8]) -> Result<Option<Vec<u8>>, tersely_gateway::Refusal> {
        let _ = self.0.lock().unwrap().recv();
        panic!("on purpose")
    }
}

/// Behaviour 14.2: a scanner that fails, fails closed.
#[tokio::test]
async fn a_search_that_fails_refuses_the_request() {
    let (address, log) = recorder().await;
    let gateway = gateway(settings(address), Arc::new(Searcher(Mutex::new(mpsc::channel().1)))).await;
    let post = Request::post(gateway.url("/v1/messages")).body(Full::new(Bytes::from(body("")))).unwrap();
    let answer = send(post).await;
    assert_eq!(answer.status, StatusCode::INTERNAL_SERVER_ERROR);
    assert!(String::from_utf8_lossy(&answer.body).contains("searching for secrets failed"));
    assert!(log.lock().unwrap().is_empty());
}
