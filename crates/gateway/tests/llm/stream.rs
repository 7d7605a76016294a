//! Streams are forwarded as they arrive, end as they end, and stop when the client leaves.

use std::sync::{Arc, Mutex};
use std::time::{Duration, Instant};

use bytes::Bytes;
use http::header::{CONNECTION, UPGRADE};
use http::{Request, Response, StatusCode};
use http_body_util::{BodyExt, Empty, Full};
use hyper::body::Incoming;
use hyper_util::rt::TokioIo;
use tersely_gateway::{GatewaySettings, Timeouts, Websockets};
use tersely_testing::pace::at_most;
use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::sync::{mpsc, oneshot};
use tokio::time::sleep;

use crate::scene::{
    Frames, Gateway, Raw, Uninterested, answer, any, client, feed, gateway, get, keep, settings, soon,
    streamer, upstream,
};

/// A gateway with an upstream that answers with one stream, fed by the test.
async fn streaming(change: impl FnOnce(&mut GatewaySettings)) -> (Gateway, Frames) {
    let (address, frames) = streamer().await;
    let mut settings = settings(address);
    change(&mut settings);
    (gateway(settings, keep()).await, frames)
}

async fn ask(gateway: &Gateway) -> Response<Incoming> {
    let request = Request::post(gateway.url("/v1/messages")).body(any(Full::from("{}"))).unwrap();
    soon(client().request(request)).await.unwrap()
}

async fn next(body: &mut Incoming) -> Option<Result<Bytes, hyper::Error>> {
    let frame = soon(body.frame()).await?;
    Some(frame.map(|frame| frame.into_data().unwrap()))
}

/// Behaviour 7.1: no event waits for the next one.
#[tokio::test]
async fn events_arrive_one_by_one_as_they_are_sent() {
    let (gateway, frames) = streaming(|_| {}).await;
    let response = ask(&gateway).await;
    assert_eq!(response.headers()["content-type"], "text/event-stream");
    let mut body = response.into_body();
    for text in
        ["event: a\ndata: 1\n\n", "data: {\"half\":", "1}\r\n\r\n", ": comment\n\n", "data: [DONE]\n\n"]
    {
        frames.say(text).await;
        assert_eq!(next(&mut body).await.unwrap().unwrap(), text);
    }
    drop(frames);
    assert!(next(&mut body).await.is_none());
}

/// A client may want to see the head before there is a body.
#[tokio::test]
async fn a_head_does_not_wait_long_for_the_first_event() {
    let (gateway, frames) = streaming(|_| {}).await;
    let begun = Instant::now();
    let mut body = ask(&gateway).await.into_body();
    assert!(begun.elapsed() < at_most(Duration::from_secs(1)), "{:?}", begun.elapsed());
    frames.say("data: 1\n\n").await;
    assert_eq!(next(&mut body).await.unwrap().unwrap(), "data: 1\n\n");
}

#[tokio::test]
async fn an_upload_arrives_piece_by_piece() {
    let (tell, mut told) = mpsc::channel(1);
    let address = upstream(move |request: Request<Incoming>| {
        let tell = tell.clone();
        async move {
            let mut body = request.into_body();
            while let Some(piece) = next(&mut body).await {
                tell.send(piece.unwrap()).await.unwrap();
            }
            answer("done")
        }
    })
    .await;
    let gateway = gateway(settings(address), Arc::new(Uninterested)).await;
    let (frames, body) = feed();
    let request = Request::post(gateway.url("/v1/files")).body(any(body)).unwrap();
    let response = tokio::spawn(client().request(request));
    for text in ["one", "two", "three"] {
        frames.say(text).await;
        assert_eq!(soon(told.recv()).await.unwrap(), text);
    }
    drop(frames);
    assert_eq!(soon(response).await.unwrap().unwrap().status(), 200);
}

/// Behaviour 7.6.
#[tokio::test]
async fn a_client_that_leaves_in_mid_stream_ends_the_upstreams_stream() {
    let (gateway, frames) = streaming(|_| {}).await;
    let mut raw = Raw::open(gateway.address).await;
    raw.write("POST /v1/messages HTTP/1.1\r\nhost: localhost\r\ncontent-length: 2\r\n\r\n{}").await;
    frames.say("data: 1\n\n").await;
    raw.until("data: 1").await;
    drop(raw);
    soon(frames.closed()).await;
}

#[tokio::test]
async fn a_client_that_leaves_before_the_answer_ends_the_request() {
    let (begun, started) = oneshot::channel::<()>();
    let (alive, mut gone) = mpsc::channel::<()>(1);
    let signals = Arc::new(Mutex::new(Some((begun, alive))));
    let address = upstream(move |request: Request<Incoming>| {
        let (begun, alive) = signals.lock().unwrap().take().unwrap();
        async move {
            request.into_body().collect().await.unwrap();
            begun.send(()).unwrap();
            sleep(Duration::from_mins(1)).await;
            drop(alive);
            answer("late")
        }
    })
    .await;
    let gateway = gateway(settings(address), keep()).await;
    let mut raw = Raw::open(gateway.address).await;
    raw.write("POST /v1/messages HTTP/1.1\r\nhost: localhost\r\ncontent-length: 2\r\n\r\n{}").await;
    soon(started).await.unwrap();
    drop(raw);
    assert!(soon(gone.recv()).await.is_none());
}

/// Behaviour 16.5: a truncated stream does not look complete.
#[tokio::test]
async fn a_stream_that_breaks_reaches_the_client_broken() {
    let (gateway, frames) = streaming(|_| {}).await;
    let mut body = ask(&gateway).await.into_body();
    frames.say("data: {\"cut").await;
    assert_eq!(next(&mut body).await.unwrap().unwrap(), "data: {\"cut");
    frames.fail().await;
    assert!(next(&mut body).await.unwrap().is_err());
}

#[tokio::test]
async fn a_stream_that_ends_early_but_well_is_passed_on_as_it_is() {
    let (gateway, frames) = streaming(|_| {}).await;
    let mut body = ask(&gateway).await.into_body();
    frames.say("data: {\"trunc\n\nbad \u{0}\n").await;
    drop(frames);
    assert_eq!(next(&mut body).await.unwrap().unwrap(), "data: {\"trunc\n\nbad \u{0}\n");
    assert!(next(&mut body).await.is_none());
}

#[tokio::test]
async fn a_stream_that_falls_silent_is_ended() {
    let idle = Some(Duration::from_millis(600));
    let (gateway, frames) = streaming(|settings| settings.timeouts.idle = idle).await;
    let mut body = ask(&gateway).await.into_body();
    for _ in 0..4 {
        sleep(Duration::from_millis(250)).await;
        frames.say("data: 1\n\n").await;
        assert!(next(&mut body).await.unwrap().is_ok(), "each event winds the clock again");
    }
    assert!(next(&mut body).await.unwrap().is_err());
    soon(frames.closed()).await;
}

#[tokio::test]
async fn a_drain_lets_streams_finish_and_takes_no_more() {
    let (mut gateway, frames) = streaming(|_| {}).await;
    let mut body = ask(&gateway).await.into_body();
    frames.say("one").await;
    assert_eq!(next(&mut body).await.unwrap().unwrap(), "one");
    let address = gateway.address;
    let stopped = gateway.stop();
    sleep(Duration::from_millis(200)).await;
    assert!(!stopped.is_finished());
    assert!(tokio::net::TcpStream::connect(address).await.is_err());
    frames.say("two").await;
    assert_eq!(next(&mut body).await.unwrap().unwrap(), "two");
    drop(frames);
    assert!(next(&mut body).await.is_none());
    soon(stopped).await.unwrap();
}

/// During the notice period readiness checks fail, and requests are still taken.
#[tokio::test]
async fn a_notice_is_given_before_a_drain() {
    let address = upstream(|_| async { answer("done") }).await;
    let mut gateway = gateway(settings(address), keep()).await;
    let ready = gateway.url("/readyz");
    assert_eq!(get(&ready).await.status, 200);
    gateway.stop_after(Duration::from_millis(800));
    sleep(Duration::from_millis(50)).await;
    let answer = get(&ready).await;
    assert_eq!((answer.status.as_u16(), answer.json()["status"].as_str()), (503, Some("draining")));
    assert_eq!(get(&gateway.url("/x")).await.body, "done");
    soon(&mut gateway.task).await.unwrap();
    assert!(tokio::net::TcpStream::connect(gateway.address).await.is_err());
}

#[tokio::test]
async fn a_drain_ends_idle_connections_at_once() {
    let address = upstream(|_| async { answer("done") }).await;
    let mut gateway = gateway(settings(address), keep()).await;
    let mut raw = Raw::open(gateway.address).await;
    raw.write("GET /x HTTP/1.1\r\nhost: localhost\r\n\r\n").await;
    raw.until("done").await;
    soon(gateway.stop()).await.unwrap();
    raw.end().await;
}

#[tokio::test]
async fn a_drain_has_an_end() {
    let drain = Duration::from_millis(200);
    let (mut gateway, frames) =
        streaming(|settings| settings.timeouts = Timeouts { drain, ..Timeouts::default() }).await;
    let mut body = ask(&gateway).await.into_body();
    frames.say("one").await;
    assert!(next(&mut body).await.unwrap().is_ok());
    soon(gateway.stop()).await.unwrap();
    assert!(next(&mut body).await.unwrap().is_err());
}

/// An upstream that switches to a websocket and then echoes.
async fn echo(mut request: Request<Incoming>) -> Response<Empty<Bytes>> {
    assert_eq!(request.headers()[UPGRADE], "websocket");
    assert_eq!(request.headers()["sec-websocket-key"], "dGhlIHNhbXBsZSBub25jZQ==");
    let switched = hyper::upgrade::on(&mut request);
    tokio::spawn(async move {
        let mut stream = TokioIo::new(switched.await.unwrap());
        let mut piece = [0; 64];
        while let Ok(length @ 1..) = stream.read(&mut piece).await {
            stream.write_all(&piece[..length]).await.unwrap();
        }
    });
    let response = Response::builder().status(StatusCode::SWITCHING_PROTOCOLS);
    let response = response.header(CONNECTION, "Upgrade").header(UPGRADE, "websocket");
    response.header("sec-websocket-accept", "s3pPLMBiTxaQ9kYGzzhZRbK+xOo=").body(Empty::new()).unwrap()
}

const SWITCH: &str = "GET /v1/realtime HTTP/1.1\r\nhost: localhost\r\nconnection: Upgrade\r\nupgrade: websocket\r\n\
    sec-websocket-version: 13\r\nsec-websocket-key: dGhlIHNhbXBsZSBub25jZQ==\r\n\r\n";

#[tokio::test]
async fn a_websocket_is_relayed_both_ways() {
    let gateway = gateway(settings(upstream(echo).await), keep()).await;
    let mut raw = Raw::open(gateway.address).await;
    raw.write(SWITCH).await;
    let head = raw.until("\r\n\r\n").await.to_ascii_lowercase();
    assert!(head.starts_with("http/1.1 101"), "{head}");
    for line in
        ["connection: upgrade", "upgrade: websocket", "sec-websocket-accept: s3pplmbitxaq9kygzzhzrbk+xoo="]
    {
        assert!(head.contains(line), "{line} in {head}");
    }
    for text in ["ping-one", "ping-two"] {
        raw.write(text).await;
        raw.until(text).await;
    }
}

#[tokio::test]
async fn a_websocket_that_is_refused_is_answered_as_usual() {
    let address = upstream(|_| async { crate::scene::status(426, "no sockets here") }).await;
    let gateway = gateway(settings(address), keep()).await;
    let mut raw = Raw::open(gateway.address).await;
    raw.write(SWITCH).await;
    assert!(raw.until("no sockets here").await.starts_with("HTTP/1.1 426"));
    assert_eq!(get(&gateway.url("/x")).await.status, 426);
}

/// Websocket messages are not rewritten, so where plain requests would be, clients are asked to use those.
#[tokio::test]
async fn a_websocket_gives_way_to_plain_requests() {
    for (websockets, path) in [
        (Websockets::Fitting, "/v1/responses"),
        (Websockets::Decline, "/v1/responses"),
        (Websockets::Decline, "/v1/realtime"),
    ] {
        let address = upstream(|_| async { answer("done") }).await;
        let gateway = gateway(GatewaySettings { websockets, ..settings(address) }, keep()).await;
        let mut raw = Raw::open(gateway.address).await;
        raw.write(&SWITCH.replace("/v1/realtime", path)).await;
        assert!(raw.until("use plain requests").await.starts_with("HTTP/1.1 426"));
        assert_eq!(get(&gateway.url(path)).await.status, 200);
    }
}
