//! Whatever goes wrong here or upstream, the client gets an error in the provider's format, or does not notice.

use std::net::SocketAddr;
use std::sync::mpsc;
use std::sync::{Arc, Mutex};
use std::time::{Duration, Instant};

use bytes::Bytes;
use serde_json::{Value, json};
use tersely_gateway::{BypassReason, GatewaySettings, Head, Rewrite, Verdict, serve};
use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::net::TcpListener;
use tokio::time::sleep;

use crate::scene::{
    Hook, Raw, answer, feed, gateway, keep, post, recorder, settings, settings_for, soon, upstream,
};

/// An address where nothing listens.
async fn nobody() -> SocketAddr {
    TcpListener::bind("127.0.0.1:0").await.unwrap().local_addr().unwrap()
}

/// An upstream that accepts connections and sends nothing.
async fn mute() -> SocketAddr {
    let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
    let address = listener.local_addr().unwrap();
    tokio::spawn(async move {
        let mut kept = Vec::new();
        while let Ok(accepted) = listener.accept().await {
            kept.push(accepted);
        }
    });
    address
}

fn check(path: &str, answer: &Value, kinds: [&str; 4]) {
    let message = |value: &Value| assert!(value.as_str().unwrap().starts_with("tersely: "), "{value}");
    let [anthropic, openai, gemini, code] = kinds;
    match path {
        "/v1/messages" => {
            assert_eq!((&answer["type"], &answer["error"]["type"]), (&json!("error"), &json!(anthropic)));
            message(&answer["error"]["message"]);
        }
        "/v1/chat/completions" => {
            assert_eq!((&answer["error"]["type"], &answer["error"]["param"]), (&json!(openai), &Value::Null));
            message(&answer["error"]["message"]);
        }
        "/api/chat" => message(&answer["error"]),
        _ => {
            let error = &answer["error"];
            assert_eq!((error["status"].as_str(), error["code"].to_string().as_str()), (Some(gemini), code));
            message(&error["message"]);
        }
    }
}

const PATHS: [&str; 4] =
    ["/v1/messages", "/v1/chat/completions", "/v1beta/models/x:generateContent", "/api/chat"];

/// Behaviour 15.1, 15.2.
#[tokio::test]
async fn an_upstream_that_is_not_there_is_a_502() {
    let gateway = gateway(settings(nobody().await), keep()).await;
    for path in PATHS {
        let answer = post(&gateway.url(path), "{}").await;
        assert_eq!(answer.status, 502);
        check(path, &answer.json(), ["api_error", "server_error", "UNAVAILABLE", "502"]);
    }
}

/// Behaviour 15.1, 15.2.
#[tokio::test]
async fn an_upstream_that_says_nothing_is_a_504() {
    let mut settings = settings(mute().await);
    settings.timeouts.idle = Some(Duration::from_millis(100));
    let gateway = gateway(settings, keep()).await;
    for path in PATHS {
        let answer = post(&gateway.url(path), "{}").await;
        assert_eq!(answer.status, 504);
        check(path, &answer.json(), ["timeout_error", "server_error", "DEADLINE_EXCEEDED", "504"]);
    }
}

#[tokio::test]
async fn a_handshake_that_takes_too_long_is_a_504() {
    let mut settings = settings_for(&format!("https://{}", mute().await));
    settings.timeouts.connect = Duration::from_millis(100);
    let gateway = gateway(settings, keep()).await;
    assert_eq!(soon(post(&gateway.url("/v1/messages"), "{}")).await.status, 504);
}

/// An upstream that sends these bytes and then closes the connection.
async fn curt(says: &'static str) -> SocketAddr {
    let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
    let address = listener.local_addr().unwrap();
    tokio::spawn(async move {
        while let Ok((mut stream, _)) = listener.accept().await {
            let _ = stream.read(&mut [0; 4096]).await;
            let _ = stream.write_all(says.as_bytes()).await;
        }
    });
    address
}

/// A head alone is not a response: while nothing else has been sent, the client can still get an error.
#[tokio::test]
async fn an_upstream_that_breaks_off_before_its_first_byte_is_a_502() {
    for says in [
        "HTTP/1.1 200 OK\r\ncontent-type: text/event-stream\r\ntransfer-encoding: chunked\r\n\r\n",
        "HTTP/1.1 200 OK\r\ncontent-type: text/event-stream\r\ntransfer-encoding: chunked\r\n\r\n5",
        "HTTP/1.1 200 OK\r\ncontent-type: text/event-stream\r\ntransfer-encoding: chunked\r\n\r\nxyz\r\n",
        "HTTP/1.1 200 OK\r\ncontent-type: application/json\r\ncontent-length: 10\r\n\r\n",
        "HTTP/1.1 500 Oh\r\ncontent-type: application/json\r\ncontent-length: 10\r\n\r\n",
    ] {
        let gateway = gateway(settings(curt(says).await), keep()).await;
        for path in PATHS {
            let answer = soon(post(&gateway.url(path), "{}")).await;
            assert_eq!(answer.status, 502, "{says}");
            check(path, &answer.json(), ["api_error", "server_error", "UNAVAILABLE", "502"]);
        }
    }
}

/// What was received before is forwarded, and does not look complete.
#[tokio::test]
async fn an_upstream_that_breaks_off_later_is_heard_so_far() {
    for (says, said) in [
        ("HTTP/1.1 200 OK\r\ntransfer-encoding: chunked\r\n\r\n5\r\nhel", "hel"),
        ("HTTP/1.1 200 OK\r\ntransfer-encoding: chunked\r\n\r\n5\r\nhello\r\n", "hello"),
        ("HTTP/1.1 200 OK\r\ncontent-length: 10\r\n\r\nhello", "hello"),
    ] {
        let gateway = gateway(settings(curt(says).await), keep()).await;
        for _ in 0..20 {
            let mut raw = Raw::open(gateway.address).await;
            raw.write("POST /v1/messages HTTP/1.1\r\nhost: localhost\r\ncontent-length: 2\r\n\r\n{}").await;
            let got = raw.end().await;
            assert!(got.starts_with("HTTP/1.1 200") && got.contains(said), "{says} {got:?}");
            assert!(!got.ends_with("0\r\n\r\n") && !got.contains("content-length: 5\r\n"), "{got:?}");
        }
    }
}

/// Behaviour 15.1, 15.2.
#[tokio::test]
async fn one_request_too_many_is_told_to_come_back() {
    let (frames, body) = feed();
    let body = Mutex::new(Some(body));
    let body = Arc::new(body);
    let address = upstream(move |_| {
        let body = body.lock().unwrap().take().unwrap();
        async move { http::Response::new(body) }
    })
    .await;
    let mut settings = settings(address);
    settings.limits.requests = 1;
    let gateway = gateway(settings, keep()).await;
    let url = gateway.url("/v1/messages");
    let running = tokio::spawn(async move { post(&url, "{}").await });
    frames.say("first").await;
    for path in PATHS {
        // More than fits into a socket's buffers: it is still being sent when the response arrives.
        let answer = post(&gateway.url(path), "x".repeat(8 << 20)).await;
        assert_eq!((answer.status.as_u16(), answer.header("retry-after")), (503, "1"));
        check(path, &answer.json(), ["overloaded_error", "server_error", "UNAVAILABLE", "503"]);
    }
    drop(frames);
    assert_eq!(running.await.unwrap().body, "first");
}

/// Behaviour 2.10.
#[tokio::test]
async fn a_rewrite_that_panics_leaves_the_request_as_it_was() {
    for size in [10, 100_000] {
        let (address, log) = recorder().await;
        let hook = Hook::new(|_: &[u8]| panic!("a fault of ours"));
        let gateway = gateway(settings(address), Arc::clone(&hook) as _).await;
        let body = "x".repeat(size);
        assert_eq!(post(&gateway.url("/v1/messages"), body.clone()).await.status, 200);
        assert_eq!(log.lock().unwrap().pop().unwrap().body, body);
        assert_eq!(hook.missed(), [BypassReason::Panicked]);
    }
}

/// Panics wherever it can.
struct Broken;

impl Rewrite for Broken {
    fn wants(&self, _: &Head<'_>) -> bool {
        panic!("wants")
    }

    fn rewrite(&self, _: &Head<'_>, _: &Bytes) -> Verdict {
        panic!("rewrite")
    }

    fn on_bypass(&self, _: &Head<'_>, _: BypassReason) {
        panic!("missed")
    }
}

#[tokio::test]
async fn a_rewriter_that_panics_everywhere_is_not_in_the_way() {
    let (address, log) = recorder().await;
    let gateway = gateway(settings(address), Arc::new(Broken)).await;
    assert_eq!(post(&gateway.url("/v1/messages"), "{}").await.status, 200);
    assert_eq!(log.lock().unwrap().pop().unwrap().body, "{}");
}

/// Behaviour 2.10, 15.3.
#[tokio::test]
async fn a_rewrite_that_hangs_is_waited_for_once() {
    let (address, log) = recorder().await;
    let (release, hung) = mpsc::channel::<()>();
    let hung = Mutex::new(hung);
    let hook = Hook::new(move |_: &[u8]| {
        let _ = hung.lock().unwrap().recv();
        Verdict::Keep
    });
    let mut settings = settings(address);
    settings.limits.rewrites = 1;
    settings.timeouts.rewrite = Duration::from_secs(5);
    let gateway = gateway(settings, Arc::clone(&hook) as _).await;
    let body = "x".repeat(100_000);
    for limit in [30_000, 4_900, 4_900] {
        let started = Instant::now();
        assert_eq!(post(&gateway.url("/v1/messages"), body.clone()).await.status, 200);
        assert!(started.elapsed() < Duration::from_millis(limit), "{:?}", started.elapsed());
        assert_eq!(log.lock().unwrap().pop().unwrap().body, body);
    }
    assert_eq!(hook.missed(), [BypassReason::Late; 3]);
    drop(release);
    sleep(Duration::from_millis(200)).await;
    post(&gateway.url("/v1/messages"), body.clone()).await;
    assert_eq!(hook.missed(), [BypassReason::Late; 3], "the place is free again");
}

#[tokio::test]
async fn bodies_that_there_is_no_room_for_go_on_unread() {
    let (address, log) = recorder().await;
    let hook = Hook::new(|_: &[u8]| panic!("not asked for"));
    let mut settings = settings(address);
    settings.limits.memory = 10_000;
    let gateway = gateway(settings, Arc::clone(&hook) as _).await;
    let body = "0123456789".repeat(100_000);
    assert_eq!(post(&gateway.url("/v1/messages"), body.clone()).await.status, 200);
    assert_eq!(log.lock().unwrap().pop().unwrap().body, body);
    assert_eq!(hook.missed(), [BypassReason::Full]);
}

#[tokio::test]
async fn settings_that_cannot_work_are_refused() {
    let bad: [fn(&mut GatewaySettings); 2] = [
        |it| it.authorities = vec!["no/such/file.pem".into()],
        |it| it.proxy.url = "socks5://x:1".to_owned(),
    ];
    for change in bad {
        let mut settings = settings(nobody().await);
        change(&mut settings);
        let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
        let served = serve(settings, keep(), listener, std::future::pending());
        assert_eq!(soon(served).await.unwrap_err().side, tersely_gateway::Side::Us);
    }
}

/// Behaviour 14.6.
#[tokio::test]
async fn errors_and_settings_hold_no_secret() {
    let mut settings = settings(upstream(|_| async { answer("x") }).await);
    settings.proxy.url = "http://name:secret@proxy:1".to_owned();
    assert!(!format!("{settings:?}").contains("secret"));
}
