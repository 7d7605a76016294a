//! A gateway whose store is a real cluster of six under load, while nodes die, freeze, fill up and fall silent.
//!
//! Clients name the previous response and send only what is new, so omitted texts must be in the store first. The
//! upstream plays the model: it asks for everything that was left out, and compares what it gets with what was sent.

#![cfg(unix)]
#![expect(
    clippy::expect_used,
    clippy::panic,
    clippy::print_stdout,
    clippy::unwrap_used,
    reason = "a test fails loudly and says what it measured, its scenery too"
)]

#[path = "llm/scene/mod.rs"]
#[expect(dead_code, unused_imports, reason = "scenery for other tests too")]
mod scene;

use std::collections::HashMap;
use std::mem::take;
use std::net::SocketAddr;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering::Relaxed};
use std::sync::{Arc, Mutex};
use std::time::{Duration, Instant};

use http::{Request, Response, StatusCode};
use http_body_util::Full;
use hyper::body::Incoming;
use serde_json::{Value, json};
use tersely_core::{Loss, Plan, Reader};
use tersely_engine::Engine;
use tersely_gateway::{EngineRewriter, Keeper};
use tersely_store::{Remote, Store, StorePlace, StoreSecret};
use tokio::task::{JoinSet, block_in_place};
use tokio::time::sleep;

use scene::{Answer, Gateway, SeenRequest, any, client, gateway, read, settings, soon, upstream};
use tersely_testing::pace::at_most;
use tersely_testing::valkey::{Cluster, ValkeyNode};

/// Concurrent clients.
const CLIENTS: usize = 16;

/// Results per request.
const RESULTS: usize = 4;

/// How long a store call may take.
const DEADLINE: Duration = Duration::from_millis(200);

/// What a request may take beside the store.
const SLACK: Duration = Duration::from_millis(300);

/// How long each fault lasts.
const FAULT: Duration = Duration::from_secs(4);

/// The outcome of a request.
struct Sample {
    began: Instant,
    took: Duration,
    verdict: Verdict,
}

/// What a response says about it.
#[derive(Default)]
struct Verdict {
    /// Its results, those of them that were left out, and what the model got when it asked for them.
    results: usize,
    left: usize,
    originals: usize,
    gone: usize,
    /// What it got instead of a correct answer.
    fault: Option<String>,
}

/// State shared by the clients.
struct Load {
    gateway: Gateway,
    samples: Mutex<Vec<Sample>>,
    ended: AtomicBool,
    chains: AtomicUsize,
    /// Requests in a row that left something out.
    streak: AtomicUsize,
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn no_request_fails_whatever_happens_to_the_store() {
    let mut cluster = block_in_place(Cluster::start);
    let load = Arc::new(Load::before(model().await, cluster.addresses()).await);
    let mut clients: JoinSet<()> = (0..CLIENTS).map(|_| converse(Arc::clone(&load))).collect();
    println!(
        "| while | requests | failed | p50 ms | p99 ms | longest ms | results | left out | fetched | gone |"
    );
    println!("|---|---:|---:|---:|---:|---:|---:|---:|---:|---:|");
    load.recovered().await;
    load.samples();

    sleep(FAULT).await;
    let [results, left, originals, _] = load.report("all is well");
    assert!(originals > 0 && left * 10 > results * 9, "{left} of {results} left out");

    cluster.nodes[0].kill();
    load.bears("a master is killed").await;

    cluster.nodes[1].freeze();
    load.bears("a master is frozen, and another takes its place").await;
    cluster.nodes[1].thaw();
    load.bears("it thaws").await;

    set_memory(&cluster.nodes[1..], "1mb");
    load.refuses("the memory is full").await;
    set_memory(&cluster.nodes[1..], "0");
    load.bears("there is room again").await;

    cluster.nodes[1..].iter().for_each(ValkeyNode::freeze);
    load.refuses("all nodes are cut off").await;
    cluster.nodes[1..].iter().for_each(ValkeyNode::thaw);
    load.bears("they are back").await;

    load.ended.store(true, Relaxed);
    while let Some(client) = clients.join_next().await {
        client.expect("no client panics");
    }
}

fn set_memory(nodes: &[ValkeyNode], most: &str) {
    for node in nodes {
        assert_eq!(node.say(&format!("CONFIG SET maxmemory {most} maxmemory-policy noeviction")), "+OK");
    }
}

impl Load {
    /// A gateway with this upstream that stores omitted texts at these addresses.
    async fn before(upstream: SocketAddr, addresses: Vec<String>) -> Self {
        let place = StorePlace::Remote(Remote { addresses, deadline: DEADLINE, ..Remote::default() });
        let secret = StoreSecret::new(b"only for tests, and long enough").ok();
        let store =
            Store::open(&tersely_store::StoreSettings { place, secret, ..Default::default() }).unwrap();
        // A strong reader would get all of it in a shorter form.
        let plan = Plan { loss: Loss::Detail, max_bytes: 4096, reader: Reader::Small, ..Plan::default() };
        let engine = Engine::new(tersely_engine::EngineSettings { plan, ..Default::default() });
        let live = EngineRewriter::new(engine).keeping(Keeper::new(store, None));
        Self {
            gateway: gateway(settings(upstream), Arc::new(live)).await,
            samples: Mutex::default(),
            ended: AtomicBool::new(false),
            chains: AtomicUsize::new(0),
            streak: AtomicUsize::new(0),
        }
    }

    /// Waits out a fault that the cluster recovers from by itself, and prints the outcome.
    async fn bears(&self, what: &str) {
        let start = Instant::now();
        self.recovered().await;
        sleep(FAULT.saturating_sub(start.elapsed())).await;
        self.report(what);
    }

    /// Waits until a hundred requests in a row leave something out.
    async fn recovered(&self) {
        let start = Instant::now();
        self.streak.store(0, Relaxed);
        while self.streak.load(Relaxed) < 100 {
            assert!(start.elapsed() < Duration::from_mins(1), "not well again");
            sleep(Duration::from_millis(20)).await;
        }
    }

    /// Keeps up a fault in which nothing can be stored, and checks that nothing is left out.
    async fn refuses(&self, what: &str) {
        // A signal takes a moment to arrive.
        sleep(Duration::from_millis(50)).await;
        let start = Instant::now();
        sleep(FAULT).await;
        let left = |sample: &Sample| if sample.began > start { sample.verdict.left } else { 0 };
        let late: usize = self.samples.lock().unwrap().iter().map(left).sum();
        assert_eq!(late, 0, "{what}: left out all the same");
        self.report(what);
    }

    /// Prints the outcomes since the last report, and checks the deadline. Returns how many results there were, were
    /// left out, were fetched and were gone.
    fn report(&self, what: &str) -> [usize; 4] {
        let mut samples = self.samples();
        samples.sort_by_key(|sample| sample.took);
        let at = |percent: usize| samples[(samples.len() - 1) * percent / 100].took;
        let [p50, p99, longest] = [50, 99, 100].map(|percent| at(percent).as_secs_f64() * 1e3);
        let faults: Vec<_> = samples.iter().filter_map(|sample| sample.verdict.fault.as_ref()).collect();
        let sum = |part: fn(&Verdict) -> usize| samples.iter().map(|sample| part(&sample.verdict)).sum();
        let sums: [usize; 4] =
            [sum(|it| it.results), sum(|it| it.left), sum(|it| it.originals), sum(|it| it.gone)];
        println!(
            "| {what} | {} | {} | {p50:.1} | {p99:.1} | {longest:.1} | {} | {} | {} | {} |",
            samples.len(),
            faults.len(),
            sums[0],
            sums[1],
            sums[2],
            sums[3],
        );
        assert!(faults.is_empty(), "{what}: {faults:?}");
        // Whatever the number of results, a request calls the store for all of them at once.
        let limit = at_most(DEADLINE + SLACK);
        assert!(at(99) < limit, "{what}: one in a hundred took {p99} ms or more, {limit:?} at most");
        sums
    }

    fn samples(&self) -> Vec<Sample> {
        take(&mut self.samples.lock().unwrap())
    }
}

/// One conversation after the other: results, and then a question about them.
async fn converse(load: Arc<Load>) {
    let client = client();
    while !load.ended.load(Relaxed) {
        let chain = load.chains.fetch_add(1, Relaxed);
        let result = |at| json!({"type": "function_call_output", "call_id": format!("call_{chain}_{at}"), "output": log(chain, at)});
        let results: Vec<_> = (0..RESULTS).map(result).collect();
        let question = json!([{"role": "user", "content": "Why?"}]);
        let turns = [(format!("resp_run_{chain}"), json!(results)), (format!("resp_done_{chain}"), question)];
        let mut left = None;
        for (previous, input) in turns {
            let body = json!({"model": "m", "previous_response_id": previous, "input": input,
                "tools": [{"type": "function", "name": "Bash", "parameters": {"type": "object"}}]});
            let request = Request::post(load.gateway.url("/v1/responses"))
                .header("authorization", "Bearer one")
                .body(any(Full::from(body.to_string())))
                .unwrap();
            let began = Instant::now();
            let answer = soon(async { read(client.request(request).await.expect("an answer")).await }).await;
            let (took, verdict) = (began.elapsed(), judge(&answer, left));
            if left.is_none() {
                let streak = if verdict.left > 0 { load.streak.load(Relaxed) + 1 } else { 0 };
                load.streak.store(streak, Relaxed);
            }
            left = Some(verdict.left);
            load.samples.lock().unwrap().push(Sample { began, took, verdict });
        }
        sleep(Duration::from_millis(100)).await;
    }
}

/// Whether a response is correct if this many results were left out of the previous request, if any.
fn judge(answer: &Answer, before: Option<usize>) -> Verdict {
    let fault = || Some(format!("{} {:?}", answer.status, answer.body));
    let body: Value = serde_json::from_slice(&answer.body).unwrap_or_default();
    let [item] = body["output"].as_array().map_or(&[][..], Vec::as_slice) else {
        return Verdict { fault: fault(), ..Verdict::default() };
    };
    let text = item["content"][0]["text"].as_str().unwrap_or_default();
    let told = |at: usize| text.split(' ').nth(at).and_then(|word| word.parse().ok()).unwrap_or(usize::MAX);
    let (verdict, right) = match before {
        None => {
            let left = told(1);
            (
                Verdict { results: RESULTS, left, ..Verdict::default() },
                text.starts_with("Left ") && (left == 0 || left == RESULTS),
            )
        }
        Some(left) => {
            let (originals, gone) = (told(1), told(3));
            let right = text.starts_with("Originals ") && originals.checked_add(gone) == Some(left);
            (Verdict { originals, gone, ..Verdict::default() }, right)
        }
    };
    match answer.status {
        StatusCode::OK if right => verdict,
        _ => Verdict { fault: fault(), ..Verdict::default() },
    }
}

/// An upstream that remembers what its model needs: the ids of what was left out.
async fn model() -> SocketAddr {
    let kept = Arc::new(Mutex::new(HashMap::new()));
    upstream(move |request: Request<Incoming>| {
        let kept = Arc::clone(&kept);
        async move {
            let request: Value = serde_json::from_slice(&SeenRequest::of(request).await.body).unwrap();
            let body = say(&mut kept.lock().unwrap(), &request);
            Response::builder().header("content-type", "application/json").body(Full::from(body)).unwrap()
        }
    })
    .await
}

fn say(kept: &mut HashMap<usize, Vec<(usize, String)>>, request: &Value) -> String {
    let input = request["input"].as_array().expect("items");
    let outputs = input.iter().filter(|item| item["type"] == "function_call_output");
    let outputs: Vec<_> = outputs.map(output).collect();
    let previous = request["previous_response_id"].as_str().expect("a name");
    let chain: usize = previous.rsplit('_').next().unwrap().parse().expect("a number");
    match outputs.first() {
        None => {
            let hidden = kept.remove(&chain).unwrap_or_default();
            if hidden.is_empty() { speak("told", chain, "Originals 0 gone 0") } else { ask(chain, &hidden) }
        }
        Some(("call", ..)) => {
            let hidden: Vec<_> = outputs.iter().filter_map(|it| Some((it.1, hidden(it.2)?))).collect();
            let text = format!("Left {} of {}", hidden.len(), outputs.len());
            let lost = outputs.iter().find(|it| hidden.is_empty() && !it.2.contains("batch 100\n"));
            kept.insert(chain, hidden);
            speak("done", chain, lost.map_or(text.as_str(), |lost| lost.2))
        }
        Some(_) => {
            let gone = outputs.iter().filter(|it| it.2.starts_with("Nothing is kept under")).count();
            let originals = outputs.iter().filter(|it| it.2 == log(chain, it.1)).count();
            let wrong = outputs.len() - gone - originals;
            let text = format!("Originals {originals} gone {gone}");
            speak("told", chain, if wrong == 0 { &text } else { "Something else" })
        }
    }
}

/// The kind of call that an output answers, its number, and the output.
fn output(item: &Value) -> (&str, usize, &str) {
    let id = item["call_id"].as_str().expect("a call");
    let at = id.rsplit('_').next().unwrap().parse().expect("a number");
    (id.split('_').next().unwrap(), at, item["output"].as_str().expect("text"))
}

fn hidden(text: &str) -> Option<String> {
    let (id, _) = text.strip_prefix("<<<SHADOW:")?.split_once(">>>")?;
    Some(id.to_owned())
}

fn speak(stage: &str, chain: usize, text: &str) -> String {
    let item = json!({"type": "message", "id": format!("item_{stage}_{chain}"), "status": "completed",
        "role": "assistant", "content": [{"type": "output_text", "text": text, "annotations": []}]});
    respond(stage, chain, &[item])
}

fn ask(chain: usize, hidden: &[(usize, String)]) -> String {
    let call = |(at, id): &(usize, String)| {
        json!({"type": "function_call", "id": format!("item_ask_{chain}_{at}"), "status": "completed",
            "call_id": format!("ask_{chain}_{at}"), "name": "expand_context", "arguments": json!({"id": id}).to_string()})
    };
    respond("ask", chain, &hidden.iter().map(call).collect::<Vec<_>>())
}

fn respond(stage: &str, chain: usize, output: &[Value]) -> String {
    json!({"id": format!("resp_{stage}_{chain}"), "object": "response", "status": "completed", "model": "m",
        "output": output, "usage": {"input_tokens": 100, "output_tokens": 7, "total_tokens": 107}})
    .to_string()
}

/// A unique log that is mostly noise, so that much of it is left out.
fn log(chain: usize, at: usize) -> String {
    let noise = (0..120).map(|n| format!("INFO worker {} of {chain}-{at} finished batch {n}\n", n % 7));
    format!("{}error: disk {chain} full\n", noise.collect::<String>())
}
