//! Corrupt responses: each still reaches its client, and no client sees the tool.

use std::collections::HashMap;
use std::net::SocketAddr;
use std::sync::{Arc, Mutex};
use std::time::Instant;

use http::{Request, Response};
use http_body_util::{BodyExt, Full};
use hyper::body::Incoming;
use tersely_testing::generate::Choices;
use tersely_testing::{mutate, reader};
use tersely_wire::hidden::ResponseFraming;
use tokio::task::JoinSet;

use super::speech::{SHAPES, Say, Shape};
use super::{TOOL, expand, live, shadow};
use crate::scene::{SeenRequest, any, client, gateway, settings, soon, upstream};

/// Concurrent clients.
const AT_ONCE: usize = 16;

/// The provider and framing of a run.
fn kind(run: usize) -> (Shape, bool) {
    (SHAPES[run / 2 % SHAPES.len()], run % 2 == 1)
}

/// An upstream whose model asks once per run, and whose responses are corrupt.
async fn broken() -> SocketAddr {
    let rounds = Arc::new(Mutex::new(HashMap::<usize, usize>::new()));
    upstream(move |request: Request<Incoming>| {
        let rounds = Arc::clone(&rounds);
        async move {
            let seen = SeenRequest::of(request).await;
            let run: usize = seen.headers["x-run"].to_str().unwrap().parse().unwrap();
            let round = {
                let mut rounds = rounds.lock().unwrap();
                let round = rounds.entry(run).or_default();
                *round += 1;
                *round - 1
            };
            let id = shadow(&String::from_utf8_lossy(&seen.body));
            let says = match round {
                0 => vec![Say::Text("Let me see. "), expand(&id), Say::Text("Soon.")],
                _ => vec![Say::Text("Disk full."), Say::Call("Bash", serde_json::json!({"command": "df"}))],
            };
            let says = if run.is_multiple_of(3) { &says[..2] } else { &says[..] };
            let (shape, streams) = kind(run);
            let mut dice = u64::try_from(run * 7 + round).unwrap();
            let mut body = shape.answer(streams, round, says).into_bytes();
            if round == 0 || dice.pick(2) == 0 {
                body = mutate(&mut dice, &body);
            }
            let named = if streams { "text/event-stream" } else { "application/json" };
            let named = [named, named, named, "text/plain"][dice.pick(4)];
            Response::builder().header("content-type", named).body(Full::from(body)).unwrap()
        }
    })
    .await
}

/// A log with much to leave out, and no longer than needed: the response is what is tested.
fn log() -> String {
    let lines = (0..200).map(|n| format!("INFO worker {} finished batch {n} of the night\n", n % 7));
    format!("{}error: disk full\n", lines.collect::<String>())
}

async fn play(runs: usize) {
    let (begun, live) = (Instant::now(), live());
    let gateway = gateway(settings(broken().await), Arc::clone(&live) as _).await;
    let bodies: Vec<_> =
        (0..2 * SHAPES.len()).map(|at| kind(at).0.request(kind(at).1, &log()).to_string()).collect();
    let (client, mut asks) = (client(), JoinSet::new());
    for run in 0..runs {
        let (shape, streams) = kind(run);
        let request = Request::post(gateway.url(shape.path(streams))).header("x-run", run.to_string());
        let asked =
            client.request(request.body(any(Full::from(bodies[run % bodies.len()].clone()))).unwrap());
        asks.spawn(async move {
            let response = soon(asked).await.unwrap_or_else(|error| panic!("run {run}: {error}"));
            let (parts, body) = response.into_parts();
            let body =
                soon(body.collect()).await.unwrap_or_else(|error| panic!("run {run}: {error}")).to_bytes();
            let text = String::from_utf8_lossy(&body).into_owned();
            let framing = if streams { ResponseFraming::Events } else { ResponseFraming::Whole };
            let calls = reader::calls(&body, framing);
            assert!(!calls.iter().any(|name| name == TOOL), "seen in run {run}: {text}");
            assert!(!body.is_empty() || parts.status == 200, "lost in run {run}: {parts:?}");
            parts.status.as_u16()
        });
        if asks.len() >= AT_ONCE {
            asks.join_next().await.unwrap().unwrap();
        }
    }
    let mut statuses = HashMap::<u16, usize>::new();
    while let Some(status) = asks.join_next().await {
        *statuses.entry(status.unwrap()).or_default() += 1;
    }
    let fetched: u64 = live.totals().fetched.values().map(|fetch| fetch.calls).sum();
    println!("{runs} broken responses in {:?}; {fetched} times something was fetched back", begun.elapsed());
    assert!(fetched > 0);
}

#[tokio::test(flavor = "multi_thread")]
async fn broken_responses_reach_their_clients_and_tell_nothing() {
    play(400).await;
}

#[tokio::test(flavor = "multi_thread")]
#[ignore = "minutes: a hundred thousand broken responses"]
async fn a_hundred_thousand_broken_responses_tell_nothing() {
    play(100_000).await;
}
