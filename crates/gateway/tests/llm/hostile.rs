//! Hostile clients cost little and break nothing.

use std::io::Write;
use std::sync::Arc;
use std::time::{Duration, Instant};

use bytes::Bytes;
use flate2::Compression;
use flate2::write::GzEncoder;
use http::Request;
use http_body_util::{BodyExt, Full};
use hyper::body::Incoming;
use tersely_gateway::Rewrite;
use tokio::time::sleep;

use crate::scene::{
    Raw, Uninterested, feed, gateway, get, keep, post, recorder, send, settings, soon, upstream,
};

/// Behaviour 15.1.
#[tokio::test]
async fn a_bomb_is_a_413() {
    let (address, log) = recorder().await;
    let mut settings = settings(address);
    settings.limits.body = 1 << 20;
    let gateway = gateway(settings, keep()).await;
    let mut bomb = GzEncoder::new(Vec::new(), Compression::best());
    bomb.write_all(&vec![b' '; 64 << 20]).unwrap();
    let bomb = bomb.finish().unwrap();
    assert!(bomb.len() < 1 << 17);
    let request = Request::post(gateway.url("/v1/messages")).header("content-encoding", "gzip");
    let answer = send(request.body(Full::from(bomb)).unwrap()).await;
    assert_eq!(
        (answer.status.as_u16(), answer.json()["error"]["type"].as_str()),
        (413, Some("request_too_large"))
    );
    assert_eq!(log.lock().unwrap().len(), 0);
}

/// Behaviour 15.1, 15.4.
#[tokio::test]
async fn a_body_beyond_50_megabytes_is_a_413() {
    let (address, log) = recorder().await;
    let gateway = gateway(settings(address), keep()).await;
    let body = Bytes::from(vec![b' '; (50 << 20) + 1]);
    let answer = soon(post(&gateway.url("/v1/messages"), body.clone())).await;
    assert_eq!(answer.status, 413);
    assert_eq!(soon(post(&gateway.url("/v1/messages"), body.slice(1..))).await.status, 200);
    assert_eq!(log.lock().unwrap().len(), 1);
}

#[tokio::test]
async fn a_body_of_unknown_length_is_cut_off_at_the_limit() {
    let (address, log) = recorder().await;
    let mut settings = settings(address);
    settings.limits.body = 1 << 20;
    let gateway = gateway(settings, keep()).await;
    let (frames, body) = feed();
    tokio::spawn(async move {
        let piece = Bytes::from(vec![b' '; 1 << 16]);
        for _ in 0..32 {
            if frames.is_closed() {
                return;
            }
            frames.say(piece.clone()).await;
        }
    });
    let request = Request::post(gateway.url("/v1/messages")).body(body).unwrap();
    assert_eq!(soon(send(request)).await.status, 413);
    assert_eq!(log.lock().unwrap().len(), 0);
}

#[tokio::test]
async fn a_claimed_length_takes_no_memory() {
    let (address, _) = recorder().await;
    let gateway = gateway(settings(address), keep()).await;
    let mut raw = Raw::open(gateway.address).await;
    raw.write("POST /v1/messages HTTP/1.1\r\nhost: localhost\r\ncontent-length: 99999999999999\r\n\r\n")
        .await;
    assert!(raw.until("request_too_large").await.starts_with("HTTP/1.1 413"));
}

#[tokio::test]
async fn a_flood_of_headers_is_a_431() {
    let (address, log) = recorder().await;
    let gateway = gateway(settings(address), keep()).await;
    let many = "x-again: y\r\n".repeat(200);
    let big = format!("x-big: {}\r\n", "y".repeat(100_000));
    for headers in [many, big] {
        let mut raw = Raw::open(gateway.address).await;
        raw.try_write(format!("GET /v1/models HTTP/1.1\r\nhost: localhost\r\n{headers}\r\n")).await;
        assert!(raw.end().await.starts_with("HTTP/1.1 431"), "{}", raw.text());
    }
    assert_eq!(log.lock().unwrap().len(), 0);
}

#[tokio::test]
async fn an_endless_head_is_cut_off() {
    let (address, _) = recorder().await;
    let gateway = gateway(settings(address), keep()).await;
    let mut raw = Raw::open(gateway.address).await;
    raw.write("GET / HTTP/1.1\r\n").await;
    let mut sent = 0;
    while sent < 4 << 20 && raw.try_write("x-more: 0123456789\r\n".repeat(100)).await {
        sent += 2000;
    }
    assert!(sent < 4 << 20, "it is not read for ever");
}

#[tokio::test]
async fn a_slow_head_is_not_waited_for() {
    let (address, _) = recorder().await;
    let mut settings = settings(address);
    settings.timeouts.head = Duration::from_millis(200);
    let gateway = gateway(settings, keep()).await;
    for begin in ["", "POST /v1/mess"] {
        let mut raw = Raw::open(gateway.address).await;
        raw.write(begin).await;
        raw.end().await;
    }
    assert_eq!(get(&gateway.url("/x")).await.status, 200);
}

#[tokio::test]
async fn a_slow_body_is_a_408() {
    let (address, _) = recorder().await;
    let mut settings = settings(address);
    settings.timeouts.body = Duration::from_millis(200);
    let gateway = gateway(settings, keep()).await;
    let mut raw = Raw::open(gateway.address).await;
    raw.write("POST /v1/messages HTTP/1.1\r\nhost: localhost\r\ncontent-length: 10\r\n\r\n{").await;
    assert!(raw.until("invalid_request_error").await.starts_with("HTTP/1.1 408"));
}

/// One byte now and then does not extend the timeout.
#[tokio::test]
async fn a_body_that_drips_is_a_408() {
    for rewrite in [keep(), Arc::new(Uninterested) as Arc<dyn Rewrite>] {
        let (address, _) = recorder().await;
        let mut settings = settings(address);
        settings.timeouts.upload = Some(Duration::from_millis(500));
        let gateway = gateway(settings, rewrite).await;
        let mut raw = Raw::open(gateway.address).await;
        raw.write("POST /v1/messages HTTP/1.1\r\nhost: localhost\r\ncontent-length: 1000\r\n\r\n").await;
        let begun = Instant::now();
        let mut sent = 0;
        while sent < 1000 && !raw.has_come().await && raw.try_write("x").await {
            sent += 1;
        }
        assert!(raw.until("too slowly").await.starts_with("HTTP/1.1 408"));
        assert!(begun.elapsed() < Duration::from_secs(10), "{:?}", begun.elapsed());
    }
}

/// A long body may take its time, and a slow upstream does not count against the sender.
#[tokio::test]
async fn a_body_that_comes_steadily_has_all_the_time_it_needs() {
    let address = upstream(|request: Request<Incoming>| async move {
        sleep(Duration::from_millis(900)).await;
        let length = request.into_body().collect().await.map_or(0, |body| body.to_bytes().len());
        http::Response::new(Full::from(length.to_string()))
    })
    .await;
    for rewrite in [keep(), Arc::new(Uninterested) as Arc<dyn Rewrite>] {
        let mut settings = settings(address);
        settings.timeouts.upload = Some(Duration::from_millis(300));
        let gateway = gateway(settings, rewrite).await;
        let (frames, body) = feed();
        tokio::spawn(async move {
            for _ in 0..8 {
                frames.say(vec![b'x'; 4 << 10]).await;
                sleep(Duration::from_millis(100)).await;
            }
        });
        let answer = soon(send(Request::post(gateway.url("/v1/messages")).body(body).unwrap())).await;
        assert_eq!((answer.status.as_u16(), &answer.body[..]), (200, &b"32768"[..]));
    }
}

#[tokio::test]
async fn a_body_that_breaks_off_does_not_reach_the_upstream_whole() {
    let (address, log) = recorder().await;
    let gateway = gateway(settings(address), keep()).await;
    let mut raw = Raw::open(gateway.address).await;
    raw.write("POST /v1/messages HTTP/1.1\r\nhost: localhost\r\ncontent-length: 10\r\n\r\n{").await;
    drop(raw);
    assert_eq!(get(&gateway.url("/x")).await.status, 200);
    assert_eq!(log.lock().unwrap().len(), 1);
}

#[tokio::test]
async fn two_lengths_are_not_argued_about() {
    let (address, log) = recorder().await;
    let gateway = gateway(settings(address), keep()).await;
    let heads = [
        "content-length: 1\r\ncontent-length: 2",
        "content-length: x",
        "content-length: -1",
        "transfer-encoding: chunked, gzip",
    ];
    for lengths in heads {
        let mut raw = Raw::open(gateway.address).await;
        raw.write(format!("POST /v1/messages HTTP/1.1\r\nhost: localhost\r\n{lengths}\r\n\r\n{{}}")).await;
        assert!(raw.end().await.starts_with("HTTP/1.1 400"), "{lengths}: {}", raw.text());
    }
    assert_eq!(log.lock().unwrap().len(), 0);
}

#[tokio::test]
async fn a_length_beside_chunks_is_dropped() {
    let (address, log) = recorder().await;
    let gateway = gateway(settings(address), std::sync::Arc::new(crate::scene::Uninterested)).await;
    let mut raw = Raw::open(gateway.address).await;
    raw.write(
        "POST /v1/files HTTP/1.1\r\nhost: localhost\r\ncontent-length: 4\r\ntransfer-encoding: chunked\r\n\r\n",
    )
    .await;
    raw.write("2\r\nab\r\n0\r\n\r\n").await;
    raw.until("\r\n\r\n").await;
    let seen = log.lock().unwrap();
    let [seen] = &seen[..] else { panic!("{} requests", seen.len()) };
    assert_eq!(seen.body, "ab");
    let length = seen.headers.get("content-length");
    assert!(length.is_none_or(|length| length == "2"), "{length:?}");
}
