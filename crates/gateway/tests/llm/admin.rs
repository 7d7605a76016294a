//! The admin listener among peers that are silent, slow, never read or guess tokens: health checks are answered all the
//! same.

use std::net::SocketAddr;
use std::time::{Duration, Instant};

use http::Request;
use http_body_util::Full;
use tersely_testing::pace::at_most;
use tokio::net::TcpListener;
use tokio::time::sleep;

use crate::scene::{Answer, Gateway, Raw, gateway, get, keep, recorder, send, settings, soon};

/// How soon a health check must be answered, with other tests running; a cluster waits this long before it gives up.
const PROBE: Duration = Duration::from_secs(1);

/// More peers than there are connection slots.
const MANY: usize = 200;

/// A gateway, and the address of its admin listener.
async fn watched(token: &str) -> (Gateway, SocketAddr) {
    let free = TcpListener::bind("127.0.0.1:0").await.unwrap();
    let admin = free.local_addr().unwrap();
    drop(free);
    let mut settings = settings(recorder().await.0);
    settings.admin.listen = Some(admin);
    token.clone_into(&mut settings.admin.token);
    let gateway = gateway(settings, keep()).await;
    let since = Instant::now();
    while tokio::net::TcpStream::connect(admin).await.is_err() {
        assert!(since.elapsed() < Duration::from_mins(1), "it does not listen");
        sleep(Duration::from_millis(10)).await;
    }
    (gateway, admin)
}

/// This many peers that have sent this, and read nothing.
async fn peers(admin: SocketAddr, many: usize, said: &str) -> Vec<Raw> {
    let mut peers = Vec::new();
    for _ in 0..many {
        let mut peer = Raw::open(admin).await;
        peer.try_write(said).await;
        peers.push(peer);
    }
    peers
}

async fn is_answered(admin: SocketAddr) {
    for path in ["/healthz", "/readyz", "/metrics"] {
        let since = Instant::now();
        let answer = soon(get(&format!("http://{admin}{path}"))).await;
        assert_eq!(answer.status, 200, "{path}");
        assert!(since.elapsed() < at_most(PROBE), "{path} took {:?}", since.elapsed());
    }
}

/// Behaviour 15.6.
#[tokio::test]
async fn peers_that_take_every_place_do_not_stop_probes() {
    let (_gateway, admin) = watched("").await;
    let ask = format!("GET /metrics HTTP/1.1\r\nhost: {admin}\r\n\r\n").repeat(200);
    let two = "PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n";
    for said in ["", "GET /healthz HTTP/1.1\r\nhost: ", two, &ask] {
        let _peers = peers(admin, MANY, said).await;
        is_answered(admin).await;
    }
}

/// Behaviour 15.6.
#[tokio::test]
async fn a_head_that_does_not_come_is_not_waited_for() {
    let (_gateway, admin) = watched("").await;
    let since = Instant::now();
    let mut slow = peers(admin, 1, "GET /healthz HTTP/1.1\r\nhost: ").await;
    let mut silent = peers(admin, 1, "").await;
    for peer in slow.iter_mut().chain(&mut silent) {
        peer.end().await;
    }
    let took = since.elapsed();
    assert!(Duration::from_secs(4) < took && took < at_most(Duration::from_secs(9)), "{took:?}");
}

/// Behaviour 15.6.
#[tokio::test]
async fn live_feeds_have_a_bound_of_their_own() {
    let (_gateway, admin) = watched("").await;
    let ask = format!("GET /_tersely/live HTTP/1.1\r\nhost: {admin}\r\n\r\n");
    let mut feeds = peers(admin, 20, &ask).await;
    let mut told = Vec::new();
    for feed in &mut feeds {
        told.push(soon(feed.until("\r\n\r\n")).await);
    }
    let open: Vec<_> = told.iter().map(|head| head.starts_with("HTTP/1.1 200")).collect();
    assert_eq!(open, [[true; 16].as_slice(), &[false; 4]].concat(), "{told:?}");
    assert!(told[19].starts_with("HTTP/1.1 503"), "{}", told[19]);
    is_answered(admin).await;
    feeds.truncate(15);
    let since = Instant::now();
    while !soon(peers(admin, 1, &ask).await[0].until("\r\n\r\n")).await.starts_with("HTTP/1.1 200") {
        assert!(since.elapsed() < Duration::from_mins(1), "a feed that was closed leaves its place");
        sleep(Duration::from_millis(50)).await;
    }
}

async fn bearing(admin: SocketAddr, token: &str) -> (Answer, Duration) {
    let since = Instant::now();
    let request = Request::get(format!("http://{admin}/metrics")).header("authorization", token);
    let answer = soon(send(request.body(Full::default()).unwrap())).await;
    (answer, since.elapsed())
}

/// Behaviour 14.13.
#[tokio::test]
async fn whoever_guesses_a_token_waits() {
    let (_gateway, admin) = watched("open sesame").await;
    for guess in ["Bearer open sesam", "Bearer ", "Basic b3Blbg=="] {
        let (answer, took) = bearing(admin, guess).await;
        assert_eq!(answer.status, 401);
        assert!(took >= Duration::from_millis(400), "{guess}: {took:?}");
    }
    assert_eq!(bearing(admin, "Bearer open sesame").await.0.status, 200);
    let since = Instant::now();
    assert_eq!(soon(get(&format!("http://{admin}/healthz"))).await.status, 200);
    assert!(since.elapsed() < at_most(Duration::from_millis(400)), "who asks for nothing secret does not");
}
