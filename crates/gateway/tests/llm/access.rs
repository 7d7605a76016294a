//! Keys of tenants: who may call, whose texts they can read, their rate, and the options that they may use.

use std::sync::Arc;
use std::time::Duration;

use bytes::Bytes;
use http::{HeaderValue, Request, StatusCode};
use http_body_util::Full;
use serde_json::{Value, json};
use tersely_core::{Mode, Plan};
use tersely_engine::{Engine, EngineSettings, ExpandOffer, PlanOverride, Rule};
use tersely_gateway::{
    AccessKey, EngineRewriter, GatewaySettings, Keeper, KeyHash, KnownTenant, MayAsk, TenantList,
    TenantSettings,
};
use tersely_store::{Store, StoreSettings};
use tersely_telemetry::NumbersForm;

use crate::scene::{
    Answer, Gateway, Raw, any, client, gateway, get, log, read, recorder, send, settings, soon,
};

/// A tenant whose key is its name, twice.
fn tenant(name: &str) -> TenantSettings {
    let keys = vec![KeyHash::of(name.repeat(2).as_bytes()).into()];
    TenantSettings { tenant: KnownTenant::new(name), keys, certificates: Vec::new() }
}

fn live(engine: EngineSettings) -> Arc<EngineRewriter> {
    let keeper = Keeper::new(Store::open(&StoreSettings::default()).unwrap(), None);
    Arc::new(EngineRewriter::new(Engine::new(engine)).keeping(keeper))
}

async fn guarded(tenants: Vec<TenantSettings>, upstream: std::net::SocketAddr) -> Gateway {
    let settings = GatewaySettings { tenants: TenantList::new(tenants), ..settings(upstream) };
    gateway(settings, live(EngineSettings::default())).await
}

async fn call(gateway: &Gateway, path: &str, headers: &[(&str, &str)], body: &str) -> Answer {
    let post = headers
        .iter()
        .fold(Request::post(gateway.url(path)), |post, (name, value)| post.header(*name, *value));
    send(post.body(Full::new(Bytes::from(body.to_owned()))).unwrap()).await
}

/// Behaviour 23.3: the key is not forwarded, and the provider's credentials are.
#[tokio::test]
async fn a_key_lets_in_and_goes_no_further() {
    let (address, seen) = recorder().await;
    let gateway = guarded(vec![tenant("a")], address).await;
    let headers = [("X-Tersely-Key", "aa"), ("authorization", "Bearer provider"), ("x-api-key", "p")];
    assert_eq!(call(&gateway, "/v1/messages", &headers, "{}").await.status, StatusCode::OK);
    let seen = seen.lock().unwrap().pop().unwrap();
    assert_eq!(
        (&seen.headers["authorization"], &seen.headers["x-api-key"]),
        (&"Bearer provider".parse().unwrap(), &"p".parse().unwrap())
    );
    assert!(!seen.headers.contains_key("x-tersely-key"));
    let signed = "AWS4-HMAC-SHA256 Credential=AK/20261116/us-east-1/bedrock/aws4_request, \
                  SignedHeaders=host;x-tersely-key;x-tersely-mode, Signature=00";
    let headers = [("x-tersely-key", "aa"), ("x-tersely-mode", "safe"), ("authorization", signed)];
    call(&gateway, "/model/m/converse", &headers, "{}").await;
}

/// Behaviour 23.3: a caller without a key gets an error in the format of the API that they called; health checks need
/// no key.
#[tokio::test]
async fn without_a_key_nobody_comes_in() {
    let (address, seen) = recorder().await;
    let gateway = guarded(vec![tenant("a")], address).await;
    for (path, kind) in [
        ("/v1/messages", "/error/type"),
        ("/v1/chat/completions", "/error/type"),
        ("/v1beta/models/g:generateContent", "/error/status"),
        ("/v1/compress", "/error/type"),
        ("/expand", "/error/type"),
        ("/v1/models", "/error/type"),
    ] {
        let answer = call(&gateway, path, &[("authorization", "Bearer provider")], "{}").await;
        assert_eq!(answer.status, StatusCode::UNAUTHORIZED, "{path}");
        let body = answer.json();
        let kind = body.pointer(kind).and_then(Value::as_str).unwrap_or_default();
        assert!(
            ["authentication_error", "invalid_request_error", "UNAUTHENTICATED"].contains(&kind),
            "{body}"
        );
        assert!(body.to_string().contains("x-tersely-key"), "{body}");
    }
    for path in ["/health", "/healthz", "/readyz"] {
        assert_eq!(get(&gateway.url(path)).await.status, StatusCode::OK, "{path}");
    }
    let preflight = Request::options(gateway.url("/v1/messages"))
        .header("origin", "http://localhost:3000")
        .header("access-control-request-method", "POST");
    assert_eq!(send(preflight.body(Full::default()).unwrap()).await.status, StatusCode::NO_CONTENT);
    assert!(seen.lock().unwrap().is_empty(), "nothing went on");
}

/// Behaviour 23.3: the body of a refused request is not waited for.
#[tokio::test]
async fn the_body_of_a_stranger_is_not_read() {
    let (address, _) = recorder().await;
    let gateway = guarded(vec![tenant("a")], address).await;
    let mut raw = Raw::open(gateway.address).await;
    raw.write("POST /v1/messages HTTP/1.1\r\nhost: localhost\r\ncontent-length: 40000000000\r\n\r\n{").await;
    let answer = soon(raw.until("x-tersely-key")).await;
    assert!(answer.starts_with("HTTP/1.1 401 "), "{answer}");
}

/// Keys that are nearly right, and some that are entirely wrong.
fn wrong_keys(right: &AccessKey, at: usize) -> Vec<Vec<u8>> {
    let (key, hash) = (right.key.as_bytes(), right.hash.to_string());
    let mut flipped = key.to_vec();
    flipped[at % key.len()] ^= 1 << (at % 7);
    match at % 10 {
        0 => vec![AccessKey::random().unwrap().key.into_bytes()],
        1 => vec![key[..at % key.len()].to_vec()],
        2 => vec![[key, &at.to_string().into_bytes()].concat()],
        3 => vec![flipped],
        4 => vec![hash.as_bytes()[..=at % hash.len()].to_vec()],
        5 => vec![key.repeat(1 + at % 40)],
        6 => vec![[key, &[0x80 | u8::try_from(at % 128).unwrap()]].concat()],
        7 => vec![key.to_vec(), key.to_vec()],
        8 => vec![AccessKey::random().unwrap().key.into_bytes(), key.to_vec()],
        _ => vec![key.to_ascii_uppercase()],
    }
}

/// Behaviour 23.3: of ten thousand wrong keys none is accepted, and all get the same response.
#[tokio::test]
async fn no_wrong_key_comes_in() {
    let right = AccessKey::random().unwrap();
    let (address, seen) = recorder().await;
    let list = vec![TenantSettings { keys: vec![right.hash.into()], ..tenant("a") }, tenant("b")];
    let settings = GatewaySettings { tenants: TenantList::new(list), ..settings(address) };
    let telemetry = settings.telemetry.clone();
    let mut gateway = gateway(settings, live(EngineSettings::default())).await;
    let (client, mut sent, mut said) = (client(), 0, None);
    for at in 0..10_000 {
        let keys = wrong_keys(&right, at).into_iter().map(|key| HeaderValue::from_bytes(&key));
        let keys: Vec<_> = keys.filter_map(Result::ok).collect();
        // A bearer token is not a key on any of these paths, but it is on this one.
        let bears = at % 3 == 0;
        let request = Request::get(gateway.url("/v1/models"));
        let request = keys.into_iter().fold(request, |it, key| it.header("x-tersely-key", key));
        let request =
            if bears { request.header("authorization", format!("Bearer {}", right.key)) } else { request };
        let response = client.request(request.body(any(Full::<Bytes>::default())).unwrap()).await.unwrap();
        let answer = read(response).await;
        assert_eq!(answer.status, StatusCode::UNAUTHORIZED, "key {at}");
        let said = said.get_or_insert_with(|| answer.body.clone());
        assert_eq!(answer.body, *said, "key {at}");
        sent += 1;
    }
    assert!(seen.lock().unwrap().is_empty(), "none went on");
    let rightly = [("x-tersely-key", right.key.as_str())];
    assert_eq!(call(&gateway, "/v1/models", &rightly, "").await.status, StatusCode::OK);
    soon(gateway.stop()).await.unwrap();
    let numbers = String::from_utf8(telemetry.metrics(NumbersForm::Open)).unwrap();
    assert!(numbers.contains(&format!("tersely_unauthorized_total {sent}")), "{numbers}");
    assert!(!numbers.contains(&right.key) && !numbers.contains(&right.hash.to_string()));
}

/// Behaviour 23.5: nobody reads another tenant's texts, whatever id and credential they know.
#[tokio::test]
async fn no_tenant_reads_anothers_originals() {
    let (address, _) = recorder().await;
    let tenants = TenantList::new(vec![tenant("a"), tenant("b")]);
    let settings = GatewaySettings { tenants, ..settings(address) };
    let plan = Plan { max_bytes: 1 << 10, ..Plan::default() };
    let engine = EngineSettings { plan, expand: ExpandOffer::Always, ..EngineSettings::default() };
    let gateway = gateway(settings, live(engine)).await;
    let question = json!({
        "tools": [{"type": "function", "function": {"name": "bash", "parameters": {}}}],
        "messages": [
            {"role": "assistant", "tool_calls": [
                {"id": "c", "type": "function", "function": {"name": "bash", "arguments": "{\"command\":\"make\"}"}}]},
            {"role": "tool", "tool_call_id": "c", "content": log(1)},
        ],
        "config": {"retrieve": true},
    });
    let shared = ("x-api-key", "shared");
    let own: [&[(&str, &str)]; 3] =
        [&[("x-tersely-key", "aa")], &[("authorization", "Bearer aa")], &[("x-tersely-key", "aa"), shared]];
    for own in own {
        let answer = call(&gateway, "/v1/compress", own, &question.to_string()).await;
        let id = answer.json()["ccr_hashes"][0].as_str().unwrap_or_else(|| panic!("{answer:?}")).to_owned();
        let ask = async |headers: &[(&str, &str)]| {
            let request = Request::get(gateway.url(&format!("/v1/retrieve/{id}")));
            let request = headers.iter().fold(request, |it, (name, value)| it.header(*name, *value));
            send(request.body(Full::default()).unwrap()).await
        };
        let back = ask(own).await;
        assert_eq!(
            (back.status, back.json()["original_content"].as_str()),
            (StatusCode::OK, Some(log(1).as_str()))
        );
        for (other, status) in [
            (&[("x-tersely-key", "bb")][..], 404),
            (&[("x-tersely-key", "bb"), shared], 404),
            (&[("authorization", "Bearer bb")], 404),
            (&[("x-tersely-key", "aa"), ("x-api-key", "mine")], 404),
            (&[shared], 401),
            (&[("authorization", "Bearer a")], 401),
        ] {
            assert_eq!(ask(other).await.status, status, "{other:?}");
        }
    }
}

/// Behaviour 23.7: the operator decides which options a tenant may use, in headers and in the body.
#[tokio::test]
async fn a_tenant_asks_only_what_it_may() {
    let (address, _) = recorder().await;
    let asks = |name: &str, may_ask: MayAsk| {
        let known = KnownTenant { may_ask, ..KnownTenant::new(name) };
        TenantSettings { tenant: known, ..tenant(name) }
    };
    let list = vec![
        asks("all", MayAsk::All),
        asks("none", MayAsk::Listed(Vec::new())),
        asks("mode", MayAsk::Listed(vec!["x-tersely-mode"])),
        asks("body", MayAsk::Listed(vec!["_tersely"])),
    ];
    let gateway = guarded(list, address).await;
    let own = r#"{"messages":[],"_tersely":{"mode":"safe"}}"#;
    let forge = r#"{"messages":[],"_forge":{"mode":"safe"}}"#;
    let (plain, ok, no) = (r#"{"messages":[]}"#, 200, 403);
    for (tenant, mode, bypass, object) in
        [("all", ok, ok, ok), ("none", no, no, no), ("mode", ok, no, no), ("body", no, no, ok)]
    {
        let key = tenant.repeat(2);
        let ask = async |header: &str, value: &str, body: &str| {
            let headers = [("x-tersely-key", &*key), (header, value)];
            call(&gateway, "/v1/messages", &headers, body).await
        };
        assert_eq!(ask("x-tersely-mode", "safe", plain).await.status, mode, "{tenant}");
        assert_eq!(ask("x-tersely-bypass", "1", plain).await.status, bypass, "{tenant}");
        assert_eq!(ask("x-compression-threshold", "4k", plain).await.status, bypass, "{tenant}");
        for body in [own, forge] {
            assert_eq!(ask("x-other", "1", body).await.status, object, "{tenant}: {body}");
        }
        assert_eq!(ask("x-tersely-other", "1", plain).await.status, ok, "{tenant}: what does nothing");
    }
    let denied = call(&gateway, "/v1/messages", &[("x-tersely-key", "modemode")], own).await.json();
    assert_eq!(denied["error"]["message"], "tersely: this key is not allowed to set _tersely; remove it");
}

/// Behaviour 23.8: a tenant has a rate of its own, whatever keys and credentials it uses.
#[tokio::test]
async fn a_tenant_has_a_rate_of_its_own() {
    let (address, _) = recorder().await;
    let mut slow = tenant("slow");
    slow.tenant.rate = 2;
    slow.keys.push(KeyHash::of(b"second").into());
    let mut settings = settings(address);
    settings.tenants = TenantList::new(vec![slow, tenant("usual")]);
    settings.limits.tenant_rate = 3;
    let gateway = gateway(settings, live(EngineSettings::default())).await;
    let status = async |key: &str, credential: &str| {
        let headers = [("x-tersely-key", key), ("x-api-key", credential)];
        call(&gateway, "/v1/messages", &headers, r#"{"messages":[]}"#).await.status.as_u16()
    };
    for (key, credential, expected) in [
        ("slowslow", "1", 200),
        ("second", "2", 200),
        ("second", "3", 429),
        ("slowslow", "1", 429),
        ("usualusual", "1", 200),
        ("usualusual", "2", 200),
        ("usualusual", "3", 200),
        ("usualusual", "1", 429),
    ] {
        assert_eq!(status(key, credential).await, expected, "{key} {credential}");
    }
    tokio::time::sleep(Duration::from_millis(1_100)).await;
    assert_eq!(status("second", "1").await, 200);
}

/// Behaviour 23.8: a rule for a tenant applies to its requests.
#[tokio::test]
async fn a_rule_speaks_of_a_tenant() {
    let (address, seen) = recorder().await;
    let change = PlanOverride::of(&["mode"], Plan { mode: Mode::Disabled, ..Plan::default() });
    let rules = vec![Rule { tenant: Some("off".to_owned()), change, ..Rule::default() }];
    let settings =
        GatewaySettings { tenants: TenantList::new(vec![tenant("off"), tenant("on")]), ..settings(address) };
    let gateway = gateway(settings, live(EngineSettings { rules, ..EngineSettings::default() })).await;
    let rows: Vec<Value> = (0..30).map(|n| json!({"id": n, "kind": "fruit", "ripe": null})).collect();
    let result = json!({"type": "tool_result", "tool_use_id": "a", "content": Value::from(rows).to_string()});
    let body = json!({"model": "m", "messages": [{"role": "user", "content": [result]}]}).to_string();
    for (key, is_changed) in [("offoff", false), ("onon", true)] {
        assert_eq!(call(&gateway, "/v1/messages", &[("x-tersely-key", key)], &body).await.status, 200);
        assert_eq!(seen.lock().unwrap().pop().unwrap().body != body.as_bytes(), is_changed, "{key}");
    }
}

/// Behaviour 23.6: a removed key is refused from the next request on, also on open connections.
#[tokio::test]
async fn keys_change_while_connections_last() {
    let (address, _) = recorder().await;
    let tenants = TenantList::new(vec![tenant("a")]);
    let settings = GatewaySettings { tenants: tenants.clone(), ..settings(address) };
    let gateway = gateway(settings, live(EngineSettings::default())).await;
    let client = client();
    let status = async |key: &str| {
        let request = Request::get(gateway.url("/v1/models")).header("x-tersely-key", key);
        let request = request.body(any(Full::<Bytes>::default())).unwrap();
        read(client.request(request).await.unwrap()).await.status.as_u16()
    };
    assert_eq!((status("aa").await, status("bb").await), (200, 401));
    assert!(tenants.adopt(&TenantList::new(vec![tenant("b")])));
    assert_eq!((status("aa").await, status("bb").await), (401, 200));
    assert!(!tenants.adopt(&TenantList::default()));
    assert_eq!((status("").await, status("bb").await), (401, 200), "an empty list opens no door");
}
