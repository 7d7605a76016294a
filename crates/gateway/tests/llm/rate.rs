//! Rate limits: a client over its limit is told when to retry, in the format of the API that it called.

use std::sync::Arc;

use http::{Request, StatusCode};
use http_body_util::Full;
use tersely_core::Plan;
use tersely_engine::{Engine, EngineSettings};
use tersely_gateway::{EngineRewriter, GatewaySettings};

use crate::scene::{Answer, Gateway, gateway, recorder, send, settings};

async fn limited(limit: impl FnOnce(&mut GatewaySettings)) -> Gateway {
    let (address, _) = recorder().await;
    let mut settings = settings(address);
    limit(&mut settings);
    let engine = Engine::new(EngineSettings { plan: Plan::default(), ..EngineSettings::default() });
    gateway(settings, Arc::new(EngineRewriter::new(engine))).await
}

async fn call(gateway: &Gateway, path: &str, key: Option<&str>) -> Answer {
    let request = Request::post(gateway.url(path));
    let request = key.into_iter().fold(request, |request, key| request.header("x-api-key", key));
    send(request.body(Full::from(r#"{"messages":[]}"#)).unwrap()).await
}

/// Behaviour 15.1, 15.2, 15.5.
#[tokio::test]
async fn a_client_that_sends_too_many_is_told_when_to_come_back() {
    let gateway = limited(|settings| settings.limits.client_rate = 1).await;
    assert_eq!(call(&gateway, "/v1/messages", Some("a")).await.status, StatusCode::OK);
    for (path, kind) in [
        ("/v1/messages", "/error/type"),
        ("/v1/chat/completions", "/error/type"),
        ("/v1beta/models/g:generateContent", "/error/status"),
        ("/expand", "/error/type"),
    ] {
        let answer = call(&gateway, path, Some("another")).await;
        assert_eq!(answer.status, StatusCode::TOO_MANY_REQUESTS, "{path}");
        assert_eq!(answer.header("retry-after"), "1");
        let body = answer.json();
        let kind = body.pointer(kind).and_then(|kind| kind.as_str()).unwrap();
        assert!(["rate_limit_error", "RESOURCE_EXHAUSTED"].contains(&kind), "{body}");
        assert!(body.to_string().contains("more than 1 requests in a second from this client"), "{body}");
    }
    let health = send(Request::get(gateway.url("/health")).body(Full::default()).unwrap()).await;
    assert_eq!(health.status, StatusCode::OK, "whoever asks whether we live is answered");
    tokio::time::sleep(std::time::Duration::from_millis(1_100)).await;
    assert_eq!(call(&gateway, "/v1/messages", Some("a")).await.status, StatusCode::OK);
}

/// Behaviour 15.5: a tenant is identified by its credential.
#[tokio::test]
async fn one_tenant_does_not_use_up_what_another_may() {
    let gateway = limited(|settings| settings.limits.tenant_rate = 2).await;
    let status = async |key| call(&gateway, "/v1/messages", key).await.status;
    let (ok, over) = (StatusCode::OK, StatusCode::TOO_MANY_REQUESTS);
    for (key, expected) in [
        (Some("a"), ok),
        (Some("a"), ok),
        (Some("a"), over),
        (Some("b"), ok),
        (None, ok),
        (None, ok),
        (None, ok),
        (Some("a"), over),
    ] {
        assert_eq!(status(key).await, expected, "{key:?}");
    }
}

/// Behaviour 15.5: without a limit nobody is slowed down.
#[tokio::test]
async fn without_a_setting_there_is_no_rate() {
    let gateway = limited(|_| {}).await;
    for _ in 0..300 {
        assert_eq!(call(&gateway, "/v1/messages", Some("a")).await.status, StatusCode::OK);
    }
}
