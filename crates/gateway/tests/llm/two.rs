//! HTTP/2 clients without TLS are served like all others, within limits.

use std::sync::Arc;
use std::time::{Duration, Instant};

use bytes::Bytes;
use http::{Request, Response, Version};
use http_body_util::{BodyExt, Full};
use hyper::body::Incoming;
use hyper_util::client::legacy::Client;
use hyper_util::client::legacy::connect::HttpConnector;
use hyper_util::rt::TokioExecutor;
use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::net::TcpStream;
use tokio::task::JoinSet;

use crate::scene::{
    Any, Gateway, Uninterested, any, feed, gateway, keep, read, recorder, replace, settings, soon, streamer,
    upstream,
};

fn client() -> Client<HttpConnector, Any> {
    Client::builder(TokioExecutor::new()).http2_only(true).build_http()
}

fn post(gateway: &Gateway, body: impl Into<Bytes>) -> Request<Any> {
    Request::post(gateway.url("/v1/messages")).body(any(Full::new(body.into()))).unwrap()
}

#[tokio::test]
async fn a_request_goes_on_and_its_answer_comes_back() {
    let (address, log) = recorder().await;
    let gateway = gateway(settings(address), replace("new body")).await;
    let request = Request::post(gateway.url("/v1/messages?beta=true"))
        .header("x-api-key", "sk-secret")
        .header("cookie", "a=1")
        .header("cookie", "b=2")
        .body(any(Full::from("old body")))
        .unwrap();
    let response = soon(client().request(request)).await.unwrap();
    assert_eq!((response.version(), response.status().as_u16()), (Version::HTTP_2, 200));
    let answer = read(response).await;
    assert_eq!((&answer.body[..], answer.header("x-tersely-test")), (&b"done"[..], "done"));
    let seen = log.lock().unwrap().pop().unwrap();
    assert_eq!((seen.uri.to_string().as_str(), &seen.body[..]), ("/v1/messages?beta=true", &b"new body"[..]));
    assert_eq!(
        (&seen.headers["x-api-key"], &seen.headers["content-length"]),
        (&"sk-secret".parse().unwrap(), &"8".parse().unwrap())
    );
    assert_eq!(seen.headers.get_all("cookie").iter().collect::<Vec<_>>(), ["a=1; b=2"]);
    assert_eq!(seen.headers["host"], address.to_string());
}

#[tokio::test]
async fn streams_of_one_connection_flow_at_the_same_time() {
    let (address, frames) = streamer().await;
    let gateway = gateway(settings(address), keep()).await;
    let client = client();
    let mut body = soon(client.request(post(&gateway, "{}"))).await.unwrap().into_body();
    for text in ["data: 1\n\n", "data: 2\n\n"] {
        frames.say(text).await;
        assert_eq!(soon(body.frame()).await.unwrap().unwrap().into_data().unwrap(), text);
        let health = Request::get(gateway.url("/healthz")).body(any(Full::default())).unwrap();
        assert_eq!(soon(client.request(health)).await.unwrap().status(), 200);
    }
    drop(frames);
    assert_eq!(soon(body.collect()).await.unwrap().to_bytes(), "");
}

#[tokio::test]
async fn bodies_of_all_lengths_go_both_ways() {
    let address =
        upstream(|request: Request<Incoming>| async move { Response::new(request.into_body()) }).await;
    for rewrite in [keep(), Arc::new(Uninterested) as _] {
        let gateway = gateway(settings(address), rewrite).await;
        let client = client();
        let mut asks = JoinSet::new();
        for length in (0..150).map(|n| n * n * 31) {
            let asked = client.request(post(&gateway, vec![b'x'; length]));
            asks.spawn(async move { (length, read(asked.await.unwrap()).await.body) });
        }
        while let Some(done) = soon(asks.join_next()).await {
            let (length, body) = done.unwrap();
            assert!(body.len() == length && body.iter().all(|byte| *byte == b'x'), "{length}");
        }
    }
}

#[tokio::test]
async fn what_is_refused_in_the_one_is_refused_in_the_other() {
    let (address, log) = recorder().await;
    let gateway = gateway(settings(address), keep()).await;
    let status = async |change: fn(http::request::Builder) -> http::request::Builder| {
        let request = change(Request::get(gateway.url("/v1/models"))).body(any(Full::default())).unwrap();
        soon(client().request(request)).await.map(|it| it.status().as_u16())
    };
    assert_eq!(status(|it| it.header("origin", "https://evil.example")).await.unwrap(), 403);
    assert_eq!(status(|it| it.header("host", "evil.example")).await.unwrap(), 403);
    assert_eq!(status(|it| it.method("TRACE")).await.unwrap(), 405);
    let many = |it| (0..200).fold(it, |it: http::request::Builder, n| it.header(format!("x-{n}"), "y"));
    assert_eq!(status(many).await.unwrap(), 431);
    // Too many headers: the protocol has its own way to refuse them.
    let big = |it: http::request::Builder| it.header("x-big", "y".repeat(100_000));
    assert!(status(big).await.map_or(true, |status| status == 431));
    assert_eq!(log.lock().unwrap().len(), 0);
    assert_eq!(status(|it| it).await.unwrap(), 200);
}

/// DNS rebinding is detected in this protocol too.
#[tokio::test]
async fn an_authority_from_elsewhere_is_refused() {
    let (address, log) = recorder().await;
    let gateway = gateway(settings(address), keep()).await;
    let stream = hyper_util::rt::TokioIo::new(TcpStream::connect(gateway.address).await.unwrap());
    let (mut sender, serving) =
        hyper::client::conn::http2::handshake(TokioExecutor::new(), stream).await.unwrap();
    tokio::spawn(serving);
    for (authority, status) in [("evil.example", 403), ("localhost:1", 200)] {
        let request =
            Request::get(format!("http://{authority}/v1/models")).body(any(Full::default())).unwrap();
        assert_eq!(soon(sender.send_request(request)).await.unwrap().status(), status);
    }
    assert_eq!(log.lock().unwrap().len(), 1);
}

/// Neither a connection without a preface, nor one that is silent after it, is kept for long.
#[tokio::test]
async fn a_connection_on_which_nothing_happens_is_closed() {
    let (address, _) = recorder().await;
    let mut settings = settings(address);
    settings.timeouts.head = Duration::from_millis(200);
    let gateway = gateway(settings, keep()).await;
    let started = Instant::now();
    for begin in ["", "PRI * HT", "PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n"] {
        let mut stream = TcpStream::connect(gateway.address).await.unwrap();
        stream.write_all(begin.as_bytes()).await.unwrap();
        let _ = soon(stream.read_to_end(&mut Vec::new())).await;
    }
    assert!(started.elapsed() < Duration::from_secs(15), "{:?}", started.elapsed());
}

/// An active one is.
#[tokio::test]
async fn a_stream_that_takes_long_keeps_its_connection() {
    let (address, frames) = streamer().await;
    let mut settings = settings(address);
    settings.timeouts.head = Duration::from_millis(100);
    let gateway = gateway(settings, keep()).await;
    let mut body = soon(client().request(post(&gateway, "{}"))).await.unwrap().into_body();
    for _ in 0..3 {
        tokio::time::sleep(Duration::from_millis(200)).await;
        frames.say("data: 1\n\n").await;
        assert!(soon(body.frame()).await.unwrap().is_ok());
    }
}

#[tokio::test]
async fn a_drain_lets_streams_finish() {
    let (address, frames) = streamer().await;
    let mut gateway = gateway(settings(address), keep()).await;
    let mut body = soon(client().request(post(&gateway, "{}"))).await.unwrap().into_body();
    frames.say("one").await;
    assert_eq!(soon(body.frame()).await.unwrap().unwrap().into_data().unwrap(), "one");
    let stopped = gateway.stop();
    tokio::time::sleep(Duration::from_millis(100)).await;
    assert!(!stopped.is_finished());
    frames.say("two").await;
    assert_eq!(soon(body.frame()).await.unwrap().unwrap().into_data().unwrap(), "two");
    drop(frames);
    assert_eq!(soon(body.collect()).await.unwrap().to_bytes(), "");
    soon(stopped).await.unwrap();
}

#[tokio::test]
async fn a_client_that_leaves_in_mid_stream_ends_the_upstreams_stream() {
    let (frames, body) = feed();
    let body = Arc::new(std::sync::Mutex::new(Some(body)));
    let address = upstream(move |_| {
        let body = body.lock().unwrap().take().unwrap();
        async move { Response::new(body) }
    })
    .await;
    let gateway = gateway(settings(address), keep()).await;
    let client = client();
    let mut body = soon(client.request(post(&gateway, "{}"))).await.unwrap().into_body();
    frames.say("data: 1\n\n").await;
    assert!(soon(body.frame()).await.unwrap().is_ok());
    drop(body);
    soon(frames.closed()).await;
}
