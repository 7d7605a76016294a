//! Every guard at every listener: one table, so that a listener that forgets a guard fails here.

use std::net::SocketAddr;
use std::time::{Duration, Instant};

use bytes::Bytes;
use http::Request;
use http_body_util::{BodyExt, Full};
use hyper_util::rt::{TokioExecutor, TokioIo};
use tersely_engine::{Engine, EngineSettings};
use tersely_gateway::{
    GatewaySettings, KeyHash, KnownTenant, ListeningServer, McpServer, McpServers, McpWork, Originals,
    TenantList, TenantSettings, serve, serve_api, serve_mcp, serve_processor,
};
use tersely_store::StoreSettings;
use tersely_wire::mcp::StructuredCopies;
use tokio::net::{TcpListener, TcpStream};
use tokio::time::sleep;

use crate::scene::{Raw, keep, recorder, settings, soon};

#[derive(Clone, Copy, Debug, PartialEq)]
enum Listener {
    Llm,
    Api,
    Mcp,
    Admin,
    Extproc,
}

use Listener::{Admin, Api, Extproc, Llm, Mcp};

const LISTENERS: [Listener; 5] = [Llm, Api, Mcp, Admin, Extproc];

const HEALTH: &str = "/grpc.health.v1.Health/Check";

impl Listener {
    /// A path that it answers to.
    fn path(self) -> &'static str {
        match self {
            Llm | Api => "/v1/models",
            Mcp => "/mcp/tools",
            Admin => "/metrics",
            Extproc => "/",
        }
    }

    /// What it answers there to a `GET` that passes every guard.
    fn status(self) -> u16 {
        match self {
            Llm | Api | Mcp | Admin => 200,
            Extproc => 404,
        }
    }

    /// Starts it in front of an upstream that answers everything.
    async fn open(self, change: impl FnOnce(&mut GatewaySettings)) -> SocketAddr {
        let upstream = recorder().await.0;
        let mut settings = settings(upstream);
        change(&mut settings);
        let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
        let address = listener.local_addr().unwrap();
        let never = std::future::pending::<Duration>();
        match self {
            Llm => drop(tokio::spawn(serve(settings, keep(), listener, never))),
            Api => drop(tokio::spawn(serve_api(settings, listener, never))),
            Mcp => {
                let engine = Engine::new(EngineSettings::default());
                let keeper = Originals::open(&StoreSettings::default()).unwrap();
                let work = McpWork { engine, copies: StructuredCopies::Drop, keeper };
                let upstream = format!("http://{upstream}").parse().unwrap();
                let server = ListeningServer { upstream, query: None, headers: http::HeaderMap::new() };
                let servers = McpServers::from([("tools".to_owned(), McpServer::Remote(server))]);
                drop(tokio::spawn(serve_mcp(settings, work, servers, listener, never)));
            }
            Admin => {
                drop(listener);
                settings.admin.listen = Some(address);
                let models = TcpListener::bind("127.0.0.1:0").await.unwrap();
                drop(tokio::spawn(serve(settings, keep(), models, never)));
            }
            Extproc => drop(tokio::spawn(serve_processor(settings, keep(), listener, never))),
        }
        let since = Instant::now();
        while TcpStream::connect(address).await.is_err() {
            assert!(since.elapsed() < Duration::from_mins(1), "{self:?} does not listen");
            sleep(Duration::from_millis(10)).await;
        }
        address
    }
}

/// The whole answer to a request with these lines in its head.
async fn ask(address: SocketAddr, request: &str, headers: &str) -> String {
    let mut raw = Raw::open(address).await;
    raw.write(format!("{request} HTTP/1.1\n{headers}connection: close\n\n").replace('\n', "\r\n")).await;
    soon(raw.end()).await
}

fn status(answer: &str) -> u16 {
    answer.get(9..12).and_then(|status| status.parse().ok()).unwrap_or_default()
}

/// Checks the status that each listener gives to `GET` on its path.
async fn check(change: fn(&mut GatewaySettings), headers: &str, expected: fn(Listener) -> u16) {
    for listener in LISTENERS {
        let address = listener.open(change).await;
        let answer = ask(address, &format!("GET {}", listener.path()), headers).await;
        assert_eq!(status(&answer), expected(listener), "{listener:?}, {headers}: {answer}");
    }
}

const LOCAL: &str = "host: localhost\n";

#[tokio::test]
async fn a_request_that_passes_every_guard_is_answered() {
    check(|_| {}, LOCAL, Listener::status).await;
}

#[tokio::test]
async fn a_foreign_host_or_page_is_refused_at_every_listener() {
    for headers in [
        "host: evil.example\n",
        "host: localhost\norigin: https://evil.example\n",
        "host: localhost\nsec-fetch-site: cross-site\n",
    ] {
        check(|_| {}, headers, |_| 403).await;
    }
}

/// A page can ask for these without leave from anybody.
#[tokio::test]
async fn probes_are_no_way_around_the_host() {
    for listener in LISTENERS {
        let address = listener.open(|_| {}).await;
        let answer = ask(address, "GET /readyz", "host: evil.example\n").await;
        assert_eq!(status(&answer), 403, "{listener:?}: {answer}");
    }
}

/// Behaviour 23.3.
#[tokio::test]
async fn a_key_is_asked_for_where_tenants_call() {
    let tenants = |settings: &mut GatewaySettings| {
        let (tenant, keys) = (KnownTenant::new("a"), vec![KeyHash::of(b"a").into()]);
        settings.tenants = TenantList::new(vec![TenantSettings { tenant, keys, certificates: Vec::new() }]);
    };
    check(tenants, LOCAL, |listener| match listener {
        Llm | Api | Mcp => 401,
        Admin | Extproc => listener.status(),
    })
    .await;
    check(tenants, "host: localhost\nx-tersely-key: a\n", Listener::status).await;
}

/// Behaviour 15.5.
#[tokio::test]
async fn a_rate_holds_where_clients_call() {
    for listener in LISTENERS {
        let address = listener.open(|settings| settings.limits.client_rate = 1).await;
        let request = format!("GET {}", listener.path());
        let first = ask(address, &request, LOCAL).await;
        assert_eq!(status(&first), listener.status(), "{listener:?}: {first}");
        let second = ask(address, &request, LOCAL).await;
        let is_metered = matches!(listener, Llm | Api | Mcp);
        let expected = if is_metered { 429 } else { listener.status() };
        assert_eq!(status(&second), expected, "{listener:?}: {second}");
        assert_eq!(second.contains("retry-after: 1"), is_metered, "{listener:?}: {second}");
    }
}

/// Behaviour 15.2.
#[tokio::test]
async fn a_gateway_that_is_full_says_so_and_still_answers_probes() {
    let full: fn(&mut GatewaySettings) = |settings| settings.limits.requests = 0;
    check(full, LOCAL, |listener| match listener {
        Llm | Api | Mcp => 503,
        Admin | Extproc => listener.status(),
    })
    .await;
    for listener in [Llm, Mcp, Admin, Extproc] {
        let answer = ask(listener.open(full).await, "GET /readyz", LOCAL).await;
        assert!(status(&answer) == 200 && answer.contains("server: tersely"), "{listener:?}: {answer}");
    }
}

/// The paths of an API are the API's: its own health is asked for there.
#[tokio::test]
async fn an_api_answers_for_its_own_health() {
    let answer = ask(Api.open(|_| {}).await, "GET /healthz", LOCAL).await;
    assert!(status(&answer) == 200 && !answer.contains("server: tersely"), "{answer}");
}

/// A client that is still sending reads why it was refused.
#[tokio::test]
async fn a_refused_body_is_read_so_that_the_answer_arrives() {
    let body = vec![b'x'; 8 << 20];
    for listener in LISTENERS {
        let address = listener.open(|_| {}).await;
        let mut raw = Raw::open(address).await;
        let head = format!("POST {} HTTP/1.1\r\nhost: evil.example\r\n", listener.path());
        raw.write(format!("{head}content-length: {}\r\nconnection: close\r\n\r\n", body.len())).await;
        for piece in body.chunks(64 << 10) {
            assert!(soon(raw.try_write(piece)).await, "{listener:?}: closed while the body was on its way");
        }
        let answer = soon(raw.end()).await;
        assert_eq!(status(&answer), 403, "{listener:?}: {answer}");
    }
}

/// The status of a call over HTTP/2 to a server that the client knows by this name.
async fn call_two(address: SocketAddr, uri: &str) -> u16 {
    let io = TokioIo::new(TcpStream::connect(address).await.unwrap());
    let (mut sender, connection) =
        hyper::client::conn::http2::handshake(TokioExecutor::new(), io).await.unwrap();
    tokio::spawn(connection);
    let request = Request::post(uri).header("te", "trailers").body(Full::new(Bytes::from_static(&[0; 5])));
    let response = soon(sender.send_request(request.unwrap())).await.unwrap();
    let status = response.status().as_u16();
    let _ = response.into_body().collect().await;
    status
}

/// Envoy calls a processor by the name of a cluster in its own settings.
#[tokio::test]
async fn only_envoy_may_call_by_any_name() {
    for listener in LISTENERS {
        let address = listener.open(|_| {}).await;
        let path = if listener == Extproc { HEALTH } else { listener.path() };
        let found = call_two(address, &format!("http://tersely_cluster{path}")).await;
        assert_eq!(found, if listener == Extproc { 200 } else { 403 }, "{listener:?}");
    }
}
