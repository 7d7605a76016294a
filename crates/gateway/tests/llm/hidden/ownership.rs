//! Owners of texts: nobody reads one without the credential that it was sent with, and a renewed login changes no byte.

use bytes::Bytes;
use http::Request;
use http_body_util::Full;
use serde_json::{Value, json};
use tersely_gateway::Keeper;
use tersely_store::Store;

use super::provider_state::{House, Model, answered, bash, memory, words};
use super::speech::{Say, Shape};
use super::{Stage, expand, live, log, shadow};
use crate::scene::{Answer, Gateway, gateway, send, settings, soon};

/// A model that first runs something, and then asks for the given id.
const ASKS: Model = |scene| {
    let told = scene.items.iter().rfind(|item| item["role"] == "user");
    let told = told.and_then(|item| item["content"].as_str()).unwrap_or_default().to_owned();
    match (told.strip_prefix("Ask "), scene.asked()) {
        (Some(id), 0) => vec![expand(id)],
        (_, 0) if scene.items.len() == 1 => vec![bash()],
        _ => vec![Say::Text("Done.")],
    }
};

/// A keeper that uses a tenant header.
fn named() -> Keeper {
    let store = Store::open(&tersely_store::StoreSettings::default()).unwrap();
    Keeper::new(store, Some("x-tenant".parse().unwrap()))
}

/// What the model of another sender gets for this id.
async fn read(house: &House, headers: &[(&'static str, &str)], id: &str) -> String {
    let mut client = house.caller(headers);
    assert_eq!(words(client.say(&format!("Ask {id}"), "").await), "Done.");
    answered(&house.latest())
}

/// Sends a request with these headers that leaves a text out; returns its id.
async fn leave(house: &House, headers: &[(&'static str, &str)]) -> String {
    let mut client = house.caller(headers);
    client.say("Run", "").await;
    client.say("", &log()).await;
    let id = shadow(&answered(&house.latest()));
    assert!(id.starts_with("shadow_"), "{id}");
    id
}

/// An account is only a name, and anyone can write it.
#[tokio::test]
async fn another_s_account_opens_nothing() {
    let house = House::new(Some(memory()), ASKS).await;
    let (token, account) = (("authorization", "Bearer a"), ("chatgpt-account-id", "acc"));
    let id = leave(&house, &[token, account]).await;
    for headers in [
        &[("authorization", "Bearer b"), account][..],
        &[account],
        &[token],
        &[("x-api-key", "a"), account],
        &[token, account, ("x-api-key", "b")],
        &[token, ("chatgpt-account-id", "other")],
        &[("authorization", "bearer a"), account],
    ] {
        let answer = read(&house, headers, &id).await;
        assert!(answer.starts_with("Nothing is kept under"), "{headers:?} {answer}");
    }
    assert_eq!(read(&house, &[token, account], &id).await, log());
}

/// The header tells apart senders who share a credential; it does not replace the credential.
#[tokio::test]
async fn a_tenant_header_does_not_stand_for_a_credential() {
    let house = House::new(Some(named()), ASKS).await;
    let (key, tenant) = (("x-api-key", "a"), ("x-tenant", "t"));
    let id = leave(&house, &[key, tenant]).await;
    for headers in [&[("x-api-key", "b"), tenant][..], &[tenant], &[key], &[key, ("x-tenant", "u")]] {
        let answer = read(&house, headers, &id).await;
        assert!(answer.starts_with("Nothing is kept under"), "{headers:?} {answer}");
    }
    assert_eq!(read(&house, &[key, tenant], &id).await, log());
}

#[tokio::test]
async fn a_request_that_says_twice_whose_it_is_goes_nowhere() {
    let house = House::new(Some(named()), ASKS).await;
    for name in ["x-tenant", "authorization", "x-api-key", "api-key", "x-goog-api-key", "chatgpt-account-id"]
    {
        let request = Request::post(house.gateway.url("/v1/responses"));
        let request =
            request.header(name, "a").header(name, "b").body(Full::from(r#"{"input":"hi"}"#)).unwrap();
        let answer = soon(send(request)).await;
        assert_eq!(answer.status, 400, "{name}");
        let message = answer.json()["error"]["message"].as_str().unwrap().to_owned();
        assert!(message.starts_with(&format!("tersely: {name}: ")) && message.contains("twice"), "{message}");
    }
    assert_eq!(house.kept.lock().unwrap().seen.len(), 0);
}

/// A conversation of this many turns with a tool, as a client that stores it sends it.
fn conversation(shape: Shape, streams: bool, turns: usize) -> String {
    let mut request = shape.request(streams, &log());
    let list =
        ["messages", "input", "contents"].into_iter().find(|name| request.get(*name).is_some()).unwrap();
    for turn in 1..turns {
        let more = shape.request(streams, &format!("turn {turn}\n{}", log().replace("worker", "helper")));
        let more = more.to_string().replace("call_0", &format!("call_{turn}"));
        let more: Value = serde_json::from_str(&more).unwrap();
        let more = more[list].as_array().unwrap()[1..].to_vec();
        request[list].as_array_mut().unwrap().extend(more);
    }
    request.to_string()
}

async fn ask(gateway: &Gateway, shape: Shape, streams: bool, headers: &[(&str, &str)], body: &str) -> Answer {
    let request = Request::post(gateway.url(shape.path(streams)));
    let request = headers.iter().fold(request, |request, (name, value)| request.header(*name, *value));
    soon(send(request.body(Full::from(body.to_owned())).unwrap())).await
}

/// A client that logs in: its provider, the prefix of its token, and its other headers.
type Login = (Shape, &'static str, &'static [(&'static str, &'static str)]);

fn logins() -> [Login; 2] {
    const CLAUDE: &[(&str, &str)] =
        &[("anthropic-version", "2023-06-01"), ("anthropic-beta", "oauth-2025-04-20,claude-code-20250219")];
    const CODEX: &[(&str, &str)] =
        &[("chatgpt-account-id", "acc"), ("openai-beta", "responses=experimental")];
    [(Shape::Anthropic, "sk-ant-oat01-", CLAUDE), (Shape::Responses, "eyJhbGciOiJSUzI1NiJ9.", CODEX)]
}

/// All bodies that the upstream sees of a conversation in which the login is renewed.
async fn forwarded(login: usize, streams: bool, renewed: usize) -> Vec<Bytes> {
    let (shape, token, more) = logins()[login];
    let stage = Stage::new(shape, streams, |round, id| match round % 2 {
        0 => vec![Say::Text("Let me see. "), expand(id)],
        _ => vec![Say::Text("Disk full.")],
    })
    .await;
    let gateway = gateway(settings(stage.address), live() as _).await;
    for turn in 1..=4 {
        let token = format!("Bearer {token}{}", if turn < renewed { "old" } else { "new" });
        let headers = [&[("authorization", token.as_str())], more].concat();
        let answer = ask(&gateway, shape, streams, &headers, &conversation(shape, streams, turn)).await;
        assert_eq!(stage.got(&answer).0, "Let me see. Disk full.", "{shape:?} {turn}");
        let seen = stage.seen.lock().unwrap();
        assert_eq!(seen.len(), 2 * turn, "the model asked and was answered");
        for round in &seen[2 * turn - 2..] {
            for (name, value) in &headers {
                assert_eq!(round.headers[*name], *value);
            }
        }
    }
    stage.seen.lock().unwrap().iter().map(|seen| seen.body.clone()).collect()
}

#[tokio::test]
async fn a_login_that_is_renewed_in_mid_conversation_changes_no_byte() {
    for login in 0..logins().len() {
        for streams in [false, true] {
            let steady = forwarded(login, streams, 9).await;
            assert_eq!(forwarded(login, streams, 3).await, steady, "{login} {streams}");
        }
    }
}

/// The memo belongs to one client: otherwise a response would reveal that someone else sent the same before.
#[tokio::test]
async fn nobody_learns_that_another_sent_the_same() {
    let stage = Stage::new(Shape::Anthropic, false, |_, _| vec![Say::Text("Yes.")]).await;
    let gateway = gateway(settings(stage.address), live() as _).await;
    let reused = async |headers: &[(&str, &str)], turns: usize| {
        let body = conversation(Shape::Anthropic, false, turns);
        ask(&gateway, Shape::Anthropic, false, headers, &body).await.header("x-tersely-memo").to_owned()
    };
    let (token, account) = (("authorization", "Bearer a"), ("chatgpt-account-id", "acc"));
    reused(&[token, account], 1).await;
    for other in [&[("authorization", "Bearer b"), account][..], &[account], &[], &[token]] {
        assert_eq!(reused(other, 2).await, "", "{other:?}");
    }
    assert_eq!(reused(&[token, account], 2).await, "reused=1, changed=0");
}

/// Google's key may be in the query.
#[tokio::test]
async fn a_key_in_the_address_is_a_credential_too() {
    let stage = Stage::new(Shape::Gemini, false, |_, _| vec![Say::Text("Yes.")]).await;
    let gateway = gateway(settings(stage.address), live() as _).await;
    let mut memos = Vec::new();
    for key in ["a", "b", "b"] {
        let url = gateway.url(&format!("{}?key={key}", Shape::Gemini.path(false)));
        let body = conversation(Shape::Gemini, false, 2);
        let answer = soon(send(Request::post(url).body(Full::from(body)).unwrap())).await;
        memos.push(json!(answer.header("x-tersely-memo")));
    }
    assert_eq!(memos, ["", "", "reused=2, changed=0"]);
}
