//! Who may call: on loopback only requests to a name of this machine, and nowhere a foreign web page.

use std::sync::{Arc, Mutex};

use tersely_gateway::{GatewaySettings, Origins};
use tokio::net::TcpListener;

use crate::scene::{Gateway, Raw, SeenRequest, gateway, gateway_on, keep, recorder, settings};

/// A gateway on loopback, and what its upstream sees.
async fn local(change: fn(&mut GatewaySettings)) -> (Gateway, Arc<Mutex<Vec<SeenRequest>>>) {
    let (address, log) = recorder().await;
    let mut settings = settings(address);
    change(&mut settings);
    (gateway(settings, keep()).await, log)
}

/// The response to a hand-written request.
async fn ask(gateway: &Gateway, request: &str) -> String {
    let mut raw = Raw::open(gateway.address).await;
    raw.write(request.replace('\n', "\r\n")).await;
    raw.end().await
}

async fn refused(gateway: &Gateway, request: &str, why: &str) {
    let answer = ask(gateway, request).await;
    assert!(answer.starts_with("HTTP/1.1 403") && answer.contains(why), "{request} {answer}");
}

async fn taken(gateway: &Gateway, request: &str) {
    let answer = ask(gateway, request).await;
    assert!(answer.starts_with("HTTP/1") && answer[8..].starts_with(" 20"), "{request} {answer}");
}

/// Requests of all kinds with these headers.
fn kinds(headers: &str) -> Vec<String> {
    let post = |kind: &str| {
        format!("POST /v1/messages HTTP/1.1\n{headers}content-type: {kind}\ncontent-length: 2\n")
    };
    let socket = "connection: Upgrade\nupgrade: websocket\nsec-websocket-version: 13\nsec-websocket-key: dGhlIHNhbXBsZSBub25jZQ==\n\n";
    vec![
        format!("{}connection: close\n\n{{}}", post("application/json")),
        format!("{}connection: close\n\n{{}}", post("text/plain")),
        format!("GET /v1/models HTTP/1.1\n{headers}connection: close\n\n"),
        format!("GET /healthz HTTP/1.1\n{headers}connection: close\n\n"),
        format!("GET /readyz HTTP/1.1\n{headers}connection: close\n\n"),
        format!("OPTIONS /v1/models HTTP/1.1\n{headers}connection: close\n\n"),
        format!("GET /v1/realtime HTTP/1.1\n{headers}{socket}").replace("Upgrade\n", "close, Upgrade\n"),
    ]
}

/// DNS rebinding: a page whose name was made to point at this machine is recognized by that name.
#[tokio::test]
async fn a_host_from_elsewhere_is_refused_on_loopback() {
    let (gateway, log) = local(|_| {}).await;
    for host in [
        "evil.example",
        "evil.example:8787",
        "localhost.evil.example",
        "127.0.0.1@evil.example",
        "",
        "x, localhost",
    ] {
        for request in kinds(&format!("host: {host}\n")) {
            refused(&gateway, &request, "`hosts`").await;
        }
    }
    refused(
        &gateway,
        "GET http://evil.example/v1/models HTTP/1.1\nhost: localhost\nconnection: close\n\n",
        "Host",
    )
    .await;
    refused(
        &gateway,
        "GET http://localhost/v1/models HTTP/1.1\nhost: evil.example\nconnection: close\n\n",
        "Host",
    )
    .await;
    refused(&gateway, "GET /x HTTP/1.1\nhost: localhost\nhost: evil.example\nconnection: close\n\n", "Host")
        .await;
    assert_eq!(log.lock().unwrap().len(), 0);
}

#[tokio::test]
async fn this_machine_may_be_called_by_any_of_its_own_names() {
    let (gateway, log) = local(|settings| settings.hosts = vec!["host.docker.internal".to_owned()]).await;
    let hosts =
        ["localhost", "LOCALHOST:1", "127.0.0.1:8787", "127.8.8.8", "[::1]:9", "Host.Docker.Internal:8787"];
    for host in hosts {
        taken(&gateway, &format!("GET /v1/models HTTP/1.1\nhost: {host}\nconnection: close\n\n")).await;
        taken(
            &gateway,
            &format!("GET http://{host}/v1/models HTTP/1.1\nhost: {host}\nconnection: close\n\n"),
        )
        .await;
    }
    taken(&gateway, "GET /v1/models HTTP/1.0\n\n").await;
    assert_eq!(log.lock().unwrap().len(), 2 * hosts.len() + 1);
}

/// Other machines may use any name for an open listener, so it is not checked.
#[tokio::test]
async fn an_open_listener_asks_for_the_origin_alone() {
    let (address, log) = recorder().await;
    let listener = TcpListener::bind("0.0.0.0:0").await.unwrap();
    let gateway = gateway_on(listener, settings(address), keep());
    taken(&gateway, "GET /v1/models HTTP/1.1\nhost: models.example\nconnection: close\n\n").await;
    refused(
        &gateway,
        "GET /v1/models HTTP/1.1\nhost: models.example\norigin: http://models.example\nconnection: close\n\n",
        "`origins`",
    )
    .await;
    assert_eq!(log.lock().unwrap().len(), 1);
}

/// Browsers send a POST of plain text, a websocket and an image request without a preflight: they must be refused on
/// arrival.
#[tokio::test]
async fn a_page_from_elsewhere_is_refused() {
    let (gateway, log) = local(|_| {}).await;
    for said in [
        "origin: https://evil.example\n",
        "origin: null\n",
        "origin: http://localhost.evil.example\n",
        "origin: http://localhost\norigin: https://evil.example\n",
        "origin: \n",
        "sec-fetch-site: cross-site\n",
    ] {
        for request in kinds(&format!("host: localhost\n{said}")) {
            refused(&gateway, &request, "`origins`").await;
        }
    }
    assert_eq!(log.lock().unwrap().len(), 0);
}

#[tokio::test]
async fn pages_that_may_call_and_programs_are_let_in() {
    let (loopback, _) = local(|_| {}).await;
    let (any, _) = local(|settings| settings.origins = Origins::Any).await;
    let (listed, _) =
        local(|settings| settings.origins = Origins::Listed(vec!["https://chat.example".to_owned()])).await;
    let cases = [
        (&loopback, ""),
        (&loopback, "origin: http://localhost:3000\nsec-fetch-site: same-site\n"),
        (&loopback, "origin: http://[::1]:3000\n"),
        (&loopback, "sec-fetch-site: none\n"),
        (&loopback, "sec-fetch-site: same-site\n"),
        (&any, "origin: https://evil.example\nsec-fetch-site: cross-site\n"),
        (&any, "origin: null\n"),
        (&any, "sec-fetch-site: cross-site\n"),
        (&listed, "origin: https://chat.example\nsec-fetch-site: cross-site\n"),
    ];
    for (gateway, said) in cases {
        for request in &kinds(&format!("host: localhost\n{said}"))[..6] {
            taken(gateway, request).await;
        }
    }
    refused(
        &listed,
        "GET /x HTTP/1.1\nhost: localhost\norigin: http://localhost\nconnection: close\n\n",
        "`origins`",
    )
    .await;
}

/// A refused page cannot read the refusal, and a preflight is answered.
#[tokio::test]
async fn a_refusal_opens_nothing_and_a_preflight_is_answered() {
    let (gateway, _) = local(|_| {}).await;
    let answer = ask(
        &gateway,
        "GET /x HTTP/1.1\nhost: localhost\norigin: https://evil.example\nconnection: close\n\n",
    )
    .await;
    assert!(!answer.contains("access-control"), "{answer}");
    let asked = "OPTIONS /v1/messages HTTP/1.1\nhost: localhost\norigin: https://evil.example\naccess-control-request-method: POST\nconnection: close\n\n";
    let answer = ask(&gateway, asked).await;
    assert!(answer.starts_with("HTTP/1.1 204") && !answer.contains("access-control"), "{answer}");
}
