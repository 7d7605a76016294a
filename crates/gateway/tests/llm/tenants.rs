//! Numbers by tenant: whatever sink they are read from, they are the same, and they add up to those of all requests.

use std::collections::BTreeMap;
use std::fs;
use std::path::PathBuf;
use std::sync::Arc;
use std::time::Duration;

use bytes::Bytes;
use http::{HeaderName, Request, Response, StatusCode};
use http_body_util::Full;
use hyper::body::Incoming;
use serde_json::{Value, json};
use tersely_account::RequestSums;
use tersely_gateway::{
    EngineRewriter, GatewaySettings, KeyHash, KnownTenant, TenantKey, TenantList, TenantSettings,
};
use tersely_history::{DaySpan, HistoryPeriod, HistorySettings, HistorySink, SumsPart};
use tersely_telemetry::{JournalSettings, NumbersForm, Telemetry, journal};
use tokio::net::TcpListener;

use crate::scene::{
    Conversation, Gateway, SeenRequest, client, gateway, gateway_on, log, post, read, send, settings,
    upstream,
};

/// What is counted of a tenant, in the order: requests, failed, tokens before, after and fetched, nanodollars paid and
/// without us.
type Counts = [u64; 7];

/// A place for events and a history.
struct Books {
    folder: PathBuf,
    history: HistorySink,
    telemetry: Telemetry,
}

impl Books {
    fn open(test: &str) -> Self {
        let folder = PathBuf::from(env!("CARGO_TARGET_TMPDIR")).join("tenants").join(test);
        let _ = fs::remove_dir_all(&folder);
        fs::create_dir_all(&folder).unwrap();
        let file = Some(folder.join("history.db"));
        let history = HistorySink::start(HistorySettings { file, days: 14, project: None }).unwrap();
        let events = JournalSettings { path: folder.join("events.jsonl"), bytes: u64::MAX, files: 1 };
        let sinks = vec![Box::new(journal(events).unwrap()) as _, Box::new(history.clone()) as _];
        Self { folder, history, telemetry: Telemetry::new(sinks) }
    }

    /// Lines of the metrics with this name, and the values of these labels.
    fn metric(&self, name: &str, labels: &[&str]) -> Vec<(Vec<String>, f64)> {
        let text = String::from_utf8(self.telemetry.metrics(NumbersForm::Classic)).unwrap();
        let of = |line: &str| {
            let (head, value) = line.rsplit_once(' ')?;
            let said = head.strip_prefix(name)?.strip_prefix('{')?.strip_suffix('}')?;
            let label = |label: &&str| {
                let (_, rest) = said.split_once(&format!("{label}=\""))?;
                Some(rest.split('"').next()?.to_owned())
            };
            Some((labels.iter().map(label).collect::<Option<_>>()?, value.parse().ok()?))
        };
        text.lines().filter_map(of).collect()
    }

    fn total(&self, name: &str) -> u64 {
        self.metric(name, &[]).into_iter().map(|(_, value)| whole(value)).sum()
    }

    /// The counts of each tenant, by the metrics.
    fn by_metrics(&self) -> BTreeMap<String, Counts> {
        let mut all: BTreeMap<String, Counts> = BTreeMap::new();
        for (at, name) in ["requests", "requests_failed", "tokens_before", "tokens_after", "tokens_fetched"]
            .iter()
            .enumerate()
        {
            for (labels, value) in self.metric(&format!("tersely_tenant_{name}_total"), &["tenant"]) {
                all.entry(labels[0].clone()).or_default()[at] += whole(value);
            }
        }
        for (labels, value) in self.metric("tersely_tenant_cost_estimate_dollars_total", &["tenant", "kind"])
        {
            let at = if labels[1] == "paid" { 5 } else { 6 };
            all.entry(labels[0].clone()).or_default()[at] += whole(value * 1e9);
        }
        all
    }

    fn by_history(&self) -> (BTreeMap<String, Counts>, Counts) {
        assert_eq!(self.history.finish(Duration::from_mins(1)), 0);
        let span = DaySpan::Period(HistoryPeriod::All);
        let read = self.history.reader().unwrap();
        let rows = read.look(|view| view.showback(SumsPart::Tenant, &span)).unwrap();
        let total = read.look(|view| view.sums(HistoryPeriod::All)).unwrap();
        (rows.into_iter().map(|row| (row.names[0].clone(), counts(&row.sums))).collect(), counts(&total))
    }

    fn by_events(&self) -> BTreeMap<String, Counts> {
        let mut all: BTreeMap<String, Counts> = BTreeMap::new();
        let text = fs::read_to_string(self.folder.join("events.jsonl")).unwrap();
        for line in text.lines().map(|line| serde_json::from_str::<Value>(line).unwrap()) {
            if line["kind"] != "request" {
                continue;
            }
            let sums = all.entry(line["tenant"].as_str().unwrap_or("none").to_owned()).or_default();
            let number = |value: &Value| value.as_u64().unwrap_or(0);
            sums[0] += 1;
            if !(200..300).contains(&number(&line["status"])) {
                sums[1] += 1;
                continue;
            }
            sums[2] += number(&line["request_tokens"]["before"]);
            sums[3] += number(&line["request_tokens"]["after"]);
            sums[5] += number(&line["paid_nanodollars"]);
            sums[6] += number(&line["estimate_without_nanodollars"]);
        }
        all
    }
}

#[expect(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "a count, or nanodollars")]
fn whole(value: f64) -> u64 {
    value.round() as u64
}

fn counts(sums: &RequestSums) -> Counts {
    let RequestSums { requests, failed, before, after, fetched, cost, .. } = *sums;
    [requests, failed, before, after, fetched, cost.paid, cost.without]
}

fn add(all: &BTreeMap<String, Counts>) -> Counts {
    all.values().fold([0; 7], |mut sum, one| {
        sum.iter_mut().zip(one).for_each(|(sum, one)| *sum += one);
        sum
    })
}

/// An upstream that bills each request, and refuses those that ask for it.
async fn provider() -> std::net::SocketAddr {
    upstream(|request: Request<Incoming>| async move {
        let seen = SeenRequest::of(request).await;
        let usage =
            json!({"input_tokens": seen.body.len() / 4, "output_tokens": 20, "cache_read_input_tokens": 7});
        let said = json!({"type": "message", "role": "assistant", "content": [], "usage": usage}).to_string();
        let status = if seen.headers.contains_key("x-fail") { 529 } else { 200 };
        Response::builder()
            .status(status)
            .header("content-type", "application/json")
            .body(Full::new(Bytes::from(said)))
            .unwrap()
    })
    .await
}

fn body(turns: usize) -> String {
    let mut talk = Conversation::new();
    for at in 0..turns {
        talk.result("cat job.log", &log(at * 7));
    }
    talk.body().replacen('{', r#"{"model": "claude-opus-4-5", "#, 1)
}

/// A tenant with two keys, of which one has a name.
fn tenant(name: &str) -> TenantSettings {
    let key = |at: usize| KeyHash::of(format!("{name}-secret-{at}").as_bytes());
    let named: TenantKey = format!("laptop:{}", key(1)).parse().unwrap();
    TenantSettings {
        tenant: KnownTenant::new(name),
        keys: vec![named, key(2).into()],
        certificates: Vec::new(),
    }
}

async fn ask(gateway: &Gateway, headers: &[(&str, &str)], body: String) -> StatusCode {
    let request = headers
        .iter()
        .fold(Request::post(gateway.url("/v1/messages")), |it, (name, value)| it.header(*name, *value));
    send(request.body(Full::new(Bytes::from(body))).unwrap()).await.status
}

/// Behaviour 13.30: tenants' numbers add up to the totals, to the token and the nanodollar, in metrics, history and
/// events, and no key is in any of them.
#[tokio::test(flavor = "multi_thread")]
async fn tenants_add_up_to_the_totals_wherever_they_are_read() {
    let books = Books::open("sums");
    let tenants = TenantList::new(["search", "ads", "batch"].map(tenant).into());
    let telemetry = books.telemetry.clone();
    let rewrite = Arc::new(EngineRewriter::default());
    let settings = GatewaySettings { tenants, telemetry, ..settings(provider().await) };
    let mut gateway = gateway(settings, Arc::clone(&rewrite) as _).await;
    for (at, name) in ["search", "ads", "batch"].iter().enumerate() {
        for turn in 1..=at + 2 {
            let key = format!("{name}-secret-{}", 1 + turn % 2);
            let headers =
                [("x-tersely-key", key.as_str()), ("x-tersely-project", "shop"), ("x-api-key", "p")];
            assert_eq!(ask(&gateway, &headers, body(turn)).await, StatusCode::OK);
        }
    }
    let failing = [("x-tersely-key", "ads-secret-1"), ("x-fail", "1")];
    assert_eq!(ask(&gateway, &failing, body(2)).await.as_u16(), 529);
    let stranger = [("x-tersely-key", "wrong"), ("x-api-key", "sk-stranger"), ("x-tersely-project", "shop")];
    assert_eq!(ask(&gateway, &stranger, body(1)).await, StatusCode::UNAUTHORIZED);
    gateway.stop().await.unwrap();

    let (by_history, total) = books.by_history();
    assert_eq!(by_history.keys().map(String::as_str).collect::<Vec<_>>(), ["ads", "batch", "none", "search"]);
    assert_eq!(books.by_metrics(), by_history);
    assert_eq!(books.by_events(), by_history, "no text was fetched back, so events have nothing to add");
    assert_eq!(add(&by_history), total);
    assert_eq!((by_history["ads"][..2].to_vec(), by_history["none"][..2].to_vec()), (vec![4, 1], vec![1, 1]));

    let [requests, failed, before, after, _, paid, without] = total;
    assert_eq!((requests, failed), (11, 2));
    assert_eq!(books.total("tersely_requests_total"), requests);
    assert_eq!(books.total("tersely_request_tokens_before_total"), before);
    assert_eq!(books.total("tersely_request_tokens_after_total"), after);
    let cost = |kind: &str| {
        let all = books.metric("tersely_cost_estimate_dollars_total", &["kind"]);
        all.into_iter()
            .filter(|(labels, _)| labels[0] == kind)
            .map(|(_, value)| whole(value * 1e9))
            .sum::<u64>()
    };
    assert_eq!((cost("paid"), cost("without")), (paid, without));
    let engine = rewrite.totals().whole;
    assert_eq!(
        (engine.before as u64, engine.after as u64),
        (before, after),
        "what the engine itself counted"
    );
    assert!(after < before && paid < without && paid > 0, "{total:?}");

    let keys = books.metric("tersely_tenant_requests_total", &["tenant", "key", "project"]);
    let keys: Vec<_> = keys.iter().map(|(labels, value)| (labels.join(" "), whole(*value))).collect();
    let short = &KeyHash::of(b"search-secret-2").to_string()[..8];
    assert!(keys.contains(&(format!("search {short} shop"), 1)), "{keys:?}");
    assert!(keys.contains(&("search laptop shop".to_owned(), 1)), "{keys:?}");
    let metrics = String::from_utf8(books.telemetry.metrics(NumbersForm::Open)).unwrap();
    let events = fs::read_to_string(books.folder.join("events.jsonl")).unwrap();
    let history = String::from_utf8_lossy(&fs::read(books.folder.join("history.db")).unwrap()).into_owned();
    for text in [metrics, events, history] {
        assert!(!text.contains("-secret-"), "a key is not reported");
    }
}

/// Behaviour 13.31: ten thousand tenants have as many series as a thousand, and still add up.
#[tokio::test(flavor = "multi_thread")]
async fn ten_thousand_tenants_are_bounded_and_add_up() {
    let books = Books::open("many");
    let tenant_header = Some(HeaderName::from_static("x-team"));
    let settings =
        GatewaySettings { tenant_header, telemetry: books.telemetry.clone(), ..settings(provider().await) };
    let mut gateway = gateway(settings, Arc::new(EngineRewriter::default())).await;
    let (client, mut sizes) = (client(), Vec::new());
    let small = r#"{"model": "claude-opus-4-5", "messages": [{"role": "user", "content": "hello"}]}"#;
    for at in 0..10_000 {
        let request = Request::post(gateway.url("/v1/messages")).header("x-team", format!("team-{at}"));
        let request = request.header("x-tersely-project", format!("p{}", at % 7));
        let request = request.body(crate::scene::any(Full::new(Bytes::from(small)))).unwrap();
        assert_eq!(read(client.request(request).await.unwrap()).await.status, StatusCode::OK);
        if at % 2_000 == 1_999 {
            sizes.push(books.metric("tersely_tenant_requests_total", &["tenant"]).len());
        }
    }
    gateway.stop().await.unwrap();
    assert_eq!(sizes, [1_001; 5], "a thousand tenants and the others");
    let by_metrics = books.by_metrics();
    assert_eq!((by_metrics["team-0"][0], by_metrics["other"][0]), (1, 9_000));
    assert_eq!(add(&by_metrics)[0], 10_000);
    assert_eq!(add(&by_metrics)[2], books.total("tersely_request_tokens_before_total"));
    let (by_history, total) = books.by_history();
    assert_eq!(by_history.len(), 1_001);
    assert_eq!(add(&by_history), total);
}

/// Behaviour 13.32.
#[tokio::test]
async fn a_credential_that_nobody_named_is_a_digest() {
    let books = Books::open("digest");
    let settings = GatewaySettings { telemetry: books.telemetry.clone(), ..settings(provider().await) };
    // Who is on another machine is told apart by the credential.
    let listener = TcpListener::bind("0.0.0.0:0").await.unwrap();
    let mut gateway = gateway_on(listener, settings, Arc::new(EngineRewriter::default()));
    let url = format!("http://127.0.0.1:{}/v1/messages", gateway.address.port());
    for key in ["sk-one", "sk-one", "sk-two"] {
        let request =
            Request::post(&url).header("x-api-key", key).body(Full::new(Bytes::from(body(1)))).unwrap();
        assert_eq!(send(request).await.status, StatusCode::OK);
    }
    assert_eq!(post(&url, body(1)).await.status, StatusCode::OK);
    gateway.stop().await.unwrap();
    let (tenants, _) = books.by_history();
    let mut requests: Vec<_> = tenants.values().map(|counts| counts[0]).collect();
    requests.sort_unstable();
    assert_eq!(requests, [1, 1, 2], "{tenants:?}");
    assert!(
        tenants.keys().all(|name| name == "none" || name.len() == "credential-".len() + 8),
        "{tenants:?}"
    );
}
