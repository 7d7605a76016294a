//! Bodies, headers and statuses are forwarded unchanged, both ways.

use std::io::Write;
use std::sync::Arc;

use bytes::Bytes;
use flate2::Compression;
use flate2::write::GzEncoder;
use http::{Request, Response};
use http_body_util::Full;
use ruzstd::encoding::{CompressionLevel, compress_to_vec};
use tersely_core::{Mode, Plan};
use tersely_engine::{Engine, EngineSettings};
use tersely_gateway::{
    BypassReason, EngineRewriter, GatewaySettings, Origins, Refusal, Rewrite, Upstreams, Vendor, Verdict,
};

use crate::scene::{
    Hook, Raw, SeenRequest, Uninterested, answer, feed, gateway, get, keep, post, recorder, replace, send,
    settings, status, upstream,
};
const BODY: &str = r#"{"b" : 1.0,"a":"\u00e9",  "tools":[]}"#;

fn request(url: &str, headers: &[(&str, &str)], body: impl Into<Bytes>) -> Request<Full<Bytes>> {
    let builder =
        headers.iter().fold(Request::post(url), |builder, (name, value)| builder.header(*name, *value));
    builder.body(Full::new(body.into())).unwrap()
}

/// What the upstream saw of one request.
async fn seen(rewrite: Arc<dyn Rewrite>, headers: &[(&str, &str)], body: impl Into<Bytes>) -> SeenRequest {
    let (address, log) = recorder().await;
    let gateway = gateway(settings(address), rewrite).await;
    let answer = send(request(&gateway.url("/v1/messages?beta=true"), headers, body)).await;
    assert_eq!(answer.body, "done");
    let seen = log.lock().unwrap().pop().unwrap();
    assert_eq!(seen.headers["host"], address.to_string());
    seen
}

/// Behaviour 2.4, 2.11, 3.2.
#[tokio::test]
async fn a_request_that_is_kept_arrives_as_it_was_sent() {
    let headers = [
        ("x-api-key", "sk-secret"),
        ("authorization", "Bearer secret"),
        ("anthropic-beta", "one"),
        ("anthropic-beta", "two"),
        ("content-type", "application/json"),
        ("user-agent", "test"),
        ("accept-encoding", "gzip, br"),
    ];
    for rewrite in [keep(), Arc::new(Uninterested) as Arc<dyn Rewrite>] {
        let seen = seen(rewrite, &headers, BODY).await;
        assert_eq!((seen.method.as_str(), seen.uri.to_string().as_str()), ("POST", "/v1/messages?beta=true"));
        assert_eq!(seen.body, BODY);
        let mut expected: Vec<_> = headers.map(|(name, value)| (name.to_owned(), value.to_owned())).to_vec();
        expected.push(("content-length".to_owned(), BODY.len().to_string()));
        expected.push(("host".to_owned(), seen.headers["host"].to_str().unwrap().to_owned()));
        let mut found: Vec<_> = seen
            .headers
            .iter()
            .map(|(name, value)| (name.to_string(), value.to_str().unwrap().to_owned()))
            .collect();
        expected.sort();
        found.sort();
        assert_eq!(found, expected);
    }
}

#[tokio::test]
async fn a_new_body_has_its_exact_length() {
    let (address, log) = recorder().await;
    let gateway = gateway(settings(address), replace("new body")).await;
    let answer = post(&gateway.url("/v1/messages"), BODY).await;
    assert_eq!(answer.header("x-tersely-test"), "done");
    let seen = log.lock().unwrap().pop().unwrap();
    assert_eq!((&seen.body[..], &seen.headers["content-length"]), (&b"new body"[..], &"8".parse().unwrap()));
    assert!(!seen.headers.contains_key("transfer-encoding"));
}

#[tokio::test]
async fn a_chunked_body_that_is_replaced_has_a_length_too() {
    let (address, log) = recorder().await;
    let gateway = gateway(settings(address), replace("new body")).await;
    let mut raw = Raw::open(gateway.address).await;
    raw.write("POST /v1/messages HTTP/1.1\r\nhost: localhost\r\ntransfer-encoding: chunked\r\n\r\n").await;
    raw.write("3\r\nabc\r\n").await;
    raw.write("2\r\nde\r\n0\r\n\r\n").await;
    raw.until("done").await;
    let seen = log.lock().unwrap().pop().unwrap();
    assert_eq!((&seen.body[..], &seen.headers["content-length"]), (&b"new body"[..], &"8".parse().unwrap()));
}

fn gzip(text: &[u8]) -> Vec<u8> {
    let mut encoder = GzEncoder::new(Vec::new(), Compression::default());
    encoder.write_all(text).unwrap();
    encoder.finish().unwrap()
}

#[tokio::test]
async fn a_coded_body_is_offered_plain_and_forwarded_as_it_came() {
    for (coding, body) in [("gzip", gzip(BODY.as_bytes())), ("zstd", zstd(BODY.as_bytes()))] {
        let hook = Hook::new(|body: &[u8]| {
            assert_eq!(body, BODY.as_bytes());
            Verdict::Keep
        });
        let seen = seen(Arc::clone(&hook) as _, &[("content-encoding", coding)], body.clone()).await;
        assert_eq!((seen.body.to_vec(), &seen.headers["content-encoding"]), (body, &coding.parse().unwrap()));
        assert_eq!(hook.missed(), []);
    }
}

#[tokio::test]
async fn a_coded_body_that_is_replaced_goes_on_plain() {
    let seen = seen(replace("new"), &[("content-encoding", "zstd")], zstd(BODY.as_bytes())).await;
    assert_eq!(seen.body, "new");
    assert!(!seen.headers.contains_key("content-encoding"));
}

fn zstd(text: &[u8]) -> Vec<u8> {
    compress_to_vec(text, CompressionLevel::Fastest)
}

#[tokio::test]
async fn what_cannot_be_decoded_or_is_signed_goes_on_as_it_came() {
    let cases = [
        ("content-encoding", "br", BypassReason::Coded),
        ("content-encoding", "gzip", BypassReason::Coded),
        ("x-amz-content-sha256", "0123", BypassReason::Signed),
    ];
    for (name, value, why) in cases {
        let hook = Hook::new(|_: &[u8]| panic!("not asked for"));
        let seen = seen(Arc::clone(&hook) as _, &[(name, value)], BODY).await;
        assert_eq!((&seen.body[..], &seen.headers[name]), (BODY.as_bytes(), &value.parse().unwrap()));
        assert_eq!(hook.missed(), [why]);
    }
}

#[tokio::test]
async fn headers_for_the_next_hop_stay_here() {
    let (address, log) = recorder().await;
    let gateway = gateway(settings(address), keep()).await;
    let mut raw = Raw::open(gateway.address).await;
    raw.write(
        "POST /v1/messages HTTP/1.1\r\nhost: localhost\r\nconnection: keep-alive, x-mine\r\nx-mine: 1\r\nkeep-alive: 5\r\n\
         te: trailers\r\nproxy-authorization: Basic x\r\nx-tersely-mode: safe\r\nx-other: 2\r\n\
         content-length: 2\r\n\r\nhi",
    )
    .await;
    raw.until("done").await;
    let seen = log.lock().unwrap().pop().unwrap();
    let mut names: Vec<_> = seen.headers.keys().map(ToString::to_string).collect();
    names.sort();
    assert_eq!(names, ["content-length", "host", "te", "x-other"]);
}

/// Behaviour 2.11, 15.1.
#[tokio::test]
async fn statuses_headers_and_bodies_come_back_as_they_were() {
    let address = upstream(|request| async move {
        let code = request.uri().path()[1..].parse().unwrap();
        let mut response = status(code, r#"{"type":"error","error":{"type":"theirs"}}"#);
        response.headers_mut().insert("request-id", "req_1".parse().unwrap());
        response.headers_mut().append("set-cookie", "a=1".parse().unwrap());
        response.headers_mut().append("set-cookie", "b=2".parse().unwrap());
        response.headers_mut().insert("retry-after", "7".parse().unwrap());
        response
    })
    .await;
    let gateway = gateway(settings(address), keep()).await;
    for code in [200, 400, 401, 404, 429, 500, 529] {
        let answer = get(&gateway.url(&format!("/{code}"))).await;
        assert_eq!(answer.status, code);
        assert_eq!(answer.body, r#"{"type":"error","error":{"type":"theirs"}}"#);
        assert_eq!((answer.header("request-id"), answer.header("retry-after")), ("req_1", "7"));
        assert_eq!(answer.headers.get_all("set-cookie").iter().count(), 2);
    }
}

#[tokio::test]
async fn a_head_request_is_answered_by_the_upstream() {
    let address = upstream(|request| async move {
        assert_eq!((request.method().as_str(), request.uri().path()), ("HEAD", "/"));
        Response::builder().header("content-length", 42).body(Full::<Bytes>::default()).unwrap()
    })
    .await;
    let gateway = gateway(settings(address), keep()).await;
    let answer = send(Request::head(gateway.url("/")).body(Full::default()).unwrap()).await;
    assert_eq!((answer.status.as_u16(), answer.header("content-length")), (200, "42"));
}

#[tokio::test]
async fn any_method_and_path_goes_on() {
    let (address, log) = recorder().await;
    let gateway = gateway(settings(address), keep()).await;
    for (method, path) in
        [("DELETE", "/v1/files/x"), ("PATCH", "/a%2Fb?c=%20"), ("OPTIONS", "/"), ("ODD", "/x")]
    {
        let request = Request::builder().method(method).uri(gateway.url(path)).body(Full::default()).unwrap();
        send(request).await;
        let seen = log.lock().unwrap().pop().unwrap();
        assert_eq!((seen.method.as_str(), seen.uri.to_string().as_str()), (method, path));
    }
}

#[tokio::test]
async fn trailers_go_both_ways() {
    let address = upstream(|request| async move {
        assert_eq!(SeenRequest::of(request).await.trailers.unwrap()["x-end"], "there");
        let (frames, body) = feed();
        tokio::spawn(async move {
            frames.say("body").await;
            frames.sign("back").await;
        });
        Response::builder().header("trailer", "x-end").body(body).unwrap()
    })
    .await;
    let plan = Plan { mode: Mode::Disabled, ..Plan::default() };
    let off = EngineRewriter::new(Engine::new(EngineSettings { plan, ..EngineSettings::default() }));
    for rewrite in [keep(), Arc::new(Uninterested) as Arc<dyn Rewrite>, Arc::new(off)] {
        let gateway = gateway(settings(address), rewrite).await;
        let (frames, body) = feed();
        tokio::spawn(async move {
            frames.say("body").await;
            frames.sign("there").await;
        });
        let request = Request::post(gateway.url("/v1/messages"));
        let request = request.header("te", "trailers").header("trailer", "x-end");
        assert_eq!(send(request.body(body).unwrap()).await.trailers.unwrap()["x-end"], "back");
    }
}

/// Behaviour 2.1.
#[tokio::test]
async fn health_is_answered_here() {
    let gateway = gateway(settings(([127, 0, 0, 1], 1).into()), keep()).await;
    for (path, said) in [("/health", "ok"), ("/healthz", "ok"), ("/readyz", "ready")] {
        let answer = get(&gateway.url(path)).await;
        assert_eq!((answer.status.as_u16(), answer.json()["status"].as_str()), (200, Some(said)));
    }
}

async fn preflight(origins: Origins, origin: &str) -> (u16, String, String) {
    let settings = GatewaySettings { origins, ..settings(([127, 0, 0, 1], 1).into()) };
    let gateway = gateway(settings, keep()).await;
    let request = Request::options(gateway.url("/v1/messages"))
        .header("origin", origin)
        .header("access-control-request-method", "POST")
        .header("access-control-request-headers", "x-api-key,content-type");
    let answer = send(request.body(Full::default()).unwrap()).await;
    let header = |name| answer.header(name).to_owned();
    let (origin, headers) = (header("access-control-allow-origin"), header("access-control-allow-headers"));
    (answer.status.as_u16(), origin, headers)
}

/// Behaviour 2.1.
#[tokio::test]
async fn a_page_may_call_when_its_origin_is_allowed() {
    let listed = || Origins::Listed(vec!["https://chat.example".to_owned()]);
    let cases = [
        (Origins::Loopback, "http://localhost:3000", true),
        (Origins::Loopback, "http://127.0.0.1", true),
        (Origins::Loopback, "http://localhost.evil.example", false),
        (Origins::Loopback, "https://evil.example", false),
        (Origins::Any, "https://any.example", true),
        (listed(), "https://chat.example", true),
        (listed(), "http://localhost", false),
    ];
    for (origins, origin, allowed) in cases {
        let expected = if allowed { (origin, "x-api-key,content-type") } else { ("", "") };
        let (status, origin, headers) = preflight(origins, origin).await;
        assert_eq!((status, (origin.as_str(), headers.as_str())), (204, expected));
    }
}

#[tokio::test]
async fn a_page_that_may_call_may_read_the_answer() {
    let (address, _) = recorder().await;
    let gateway = gateway(settings(address), keep()).await;
    let answer = send(request(&gateway.url("/v1/messages"), &[("origin", "http://localhost")], BODY)).await;
    assert_eq!(answer.header("access-control-allow-origin"), "http://localhost");
    let answer =
        send(request(&gateway.url("/v1/messages"), &[("origin", "http://evil.example")], BODY)).await;
    assert_eq!((answer.status.as_u16(), answer.header("access-control-allow-origin")), (403, ""));
}

/// Behaviour 14.5.
#[tokio::test]
async fn each_provider_has_its_upstream_and_strangers_have_none() {
    let name = |name: &'static str| upstream(move |_| async move { answer(name) });
    let url = |address| format!("http://{address}").parse().unwrap();
    let upstreams = Upstreams::default()
        .with(Vendor::Anthropic, url(name("anthropic").await))
        .with(Vendor::OpenAi, url(name("openai").await))
        .with(Vendor::Gemini, url(name("gemini").await))
        .with(Vendor::Ollama, url(name("ollama").await));
    let gateway = gateway(GatewaySettings { upstreams, ..GatewaySettings::default() }, keep()).await;
    let cases = [
        ("/v1/messages", "anthropic"),
        ("/v1/responses", "openai"),
        ("/v1/models", "openai"),
        ("/v1beta/models/x:generateContent", "gemini"),
        ("/api/chat", "ollama"),
    ];
    for (path, expected) in cases {
        assert_eq!(post(&gateway.url(path), "{}").await.body, expected);
    }
    assert_eq!(post(&gateway.url("/elsewhere"), "{}").await.status, 404);
}

#[tokio::test]
async fn no_request_names_its_own_upstream() {
    let (address, log) = recorder().await;
    let settings = GatewaySettings { hosts: vec!["other.example".to_owned()], ..settings(address) };
    let gateway = gateway(settings, keep()).await;
    let mut raw = Raw::open(gateway.address).await;
    raw.write("GET http://other.example/v1/models HTTP/1.1\r\nhost: other.example\r\n\r\n").await;
    raw.until("done").await;
    let seen = log.lock().unwrap().pop().unwrap();
    assert_eq!(seen.headers["host"], address.to_string());
    let mut raw = Raw::open(gateway.address).await;
    raw.write("CONNECT other.example:443 HTTP/1.1\r\nhost: other.example\r\n\r\n").await;
    assert!(raw.until("\r\n\r\n").await.starts_with("HTTP/1.1 405"));
}

/// Behaviour 15.1, 15.2.
#[tokio::test]
async fn a_refusal_is_told_in_the_providers_shape() {
    let hook = Hook::new(|_: &[u8]| {
        Verdict::Refuse(Refusal {
            status: http::StatusCode::BAD_REQUEST,
            message: "no such \"mode\"".to_owned(),
        })
    });
    let (address, log) = recorder().await;
    let gateway = gateway(settings(address), hook).await;
    let answer = post(&gateway.url("/v1/messages"), BODY).await;
    assert_eq!(answer.status, 400);
    assert_eq!(answer.json()["error"]["type"], "invalid_request_error");
    assert_eq!(answer.json()["error"]["message"], "tersely: no such \"mode\"");
    assert_eq!(log.lock().unwrap().len(), 0);
}
