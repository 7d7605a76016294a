//! Upstreams with TLS: private authorities, HTTP/2 and HTTP/1.1, and a proxy in between.

use std::convert::Infallible;
use std::net::SocketAddr;
use std::path::PathBuf;
use std::sync::{Arc, Mutex};

use bytes::Bytes;
use http::{Request, Response, Version};
use http_body_util::{BodyExt, Full};
use hyper::body::Incoming;
use hyper::server::conn::{http1, http2};
use hyper::service::service_fn;
use hyper_util::rt::{TokioExecutor, TokioIo};
use rcgen::{BasicConstraints, CertificateParams, IsCa, Issuer, KeyPair};
use rustls::ServerConfig;
use rustls::pki_types::PrivateKeyDer;
use tersely_gateway::{GatewaySettings, ProxyRoute};
use tokio::io::{AsyncBufReadExt, AsyncWriteExt, BufReader, copy_bidirectional};
use tokio::net::{TcpListener, TcpStream};
use tokio::sync::Barrier;
use tokio::task::JoinSet;
use tokio_rustls::TlsAcceptor;

use crate::scene::{gateway, keep, post, replace, settings_for, soon};

/// Requests to `/together` are answered once this many have arrived.
const TOGETHER: usize = 130;

/// A server with a certificate of a private authority, and the authority's file.
struct Secure {
    port: u16,
    authority: PathBuf,
}

impl Secure {
    fn settings(&self) -> GatewaySettings {
        let settings = settings_for(&format!("https://localhost:{}", self.port));
        GatewaySettings { authorities: vec![self.authority.clone()], ..settings }
    }
}

/// Starts a server with these ALPN protocols, the preferred first.
async fn secure(name: &str, protocols: &[&str]) -> Secure {
    let (config, authority) = identity(name, protocols);
    let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
    let port = listener.local_addr().unwrap().port();
    let together = Arc::new(Barrier::new(TOGETHER));
    let acceptor = TlsAcceptor::from(Arc::new(config));
    tokio::spawn(async move {
        while let Ok((stream, _)) = listener.accept().await {
            tokio::spawn(speak(acceptor.clone(), Arc::clone(&together), stream));
        }
    });
    Secure { port, authority }
}

fn identity(name: &str, protocols: &[&str]) -> (ServerConfig, PathBuf) {
    let key = KeyPair::generate().unwrap();
    let root = authority().self_signed(&key).unwrap();
    let path = PathBuf::from(env!("CARGO_TARGET_TMPDIR")).join(format!("{name}.pem"));
    std::fs::write(&path, root.pem()).unwrap();
    let own = KeyPair::generate().unwrap();
    let params = CertificateParams::new(["localhost".to_owned()]).unwrap();
    let leaf = params.signed_by(&own, &Issuer::from_params(&authority(), &key)).unwrap();
    let provider = Arc::new(rustls::crypto::ring::default_provider());
    let builder =
        ServerConfig::builder_with_provider(provider).with_safe_default_protocol_versions().unwrap();
    let secret = PrivateKeyDer::try_from(own.serialize_der()).unwrap();
    let mut config =
        builder.with_no_client_auth().with_single_cert(vec![leaf.der().clone()], secret).unwrap();
    config.alpn_protocols = protocols.iter().map(|name| name.as_bytes().to_vec()).collect();
    (config, path)
}

fn authority() -> CertificateParams {
    let mut params = CertificateParams::new([]).unwrap();
    params.is_ca = IsCa::Ca(BasicConstraints::Unconstrained);
    params
}

async fn speak(acceptor: TlsAcceptor, together: Arc<Barrier>, stream: TcpStream) {
    let Ok(stream) = acceptor.accept(stream).await else { return };
    let two = stream.get_ref().1.alpn_protocol() == Some(b"h2");
    let service = service_fn(move |request| {
        let together = Arc::clone(&together);
        async move { Ok::<_, Infallible>(report(&together, request).await) }
    });
    // A client that disconnects is not an error of the server.
    let _ = if two {
        let mut protocol = http2::Builder::new(TokioExecutor::new());
        protocol.max_concurrent_streams(100).serve_connection(TokioIo::new(stream), service).await
    } else {
        http1::Builder::new().serve_connection(TokioIo::new(stream), service).await
    };
}

/// Answers with the protocol, the host and the body.
async fn report(together: &Barrier, request: Request<Incoming>) -> Response<Full<Bytes>> {
    let (parts, body) = request.into_parts();
    let body = body.collect().await.unwrap().to_bytes();
    if parts.uri.path() == "/together" {
        together.wait().await;
    }
    let version = if parts.version == Version::HTTP_2 { 2 } else { 1 };
    let host = parts.headers.get("host").map(|host| host.to_str().unwrap().to_owned());
    let host = host.or_else(|| parts.uri.authority().map(ToString::to_string)).unwrap();
    let length = parts.headers["content-length"].to_str().unwrap();
    let text = format!("{version} {host} {length} {}", String::from_utf8_lossy(&body));
    Response::new(Full::from(text))
}

#[tokio::test]
async fn an_upstream_of_a_private_authority_is_trusted_when_its_file_is_given() {
    for (protocols, version) in [(&["h2", "http/1.1"][..], 2), (&["http/1.1"], 1), (&[], 1)] {
        let server = secure(&format!("private-{}", protocols.len()), protocols).await;
        let gateway = gateway(server.settings(), replace("new body")).await;
        let answer = post(&gateway.url("/v1/messages"), "{}").await;
        assert_eq!(answer.body, format!("{version} localhost:{} 8 new body", server.port));
    }
}

#[tokio::test]
async fn an_upstream_of_a_private_authority_is_not_trusted_otherwise() {
    let server = secure("unknown", &["http/1.1"]).await;
    let gateway = gateway(GatewaySettings { authorities: Vec::new(), ..server.settings() }, keep()).await;
    let answer = post(&gateway.url("/v1/messages"), "{}").await;
    assert_eq!(answer.status, 502);
    assert!(answer.json()["error"]["message"].as_str().unwrap().contains("certificate"), "{answer:?}");
}

/// More streams than one HTTP/2 connection allows do not wait for one another: here none ends before all have started.
#[tokio::test]
async fn streams_beyond_what_a_connection_takes_get_one_of_their_own() {
    let server = secure("many", &["h2", "http/1.1"]).await;
    let gateway = Arc::new(gateway(server.settings(), keep()).await);
    let mut asks = JoinSet::new();
    for _ in 0..TOGETHER {
        let gateway = Arc::clone(&gateway);
        asks.spawn(async move { post(&gateway.url("/together"), "{}").await });
    }
    let mut versions = [0, 0];
    while let Some(answer) = soon(asks.join_next()).await {
        versions[usize::from(answer.unwrap().body[0] == b'2')] += 1;
    }
    assert_eq!(versions, [TOGETHER - 90, 90]);
}

/// A proxy that opens tunnels, and the requests that it got.
async fn tunnels() -> (SocketAddr, Arc<Mutex<Vec<String>>>) {
    let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
    let address = listener.local_addr().unwrap();
    let log = Arc::new(Mutex::new(Vec::new()));
    let kept = Arc::clone(&log);
    tokio::spawn(async move {
        while let Ok((stream, _)) = listener.accept().await {
            tokio::spawn(tunnel(stream, Arc::clone(&log)));
        }
    });
    (address, kept)
}

async fn tunnel(stream: TcpStream, log: Arc<Mutex<Vec<String>>>) {
    let mut stream = BufReader::new(stream);
    let mut head = String::new();
    while !head.ends_with("\r\n\r\n") {
        stream.read_line(&mut head).await.unwrap();
    }
    let target = head.split(' ').nth(1).unwrap().to_owned();
    log.lock().unwrap().push(head);
    let mut upstream = TcpStream::connect(target).await.unwrap();
    stream.write_all(b"HTTP/1.1 200 OK\r\n\r\n").await.unwrap();
    let _ = copy_bidirectional(&mut stream, &mut upstream).await;
}

#[tokio::test]
async fn a_proxy_is_asked_for_a_tunnel() {
    let server = secure("proxied", &["h2"]).await;
    let (proxy, log) = tunnels().await;
    let proxy = ProxyRoute { url: format!("http://name:word@{proxy}"), except: "other.example".to_owned() };
    let gateway = gateway(GatewaySettings { proxy, ..server.settings() }, keep()).await;
    assert_eq!(post(&gateway.url("/v1/messages"), "{}").await.status, 200);
    let asked = log.lock().unwrap().pop().unwrap();
    assert!(asked.starts_with(&format!("CONNECT localhost:{} HTTP/1.1\r\n", server.port)), "{asked}");
    assert!(asked.to_ascii_lowercase().contains("proxy-authorization: basic bmftztp3b3jk"), "{asked}");
}

#[tokio::test]
async fn a_proxy_is_not_asked_for_hosts_that_are_excepted() {
    let server = secure("excepted", &["http/1.1"]).await;
    let (proxy, log) = tunnels().await;
    let proxy = ProxyRoute { url: proxy.to_string(), except: "localhost,10.0.0.0/8".to_owned() };
    let gateway = gateway(GatewaySettings { proxy, ..server.settings() }, keep()).await;
    assert_eq!(post(&gateway.url("/v1/messages"), "{}").await.status, 200);
    assert_eq!(log.lock().unwrap().len(), 0);
}

#[tokio::test]
async fn a_proxy_that_is_not_there_is_a_502() {
    let server = secure("no-proxy", &["http/1.1"]).await;
    let proxy = ProxyRoute { url: "http://127.0.0.1:1".to_owned(), except: String::new() };
    let gateway = gateway(GatewaySettings { proxy, ..server.settings() }, keep()).await;
    assert_eq!(post(&gateway.url("/v1/messages"), "{}").await.status, 502);
}
