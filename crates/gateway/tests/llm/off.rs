//! A gateway whose compression is off: it looks at the beginning of each body, and all bytes arrive as they were sent.

use std::io::Write;
use std::sync::Arc;

use bytes::Bytes;
use flate2::Compression;
use flate2::write::{GzEncoder, ZlibEncoder};
use http::{Request, StatusCode};
use http_body_util::{BodyExt, Full};
use hyper::body::Incoming;
use ruzstd::encoding::{CompressionLevel, compress_to_vec};
use tersely_core::{Mode, Plan};
use tersely_engine::{Engine, EngineSettings};
use tersely_gateway::{EngineRewriter, GatewayLimits, GatewaySettings, Rewrite};
use tokio::sync::mpsc;

use crate::scene::{
    Answer, Conversation, Gateway, Raw, SeenRequest, answer, any, client, feed, gateway, log, recorder, send,
    settings, soon, upstream,
};

/// The number of bytes at the beginning of a body that are searched for options.
const BEGINNING: usize = 16 << 10;

fn off() -> Arc<dyn Rewrite> {
    let plan = Plan { mode: Mode::Disabled, ..Plan::default() };
    Arc::new(EngineRewriter::new(Engine::new(EngineSettings { plan, ..EngineSettings::default() })))
}

/// A body of this many bytes, in which `member` begins at `at`.
fn body(length: usize, at: usize, member: &str) -> String {
    let head = format!(r#"{{"x":"{}","#, "a".repeat(at - 8));
    let tail =
        format!(r#""model":"m","y":"","messages":{}}}"#, serde_json::to_string(&talk().messages).unwrap());
    let fill = length.saturating_sub(head.len() + member.len() + tail.len());
    let tail = tail.replace(r#""y":"""#, &format!(r#""y":"{}""#, "b".repeat(fill)));
    format!("{head}{member}{tail}")
}

fn talk() -> Conversation {
    let mut talk = Conversation::new();
    talk.result("make", &log(1));
    talk
}

const OPTIONS: &str = r#""_tersely":{"mode":"standard"},"#;

/// Sends a body in chunks of this size, and returns what the upstream saw.
async fn upload(
    limits: GatewayLimits,
    headers: &[(&str, &str)],
    chunk: usize,
    body: impl Into<Bytes>,
) -> (Answer, Option<SeenRequest>) {
    let (address, log) = recorder().await;
    let gateway = gateway(GatewaySettings { limits, ..settings(address) }, off()).await;
    let (frames, sent) = feed();
    let body = body.into();
    tokio::spawn(async move {
        for piece in body.chunks(chunk) {
            frames.say(Bytes::copy_from_slice(piece)).await;
        }
        frames.sign("there").await;
    });
    let request =
        headers.iter().fold(Request::post(gateway.url("/v1/messages")), |request, (name, value)| {
            request.header(*name, *value)
        });
    let request = request.header("te", "trailers").header("trailer", "x-end");
    let answer = soon(send(request.body(sent).unwrap())).await;
    let seen = log.lock().unwrap().pop();
    (answer, seen)
}

/// Behaviour 3.2.
#[tokio::test]
async fn a_body_in_chunks_of_any_size_arrives_as_it_was_sent() {
    for length in [0, 1, BEGINNING - 1, BEGINNING, BEGINNING + 1, 3 * BEGINNING] {
        let body: Vec<u8> = (b' '..=b'~').cycle().take(length).collect();
        for chunk in [1000, BEGINNING - 1, BEGINNING, BEGINNING + 1, usize::MAX] {
            let (answer, seen) = upload(GatewayLimits::default(), &[], chunk, body.clone()).await;
            let seen = seen.unwrap();
            assert_eq!((answer.status, answer.header("x-tersely-missed")), (StatusCode::OK, ""));
            assert!(seen.body == body, "{length} bytes in chunks of {chunk}: {} came", seen.body.len());
            assert_eq!(seen.trailers.unwrap()["x-end"], "there", "{length} bytes in chunks of {chunk}");
        }
    }
    let (_, seen) = upload(GatewayLimits::default(), &[], 1, "{\"model\":\"m\"}").await;
    assert_eq!(seen.unwrap().body, "{\"model\":\"m\"}");
}

/// Whether options are found depends on where they are, not on how the network has cut the body.
#[tokio::test]
async fn options_count_up_to_the_border_and_no_further() {
    let name = "\"_tersely".len();
    for (at, is_found) in
        [(8, true), (BEGINNING - name, true), (BEGINNING - name + 1, false), (BEGINNING, false)]
    {
        let (asks, plain) = (body(60_000, at, OPTIONS), body(60_000 - OPTIONS.len(), at, ""));
        let mut found = Vec::new();
        for chunk in [1000, BEGINNING, BEGINNING + 1, usize::MAX] {
            let (answer, seen) = upload(GatewayLimits::default(), &[], chunk, asks.clone()).await;
            assert_eq!(answer.status, StatusCode::OK);
            found.push(seen.unwrap().body);
        }
        assert!(found.iter().all(|body| *body == found[0]), "options at {at}");
        let sent = String::from_utf8(found[0].to_vec()).unwrap();
        assert_eq!(sent.contains("_tersely"), !is_found, "options at {at}");
        assert_eq!(sent == asks, !is_found, "options at {at}");
        assert!(sent != plain, "options at {at} turn it on");
    }
}

type Coder = fn(&[u8]) -> Vec<u8>;

fn gzip(bytes: &[u8]) -> Vec<u8> {
    let mut coder = GzEncoder::new(Vec::new(), Compression::default());
    coder.write_all(bytes).unwrap();
    coder.finish().unwrap()
}

fn deflate(bytes: &[u8]) -> Vec<u8> {
    let mut coder = ZlibEncoder::new(Vec::new(), Compression::default());
    coder.write_all(bytes).unwrap();
    coder.finish().unwrap()
}

fn zstd(bytes: &[u8]) -> Vec<u8> {
    compress_to_vec(bytes, CompressionLevel::Fastest)
}

#[tokio::test]
async fn coded_bodies_arrive_as_they_were_sent_unless_they_have_options() {
    let codings: [(&str, Coder); 3] = [("gzip", gzip), ("deflate", deflate), ("zstd", zstd)];
    let (plain, asks) = (body(40_000, 9, ""), body(40_000, 9, OPTIONS));
    let (_, seen) = upload(GatewayLimits::default(), &[], 1000, asks.clone()).await;
    let expected = seen.unwrap().body;
    for (name, code) in codings {
        let coded = code(plain.as_bytes());
        let (_, seen) =
            upload(GatewayLimits::default(), &[("content-encoding", name)], 100, coded.clone()).await;
        let seen = seen.unwrap();
        assert!(seen.body == coded && seen.headers["content-encoding"] == name, "{name}");
        assert_eq!(seen.trailers.unwrap()["x-end"], "there", "{name}");
        let coded = code(asks.as_bytes());
        let (_, seen) = upload(GatewayLimits::default(), &[("content-encoding", name)], 100, coded).await;
        let seen = seen.unwrap();
        assert!(seen.body == expected && !seen.headers.contains_key("content-encoding"), "{name}");
    }
    for name in ["gzip", "br", "compress", "gzip, zstd"] {
        let (answer, seen) =
            upload(GatewayLimits::default(), &[("content-encoding", name)], 7, "not coded").await;
        assert_eq!((answer.status, seen.unwrap().body), (StatusCode::OK, "not coded".into()), "{name}");
    }
}

/// Behaviour 2.13: the signature would not fit a changed body, whoever asks for the change.
#[tokio::test]
async fn a_signed_body_arrives_as_it_was_signed() {
    let aws = "AWS4-HMAC-SHA256 Credential=AK/20261116/us-east-1/bedrock/aws4_request, \
               SignedHeaders=host;x-amz-date, Signature=00";
    for signed in [("authorization", aws), ("content-digest", "sha-256=:00:"), ("x-amz-content-sha256", "00")]
    {
        let asks = body(30_000, 9, OPTIONS);
        let (answer, seen) = upload(GatewayLimits::default(), &[signed], 1000, asks.clone()).await;
        assert!(seen.unwrap().body == asks, "{signed:?}: another body");
        assert_eq!(answer.header("x-tersely-missed"), "signed", "{signed:?}");
        let (answer, seen) = upload(GatewayLimits::default(), &[signed], 1000, body(30_000, 9, "")).await;
        assert!(seen.unwrap().body == body(30_000, 9, ""), "{signed:?}: another body");
        assert_eq!(answer.header("x-tersely-missed"), "", "{signed:?}: nothing was asked for");
        let coded = gzip(asks.as_bytes());
        let headers = [signed, ("content-encoding", "gzip")];
        let (_, seen) = upload(GatewayLimits::default(), &headers, 1000, coded.clone()).await;
        assert!(seen.unwrap().body == coded, "{signed:?}: another coded body");
    }
}

/// Only what is buffered has a limit: a body that is streamed has none.
#[tokio::test]
async fn a_body_of_any_length_goes_through_unless_it_has_to_be_read() {
    let limits = || GatewayLimits { body: 20_000, ..GatewayLimits::default() };
    let streamed = body(90_000, 9, "");
    let (_, seen) = upload(limits(), &[], 1000, streamed.clone()).await;
    assert!(seen.unwrap().body == streamed);
    let (answer, seen) = upload(limits(), &[], 1000, body(90_000, 9, OPTIONS)).await;
    assert_eq!(
        (answer.status, seen.is_none()),
        (StatusCode::PAYLOAD_TOO_LARGE, true),
        "options need all of it"
    );
    // Random bytes do not get shorter.
    let mut state = 1_u32;
    let noise = (0..60_000).map(|_| {
        state = state.wrapping_mul(1_664_525).wrapping_add(1_013_904_223);
        (state >> 24) as u8
    });
    let coded = gzip(&noise.collect::<Vec<_>>());
    let (answer, seen) = upload(limits(), &[("content-encoding", "gzip")], 1000, coded.clone()).await;
    assert_eq!(answer.status, StatusCode::OK, "{answer:?}");
    assert!(seen.unwrap().body == coded);
    let declared = coded.len().to_string();
    let headers = [("content-encoding", "gzip"), ("content-length", declared.as_str())];
    let (address, record) = recorder().await;
    let gateway = gateway(GatewaySettings { limits: limits(), ..settings(address) }, off()).await;
    let request = headers
        .iter()
        .fold(Request::post(gateway.url("/v1/messages")), |it, (name, value)| it.header(*name, *value));
    let answer = soon(send(request.body(Full::new(Bytes::from(coded.clone()))).unwrap())).await;
    assert_eq!((answer.status, record.lock().unwrap().pop().unwrap().body == coded), (StatusCode::OK, true));
}

/// Behaviour 7.1: without memory for a body, it is forwarded unread.
#[tokio::test]
async fn a_body_for_which_there_is_no_memory_goes_through() {
    for memory in [0, 1, 2000, BEGINNING] {
        let limits = || GatewayLimits { memory, ..GatewayLimits::default() };
        for asked in ["", OPTIONS] {
            let sent = body(50_000, 9, asked);
            let (answer, seen) = upload(limits(), &[], 1000, sent.clone()).await;
            let seen = seen.unwrap();
            assert!(seen.body == sent, "{memory} bytes of memory");
            assert_eq!(seen.trailers.unwrap()["x-end"], "there");
            let missed = if asked.is_empty() { "" } else { "full" };
            assert_eq!(
                (answer.status, answer.header("x-tersely-missed")),
                (StatusCode::OK, missed),
                "{memory}"
            );
        }
    }
}

/// A gateway that reads uploads, and tells how many bytes have come so far.
async fn watched() -> (Gateway, mpsc::UnboundedReceiver<usize>) {
    let (tell, told) = mpsc::unbounded_channel();
    let address = upstream(move |request: Request<Incoming>| {
        let tell = tell.clone();
        async move {
            let mut body = request.into_body();
            while let Some(Ok(frame)) = body.frame().await {
                tell.send(frame.into_data().map_or(0, |data| data.len())).unwrap();
            }
            answer("done")
        }
    })
    .await;
    (gateway(settings(address), off()).await, told)
}

#[tokio::test]
async fn the_upstream_reads_while_the_client_still_writes() {
    let (gateway, mut told) = watched().await;
    let (frames, body) = feed();
    let request = Request::post(gateway.url("/v1/messages")).body(any(body)).unwrap();
    let response = tokio::spawn(client().request(request));
    frames.say(vec![b'a'; BEGINNING]).await;
    let mut come = 0;
    while come < BEGINNING {
        come += soon(told.recv()).await.unwrap();
    }
    for _ in 0..3 {
        frames.say("more").await;
        assert_eq!(soon(told.recv()).await, Some(4));
    }
    drop(frames);
    assert_eq!(soon(response).await.unwrap().unwrap().status(), 200);
}

/// A client that leaves in the middle of its body has sent no request.
#[tokio::test]
async fn half_a_body_is_no_request() {
    for sent in [10, BEGINNING - 1, BEGINNING + 10] {
        let (address, log) = recorder().await;
        let gateway = gateway(settings(address), off()).await;
        let mut raw = Raw::open(gateway.address).await;
        raw.write("POST /v1/messages HTTP/1.1\r\nhost: localhost\r\ncontent-length: 40000\r\n\r\n").await;
        raw.write("a".repeat(sent)).await;
        drop(raw);
        let answer = soon(send(Request::get(gateway.url("/v1/models")).body(Full::default()).unwrap())).await;
        assert_eq!(answer.status, StatusCode::OK);
        let methods: Vec<_> = log.lock().unwrap().iter().map(|seen| seen.method.to_string()).collect();
        assert_eq!(methods, ["GET"], "{sent} bytes of 40000");
    }
}

#[tokio::test]
async fn requests_that_are_no_posts_and_other_paths_are_not_looked_at() {
    let (address, log) = recorder().await;
    let gateway = gateway(settings(address), off()).await;
    let asks = body(30_000, 9, OPTIONS);
    for (method, path) in
        [("PUT", "/v1/messages"), ("PATCH", "/v1/messages"), ("POST", "/v1/files"), ("GET", "/v1/messages")]
    {
        let request = Request::builder().method(method).uri(gateway.url(path));
        let answer = soon(send(request.body(Full::new(Bytes::from(asks.clone()))).unwrap())).await;
        let seen = log.lock().unwrap().pop().unwrap();
        assert_eq!((answer.status, seen.method.as_str()), (StatusCode::OK, method));
        assert!(seen.body == asks, "{method} {path}");
    }
    let head = soon(send(Request::head(gateway.url("/v1/messages")).body(Full::default()).unwrap())).await;
    assert_eq!((head.status, head.body.len()), (StatusCode::OK, 0));
}
