//! `POST /expand`: returns omitted text over HTTP to the client that sent it and nobody else.

use std::sync::Arc;

use http::{Request, StatusCode};
use http_body_util::Full;
use serde_json::json;
use tersely_gateway::EngineRewriter;
use tokio::net::TcpListener;

use super::provider_state::{House, answered, bash, memory, words};
use super::speech::Say;
use super::{engine, log, shadow};
use crate::scene::{Answer, Gateway, gateway, gateway_on, send, settings, soon};

async fn ask(gateway: &Gateway, key: Option<&str>, body: String) -> Answer {
    let request = Request::post(gateway.url("/expand"));
    let request = key.into_iter().fold(request, |request, key| request.header("authorization", key));
    soon(send(request.body(Full::from(body)).unwrap())).await
}

fn question(id: &str) -> String {
    json!({"id": id}).to_string()
}

/// Behaviour 6.13, 14.4.
#[tokio::test]
async fn what_was_kept_is_handed_to_its_tenant_alone() {
    let house = House::new(Some(memory()), |scene| match scene.items.len() {
        1 => vec![bash()],
        _ => vec![Say::Text("Done.")],
    })
    .await;
    let mut client = house.caller(&[("authorization", "Bearer one")]);
    client.say("Run", "").await;
    words(client.say("", &log()).await);
    let id = shadow(&answered(&house.latest()));
    let found = ask(&house.gateway, Some("Bearer one"), question(&id)).await;
    assert_eq!((found.status, found.json()), (StatusCode::OK, json!({"id": id, "content": log()})));
    assert_eq!(found.header("cache-control"), "no-store");
    let other = format!("{}{}", &id[..id.len() - 1], if id.ends_with('0') { '1' } else { '0' });
    for (key, id) in [
        (Some("Bearer two"), id.as_str()),
        (None, &id),
        (Some("Bearer one"), &other),
        (Some("Bearer one"), "shadow_*"),
        (Some("Bearer one"), ""),
    ] {
        let answer = ask(&house.gateway, key, question(id)).await;
        let told = String::from_utf8_lossy(&answer.body);
        assert_eq!(answer.status, StatusCode::NOT_FOUND, "{told}");
        assert!(told.contains("no text is stored") && !told.contains("disk full"), "{told}");
    }
}

/// Behaviour 6.13: limits, and invalid requests.
#[tokio::test]
async fn questions_are_short() {
    let house = House::new(Some(memory()), |_| vec![Say::Text("Done.")]).await;
    let bad = StatusCode::BAD_REQUEST;
    for (body, status) in [
        (question(&"x".repeat(64)), StatusCode::NOT_FOUND),
        (question(&"é".repeat(64)), StatusCode::NOT_FOUND),
        (question(&"x".repeat(65)), bad),
        (format!("{}{}", question("x"), " ".repeat(1024)), StatusCode::PAYLOAD_TOO_LARGE),
        (String::new(), bad),
        ("{".to_owned(), bad),
        (r#"{"id":7}"#.to_owned(), bad),
        (r#"["id"]"#.to_owned(), bad),
    ] {
        assert_eq!(ask(&house.gateway, Some("Bearer one"), body.clone()).await.status, status, "{body}");
    }
    let twice = Request::post(house.gateway.url("/expand")).header("x-api-key", "a").header("x-api-key", "b");
    assert_eq!(send(twice.body(Full::from(question("x"))).unwrap()).await.status, bad);
    assert!(house.kept.lock().unwrap().seen.is_empty(), "no question goes on");
}

/// Behaviour 6.13: without a store the error says so, and on an open listener nobody asks without a credential.
#[tokio::test]
async fn without_a_store_or_a_credential_there_is_nothing() {
    let nowhere =
        gateway(settings("127.0.0.1:1".parse().unwrap()), Arc::new(EngineRewriter::new(engine()))).await;
    let answer = ask(&nowhere, Some("Bearer one"), question("shadow_1")).await;
    assert_eq!(answer.status, StatusCode::NOT_FOUND);
    assert!(answer.json()["error"]["message"].as_str().unwrap().contains("no text is stored here"));
    let listener = TcpListener::bind("0.0.0.0:0").await.unwrap();
    let live = EngineRewriter::new(engine()).keeping(memory());
    let mut open = gateway_on(listener, settings("127.0.0.1:1".parse().unwrap()), Arc::new(live));
    open.address.set_ip([127, 0, 0, 1].into());
    assert_eq!(ask(&open, None, question("shadow_1")).await.status, StatusCode::UNAUTHORIZED);
    assert_eq!(ask(&open, Some("Bearer one"), question("shadow_1")).await.status, StatusCode::NOT_FOUND);
}
