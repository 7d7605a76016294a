//! A real engine in the gateway: what the upstream sees, and what the client is told.

use std::io::Write;
use std::sync::Arc;

use bytes::Bytes;
use flate2::Compression;
use flate2::write::GzEncoder;
use http::{Request, StatusCode};
use http_body_util::Full;
use serde_json::{Value, json};
use tersely_account::TokenChange;
use tersely_core::{Loss, Mode, O200k, Plan};
use tersely_engine::{Engine, EngineSettings, MemoLimits};
use tersely_gateway::{EngineRewriter, Totals};

use crate::scene::{Answer, SeenRequest, gateway, recorder, send, settings};

/// Rows that take fewer tokens in another form.
fn rows() -> String {
    let rows: Vec<Value> = (0..30).map(|n| json!({"id": n, "kind": "fruit", "ripe": null})).collect();
    Value::from(rows).to_string()
}

/// A Messages body with `text` as a result, and `more` before it.
fn messages(text: &str, more: &str) -> String {
    let result = json!({"type": "tool_result", "tool_use_id": "a", "content": text});
    format!(r#"{{{more}"model" : "m","messages":[{{"role":"user","content":[{result}]}}]}}"#)
}

fn engine(plan: Plan) -> Engine {
    Engine::new(EngineSettings { plan, ..EngineSettings::default() })
}

/// The client's response, and what the upstream saw.
async fn exchange(
    live: &Arc<EngineRewriter>,
    path: &str,
    headers: &[(&str, &str)],
    body: impl Into<Bytes>,
) -> (Answer, Option<SeenRequest>) {
    let (address, log) = recorder().await;
    let gateway = gateway(settings(address), Arc::clone(live) as _).await;
    let post = headers
        .iter()
        .fold(Request::post(gateway.url(path)), |post, (name, value)| post.header(*name, *value));
    let answer = send(post.body(Full::new(body.into())).unwrap()).await;
    let seen = log.lock().unwrap().pop();
    (answer, seen)
}

/// The body of a Messages request that the upstream saw.
async fn sent(live: &Arc<EngineRewriter>, headers: &[(&str, &str)], body: impl Into<Bytes>) -> String {
    let (answer, seen) = exchange(live, "/v1/messages?beta=true", headers, body).await;
    assert_eq!(answer.status, StatusCode::OK, "{answer:?}");
    let seen = seen.unwrap();
    assert_eq!(seen.headers["content-length"], seen.body.len().to_string());
    assert!(!seen.headers.keys().any(|name| name.as_str().starts_with("x-tersely-")));
    String::from_utf8(seen.body.to_vec()).unwrap()
}

/// Behaviour 8.9: results shorter than another gateway's threshold header stay unchanged, and the header is not
/// forwarded.
#[tokio::test]
async fn a_threshold_leaves_short_results_alone() {
    let (live, body) = (Arc::new(EngineRewriter::default()), messages(&rows(), ""));
    let name = "x-compression-threshold";
    for (threshold, same) in [("0", false), ("100", false), ("64k", true), ("999999", true)] {
        let (answer, seen) = exchange(&live, "/v1/messages", &[(name, threshold)], body.clone()).await;
        let seen = seen.unwrap();
        assert_eq!((answer.status, seen.body == body), (StatusCode::OK, same), "{threshold}");
        assert!(!seen.headers.contains_key(name));
    }
    let (answer, seen) = exchange(&live, "/v1/messages", &[(name, "often")], body).await;
    assert_eq!((answer.status, seen.is_none()), (StatusCode::BAD_REQUEST, true));
}

/// Behaviour 2.2, 2.4.
#[tokio::test]
async fn results_are_compressed_and_the_client_is_told() {
    let live = Arc::new(EngineRewriter::default());
    let (answer, seen) = exchange(&live, "/v1/messages", &[], messages(&rows(), "")).await;
    let body = String::from_utf8(seen.unwrap().body.to_vec()).unwrap();
    let end = "}]}]}";
    assert!(body.starts_with(r#"{"model" : "m","messages":["#) && body.ends_with(end), "{body}");
    assert!(body.contains("[layout1 json"), "{body}");
    let [before, after] = ["before", "after"]
        .map(|name| answer.header(&format!("x-tersely-tokens-{name}")).parse::<usize>().unwrap());
    assert!(after < before);
    assert_eq!(answer.header("x-tersely-stages"), format!("json={}", before - after));
    let stages = [("json", i64::try_from(before - after).unwrap())].into();
    let results = TokenChange { before, after };
    let whole = TokenChange { before: O200k.count(&messages(&rows(), "")), after: O200k.count(&body) };
    assert_eq!(
        live.totals(),
        Totals { requests: 1, results, fresh: results, whole, stages, ..Totals::default() }
    );
}

/// Behaviour 19.3 and 19.4.
#[tokio::test]
async fn a_header_says_for_whom_results_were_written() {
    let live = Arc::new(EngineRewriter::default());
    let rows = rows();
    let named = |model: &str| messages(&rows, "").replacen(r#""m""#, &format!("{model:?}"), 1);
    let asks = "x-tersely-reader";
    for (body, headers, expected) in [
        (named("claude-sonnet-4-5"), vec![], "strong"),
        (named("qwen2.5-coder:1.5b"), vec![], "small"),
        (named("qwen2.5-coder:1.5b"), vec![(asks, "strong")], "strong"),
        (named("m"), vec![(asks, "small")], "small"),
    ] {
        let (answer, seen) = exchange(&live, "/v1/messages", &headers, body).await;
        assert_eq!(answer.header(asks), expected);
        assert!(!seen.unwrap().headers.contains_key(asks));
    }
    let (answer, seen) = exchange(&live, "/v1/messages", &[(asks, "tiny")], named("m")).await;
    assert_eq!((answer.status, seen.is_none()), (StatusCode::BAD_REQUEST, true));
    let (answer, _) = exchange(&live, "/v1/messages", &[("x-tersely-mode", "off")], named("m")).await;
    assert!(!answer.headers.contains_key(asks));
}

/// Behaviour 0.12: nothing is left out of a request without tools, so its results may exceed the limit.
#[tokio::test]
async fn a_header_counts_results_that_exceed_the_limit() {
    let live = Arc::new(EngineRewriter::default());
    let long = (0..4_000)
        .map(|n| format!("{n} is a line of its own, {}\n", n * n % 89))
        .collect::<Vec<_>>()
        .concat();
    let small = [("x-tersely-reader", "small")];
    let (answer, _) = exchange(&live, "/v1/messages", &small, messages(&long, "")).await;
    assert_eq!(answer.header("x-tersely-over-limit"), "1");
    let (answer, _) = exchange(&live, "/v1/messages", &[], messages(&rows(), "")).await;
    assert!(!answer.headers.contains_key("x-tersely-over-limit"));
}

/// The memo only saves time: without one, a growing conversation is sent with the same bytes.
#[tokio::test]
async fn what_is_remembered_changes_no_byte() {
    let with = Arc::new(EngineRewriter::default());
    let without =
        Arc::new(EngineRewriter::default().remembering(MemoLimits { bytes: 0, ..MemoLimits::default() }));
    for extra in ["", "a few words"] {
        let body = messages(&format!("{}{extra}", rows()), "");
        let mut bodies = Vec::new();
        for live in [&with, &with, &without, &without] {
            let (_, seen) = exchange(live, "/v1/messages", &[], body.clone()).await;
            bodies.push(seen.unwrap().body);
        }
        assert!(bodies.iter().all(|sent| *sent == bodies[0]), "{extra}");
    }
    assert_eq!(with.totals(), without.totals());
}

#[tokio::test]
async fn what_cannot_get_smaller_is_counted_and_kept() {
    let body = messages("a few words", "");
    let (answer, seen) = exchange(&Arc::default(), "/v1/messages", &[], body.clone()).await;
    assert_eq!(seen.unwrap().body, body);
    assert_eq!(answer.header("x-tersely-tokens-before"), "3");
    assert_eq!(answer.header("x-tersely-tokens-after"), "3");
    assert!(!answer.headers.contains_key("x-tersely-stages"));
    let (answer, _) = exchange(&Arc::default(), "/v1/messages", &[], r#"{"messages":[]}"#.to_owned()).await;
    assert!(!answer.headers.contains_key("x-tersely-tokens-before"));
}

/// Behaviour 3.2, 12.1.
#[tokio::test]
async fn headers_turn_it_off_and_on() {
    let body = || messages(&rows(), "");
    let on = Arc::new(EngineRewriter::default());
    let off = Arc::new(EngineRewriter::new(engine(Plan { mode: Mode::Disabled, ..Plan::default() })));
    for headers in [("x-tersely-bypass", "1"), ("x-tersely-mode", "off"), ("x-tersely-mode", "safe")] {
        assert_eq!(sent(&on, &[headers], body()).await, body(), "{headers:?}");
    }
    assert_eq!(sent(&off, &[], body()).await, body());
    assert_ne!(sent(&off, &[("x-tersely-mode", "standard")], body()).await, body());
}

/// Behaviour 2.5, 12.3.
#[tokio::test]
async fn the_body_can_say_it_too_and_nobody_else_hears_it() {
    let live = Arc::new(EngineRewriter::default());
    let off = r#""_tersely":{"tool_output_compression":"off"},"#;
    assert_eq!(sent(&live, &[], messages(&rows(), off)).await, messages(&rows(), ""));
    let forge = r#""_forge":{"debug":{"run":7}},"#;
    assert_eq!(
        sent(&live, &[("x-tersely-bypass", "")], messages(&rows(), forge)).await,
        messages(&rows(), "")
    );
}

/// Behaviour 12.3.
#[tokio::test]
async fn the_body_turns_it_on_where_it_is_off() {
    let off = Arc::new(EngineRewriter::new(engine(Plan { mode: Mode::Disabled, ..Plan::default() })));
    let body = messages(&rows(), r#""_tersely":{"tool_output_compression":"standard"},"#);
    let expected = sent(&Arc::default(), &[], messages(&rows(), "")).await;
    assert_eq!(sent(&off, &[], body.clone()).await, expected);
    let mut gzip = GzEncoder::new(Vec::new(), Compression::default());
    gzip.write_all(body.as_bytes()).unwrap();
    assert_eq!(sent(&off, &[("content-encoding", "gzip")], gzip.finish().unwrap()).await, expected);
}

/// Behaviour 15.1, 15.2.
#[tokio::test]
async fn what_makes_no_sense_is_refused_in_the_shape_of_the_provider() {
    let live = Arc::new(EngineRewriter::default());
    let bad = r#""_tersely":{"tool_output_compression":{"max_output_bytes":0}},"#;
    for (path, headers, body, place) in [
        ("/v1/messages", vec![("x-tersely-mode", "more")], messages("x", ""), "x-tersely-mode: "),
        (
            "/v1/chat/completions",
            vec![],
            messages("x", bad),
            "_tersely.tool_output_compression.max_output_bytes: ",
        ),
        ("/v1/messages", vec![("x-tersely-bypass", "perhaps")], messages("x", ""), "x-tersely-bypass: "),
        ("/v1/messages", vec![("x-tersely-mode", "\u{e9}")], messages("x", ""), "x-tersely-mode: "),
    ] {
        let (answer, seen) = exchange(&live, path, &headers, body).await;
        assert_eq!((answer.status, seen.is_none()), (StatusCode::BAD_REQUEST, true));
        let answer = answer.json();
        let message = answer["error"]["message"].as_str().unwrap();
        assert!(message.starts_with(&format!("tersely: {place}")), "{message}");
        assert_eq!(answer["error"]["type"], "invalid_request_error");
        assert_eq!(answer["type"] == "error", path == "/v1/messages");
    }
}

/// Behaviour 2.10.
#[tokio::test]
async fn what_cannot_be_read_goes_on_and_is_counted() {
    let live = Arc::new(EngineRewriter::default());
    let broken = messages(&rows(), "") + "]";
    assert_eq!(sent(&live, &[], broken.clone()).await, broken);
    let tokens = O200k.count(&broken);
    let whole = TokenChange { before: tokens, after: tokens };
    assert_eq!(live.totals(), Totals { requests: 1, faults: 1, whole, ..Totals::default() });
}

#[tokio::test]
async fn nothing_is_left_out_without_tools() {
    let text = (0..3000)
        .map(|n| format!("2024-01-01T00:00:{:02} worker {n} done\n", n % 60))
        .collect::<Vec<_>>()
        .concat();
    let live = Arc::new(EngineRewriter::new(engine(Plan { loss: Loss::Detail, ..Plan::default() })));
    assert!(!sent(&live, &[], messages(&text, "")).await.contains("<<<SHADOW:"));
}

#[tokio::test]
async fn an_engine_is_exchanged_as_a_whole() {
    let live = Arc::new(EngineRewriter::new(engine(Plan { mode: Mode::Disabled, ..Plan::default() })));
    assert_eq!(sent(&live, &[], messages(&rows(), "")).await, messages(&rows(), ""));
    live.swap(Engine::default());
    assert_eq!(live.engine().settings(), &EngineSettings::default());
    assert_ne!(sent(&live, &[], messages(&rows(), "")).await, messages(&rows(), ""));
}

#[tokio::test]
async fn other_paths_and_counts_are_no_savings() {
    let live = Arc::new(EngineRewriter::default());
    let body = || messages(&rows(), "");
    let (_, seen) = exchange(&live, "/v1/embeddings", &[], body()).await;
    assert_eq!(seen.unwrap().body, body());
    let (answer, seen) = exchange(&live, "/v1/messages/count_tokens", &[], body()).await;
    assert_ne!(seen.unwrap().body, body());
    assert!(answer.headers.contains_key("x-tersely-tokens-after"));
    assert_eq!(live.totals(), Totals::default());
}
