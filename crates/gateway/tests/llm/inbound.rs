//! TLS clients: the negotiated versions, accepted certificates, and renewed ones.

use std::fs;
use std::sync::Arc;
use std::time::{Duration, Instant};

use bytes::Bytes;
use http::Request;
use http_body_util::{BodyExt, Full};
use hyper_util::rt::{TokioExecutor, TokioIo};
use tersely_gateway::{GatewaySettings, InboundTls, KnownTenant, TenantList, TenantSettings, TlsFiles};
use tersely_telemetry::{NumbersForm, Telemetry};
use tersely_testing::pace::at_most;
use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::net::TcpStream;
use tokio::time::sleep;

use crate::scene::{
    Authority, Gateway, Identity, Raw, Visitor, gateway, keep, recorder, settings, soon, streamer,
};

const HEALTH: &str = "GET /healthz HTTP/1.1";

/// A gateway with a certificate of this authority, and its settings.
async fn secure(authority: &Authority, asks: bool) -> (Gateway, GatewaySettings) {
    authority.renew();
    let (address, _) = recorder().await;
    let tls = Some(InboundTls::open(authority.files(asks)).unwrap());
    let settings = GatewaySettings { tls, ..settings(address) };
    (gateway(settings.clone(), keep()).await, settings)
}

/// Behaviour 23.1.
#[tokio::test]
async fn both_versions_of_tls_and_of_http_are_spoken() {
    let authority = Authority::new("versions");
    let (gateway, _) = secure(&authority, false).await;
    for visitor in [Visitor::of(&authority), Visitor::of(&authority).older()] {
        for (protocols, agreed) in [
            (&[][..], None),
            (&["http/1.1"], Some("http/1.1")),
            (&["h2"], Some("h2")),
            (&["http/1.1", "h2"], Some("h2")),
        ] {
            let visitor = Visitor { protocols, version: visitor.version, ..Visitor::of(&authority) };
            let stream = visitor.connect(gateway.address).await.unwrap();
            let found = stream.get_ref().1.alpn_protocol().map(<[u8]>::to_vec);
            assert_eq!(found.as_deref(), agreed.map(str::as_bytes));
            if agreed == Some("h2") {
                let io = TokioIo::new(stream);
                let (mut sender, connection) =
                    hyper::client::conn::http2::handshake(TokioExecutor::new(), io).await.unwrap();
                tokio::spawn(connection);
                let request =
                    Request::get("https://localhost/healthz").body(Full::<Bytes>::default()).unwrap();
                assert_eq!(soon(sender.send_request(request)).await.unwrap().status(), 200);
            } else {
                let answer = soon(visitor.ask(gateway.address, HEALTH)).await.unwrap();
                assert!(answer.starts_with("HTTP/1.1 200 OK"), "{answer}");
            }
        }
        let odd = Visitor { protocols: &["spdy/3"], ..visitor };
        assert!(odd.connect(gateway.address).await.is_err(), "nothing is agreed on");
    }
}

/// Behaviour 23.1: a client without TLS is told so; versions before TLS 1.2 are refused.
#[tokio::test]
async fn who_speaks_no_tls_hears_why() {
    let authority = Authority::new("plain");
    let (gateway, _) = secure(&authority, false).await;
    let mut plain = Raw::open(gateway.address).await;
    plain.write("POST /v1/messages HTTP/1.1\r\nhost: x\r\ncontent-length: 2\r\n\r\n{}").await;
    let answer = plain.end().await;
    assert!(
        answer.starts_with("HTTP/1.1 400 ") && answer.contains("begin the URL with https://"),
        "{answer}"
    );
    // A TLS 1.1 hello with a supported cipher suite.
    let hello = [&[1, 0, 0, 41, 3, 2][..], &[7; 32], &[0, 0, 2, 0xc0, 0x13, 1, 0]].concat();
    let mut old = Raw::open(gateway.address).await;
    old.write([&[22, 3, 1, 0, u8::try_from(hello.len()).unwrap()][..], &hello].concat()).await;
    old.end().await;
    assert_eq!(old.read.first(), Some(&21), "an alert: {:?}", old.read);
    let (address, _) = recorder().await;
    let open = crate::scene::gateway(settings(address), keep()).await;
    assert!(
        soon(Visitor::of(&authority).connect(open.address)).await.is_err(),
        "plain text stays plain text"
    );
}

/// Behaviour 23.2.
#[tokio::test]
async fn a_client_shows_a_certificate_of_the_right_authority() {
    let (authority, other) = (Authority::new("clients"), Authority::new("others"));
    let (mut gateway, settings) = secure(&authority, true).await;
    let right = authority.client("ci.example", (2020, 2099));
    let wrong = [
        other.client("ci.example", (2020, 2099)),
        authority.client("ci.example", (2020, 2021)),
        authority.client("ci.example", (2098, 2099)),
    ];
    for (version, visitor) in [(3, Visitor::of(&authority)), (2, Visitor::of(&authority).older())] {
        let ask = async |shows: Option<&Identity>| {
            let visitor = Visitor { shows, version: visitor.version, ..Visitor::of(&authority) };
            soon(visitor.ask(gateway.address, HEALTH)).await.unwrap_or_default()
        };
        assert_eq!(ask(None).await, "", "1.{version}: without one");
        for (at, identity) in wrong.iter().enumerate() {
            assert_eq!(ask(Some(identity)).await, "", "1.{version}: wrong certificate {at}");
        }
        for _ in 0..2 {
            assert!(ask(Some(&right)).await.contains(" 200 OK"), "1.{version}: the right one, and again");
        }
    }
    soon(gateway.stop()).await.unwrap();
    let numbers = String::from_utf8(settings.telemetry.metrics(NumbersForm::Open)).unwrap();
    assert!(numbers.contains("tersely_handshakes_failed_total 8"), "{numbers}");
}

/// Behaviour 23.4.
#[tokio::test]
async fn a_certificate_says_which_tenant_it_is() {
    let authority = Authority::new("tenants");
    let (_, settings) = secure(&authority, true).await;
    let tenant = |name: &str, certificate: &str| TenantSettings {
        tenant: KnownTenant { rate: 1, ..KnownTenant::new(name) },
        keys: Vec::new(),
        certificates: vec![certificate.to_owned()],
    };
    let list = vec![tenant("ci", "ci.example"), tenant("batch", "spiffe://x/batch")];
    let gateway = gateway(GatewaySettings { tenants: TenantList::new(list), ..settings }, keep()).await;
    let get = "GET /v1/models HTTP/1.1";
    for (name, statuses) in [
        ("CI.example", [200, 429]),
        ("spiffe://x/batch", [200, 429]),
        ("spiffe://x/other", [401, 401]),
        ("x.ci.example", [401, 401]),
    ] {
        let identity = authority.client(name, (2020, 2099));
        let visitor = Visitor::of(&authority).showing(&identity);
        for status in statuses {
            let answer = soon(visitor.ask(gateway.address, get)).await.unwrap();
            assert!(answer.starts_with(&format!("HTTP/1.1 {status} ")), "{name}: {answer}");
        }
        assert!(soon(visitor.ask(gateway.address, HEALTH)).await.unwrap().contains(" 200 OK"), "{name}");
    }
}

/// The certificate that a gateway presents.
async fn shown(authority: &Authority, gateway: &Gateway) -> Vec<u8> {
    let stream = Visitor::of(authority).connect(gateway.address).await.unwrap();
    stream.get_ref().1.peer_certificates().unwrap()[0].to_vec()
}

/// Behaviour 23.6.
#[tokio::test]
async fn a_new_certificate_drops_no_stream() {
    let authority = Authority::new("renewed");
    let first = authority.renew();
    let (address, frames) = streamer().await;
    let tls = InboundTls::open(authority.files(false)).unwrap();
    let settings = GatewaySettings { tls: Some(tls.clone()), ..settings(address) };
    let gateway = gateway(settings, keep()).await;
    let mut stream = Visitor::of(&authority).connect(gateway.address).await.unwrap();
    stream
        .write_all(b"POST /v1/messages HTTP/1.1\r\nhost: localhost\r\ncontent-length: 2\r\n\r\n{}")
        .await
        .unwrap();
    let mut said = String::new();
    let mut hear = async |words: &str| {
        while !said.contains(words) {
            let mut piece = [0; 4096];
            let length = soon(stream.read(&mut piece)).await.unwrap();
            assert!(length > 0, "{words:?} should come; came: {said}");
            said.push_str(&String::from_utf8_lossy(&piece[..length]));
        }
    };
    frames.say("data: before\n\n").await;
    hear("before").await;
    assert!(!tls.renew().unwrap(), "nothing has changed");
    assert_eq!(shown(&authority, &gateway).await, first.to_vec());
    let second = authority.renew();
    assert!(tls.renew().unwrap());
    frames.say("data: during\n\n").await;
    hear("during").await;
    assert_eq!(shown(&authority, &gateway).await, second.to_vec());
    let file = authority.folder.join("cert.pem");
    for (text, what) in [("", "contains no certificate"), ("-----BEGIN CERTIFICATE-----\n!", "is not PEM")] {
        fs::write(&file, text).unwrap();
        let fault = tls.renew().unwrap_err().to_string();
        assert!(fault.contains("cert.pem") && fault.contains(what), "{fault}");
        assert!(!tls.renew().unwrap(), "it is told once");
        assert_eq!(shown(&authority, &gateway).await, second.to_vec(), "the old one stays");
    }
    fs::remove_file(&file).unwrap();
    assert!(tls.renew().unwrap_err().to_string().contains("cannot be read"));
    let third = authority.renew();
    assert!(tls.renew().unwrap());
    assert_eq!(shown(&authority, &gateway).await, third.to_vec());
    frames.say("data: after\n\n").await;
    hear("after").await;
    drop(frames);
    hear("0\r\n\r\n").await;
}

/// Behaviour 23.6: files that do not belong together are refused, and the message says which.
#[test]
fn files_that_do_not_fit_are_refused() {
    let (authority, other) = (Authority::new("fits"), Authority::new("misfits"));
    authority.renew();
    other.renew();
    let (good, bad) = (authority.files(true), other.files(true));
    for (files, what) in [
        (
            TlsFiles { key: bad.key.clone(), ..good.clone() },
            "tls.key: is not the key of the certificate in tls.cert",
        ),
        (TlsFiles { key: good.cert.clone(), ..good.clone() }, "contains no PEM private key"),
        (TlsFiles { key: Vec::new(), ..good.clone() }, "tls.key: must name exactly one file"),
        (TlsFiles { cert: good.key.clone(), ..good.clone() }, "contains no certificate"),
        (TlsFiles { client_ca: good.key.clone(), ..good.clone() }, "tls.client_ca: "),
        (
            TlsFiles { cert: vec![authority.folder.join("none.pem")], ..good.clone() },
            "none.pem: cannot be read",
        ),
        (TlsFiles { cert: vec![authority.folder.clone()], ..good.clone() }, "cannot be read"),
    ] {
        let fault = InboundTls::open(files).err().map(|error| error.to_string()).unwrap_or_default();
        assert!(fault.contains(what), "{what}: {fault}");
    }
    assert!(
        InboundTls::open(TlsFiles { cert: [good.cert.clone(), bad.cert].concat(), ..good }).is_ok(),
        "a chain"
    );
}

/// Behaviour 23.1: a slow handshake has no longer timeout than a request's head.
#[tokio::test]
async fn slow_hands_hold_no_place() {
    let authority = Authority::new("slow");
    let (_, mut settings) = secure(&authority, false).await;
    settings.timeouts.head = Duration::from_millis(400);
    settings.limits.connections = 4;
    settings.telemetry = Telemetry::default();
    let gateway = gateway(settings, keep()).await;
    let mut slow = Vec::new();
    for at in 0..8 {
        let mut stream = TcpStream::connect(gateway.address).await.unwrap();
        // Nothing, the beginning of a record, or one that never ends.
        stream.write_all(&[22, 3, 1, 0x40, 0, 1][..[0, 1, 6][at % 3]]).await.unwrap();
        slow.push(stream);
    }
    let since = Instant::now();
    let answer = soon(Visitor::of(&authority).ask(gateway.address, HEALTH)).await.unwrap();
    assert!(
        answer.contains(" 200 OK") && since.elapsed() < at_most(Duration::from_secs(1)),
        "{:?}",
        since.elapsed()
    );
    sleep(Duration::from_millis(500)).await;
    for mut stream in slow {
        // The connection was closed, gracefully or not.
        assert_eq!(soon(stream.read_to_end(&mut Vec::new())).await.unwrap_or(0), 0);
    }
    let _ = Arc::new(gateway);
}

/// Behaviour 23.1: large bodies and responses arrive whole over both protocols.
#[tokio::test]
async fn bodies_come_whole() {
    let authority = Authority::new("whole");
    let (_, settings) = secure(&authority, false).await;
    let address = crate::scene::upstream(|request: Request<hyper::body::Incoming>| async move {
        http::Response::new(Full::new(request.into_body().collect().await.unwrap().to_bytes()))
    })
    .await;
    let upstreams = crate::scene::settings(address).upstreams;
    let gateway = gateway(GatewaySettings { upstreams, ..settings }, keep()).await;
    let body: Bytes = (0..3_000_000_u32).flat_map(u32::to_be_bytes).collect::<Vec<_>>().into();
    for protocol in ["h2", "http/1.1"] {
        let visitor = Visitor { protocols: &[protocol], ..Visitor::of(&authority) };
        let io = TokioIo::new(visitor.connect(gateway.address).await.unwrap());
        let request = Request::post("https://localhost/x").header("host", "localhost");
        let request = request.body(Full::new(body.clone())).unwrap();
        let response = if protocol == "h2" {
            let (mut sender, connection) =
                hyper::client::conn::http2::handshake(TokioExecutor::new(), io).await.unwrap();
            tokio::spawn(connection);
            soon(sender.send_request(request)).await
        } else {
            let (mut sender, connection) = hyper::client::conn::http1::handshake(io).await.unwrap();
            tokio::spawn(connection);
            soon(sender.send_request(request)).await
        };
        let back = soon(response.unwrap().into_body().collect()).await.unwrap().to_bytes();
        assert!(back == body, "{protocol}: {} bytes of {}", back.len(), body.len());
    }
}
