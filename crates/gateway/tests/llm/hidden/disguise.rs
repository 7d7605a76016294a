//! Responses in another coding or framing than requested or declared: the tool stays hidden all the same.

use std::io::Write;
use std::net::SocketAddr;
use std::sync::{Arc, Mutex};

use bytes::Bytes;
use flate2::Compression;
use flate2::write::{DeflateEncoder, GzEncoder, ZlibEncoder};
use http::{Request, Response, StatusCode};
use http_body_util::{BodyExt, Full};
use hyper::body::Incoming;
use ruzstd::encoding::{CompressionLevel, compress_to_vec};

use super::speech::{INPUT, OUTPUT, SHAPES, Say, Shape};
use super::{TOOL, every, expand, live, log, shadow};
use crate::scene::{Answer, SeenRequest, any, client, feed, gateway, post, settings, soon, upstream};

/// How a response is disguised: its headers, and a change of its bytes.
#[derive(Clone, Copy)]
struct Disguise {
    name: &'static str,
    headers: &'static [(&'static str, &'static str)],
    bytes: fn(&[u8]) -> Vec<u8>,
}

fn plain(text: &[u8]) -> Vec<u8> {
    text.to_vec()
}

fn gzip(text: &[u8]) -> Vec<u8> {
    let mut sink = GzEncoder::new(Vec::new(), Compression::default());
    sink.write_all(text).unwrap();
    sink.finish().unwrap()
}

fn zlib(text: &[u8]) -> Vec<u8> {
    let mut sink = ZlibEncoder::new(Vec::new(), Compression::default());
    sink.write_all(text).unwrap();
    sink.finish().unwrap()
}

fn deflate(text: &[u8]) -> Vec<u8> {
    let mut sink = DeflateEncoder::new(Vec::new(), Compression::default());
    sink.write_all(text).unwrap();
    sink.finish().unwrap()
}

fn zstd(text: &[u8]) -> Vec<u8> {
    compress_to_vec(text, CompressionLevel::Fastest)
}

/// One stored block, in brotli.
fn brotli(text: &[u8]) -> Vec<u8> {
    let head = (u32::try_from(text.len() - 1).unwrap() | 1 << 16) << 4;
    [&head.to_le_bytes()[..3], text, &[3]].concat()
}

const DISGUISES: [Disguise; 12] = [
    Disguise { name: "gzip", headers: &[("content-encoding", "gzip"), RIGHT], bytes: gzip },
    Disguise { name: "untyped", headers: &[], bytes: plain },
    Disguise { name: "text", headers: &[("content-type", "text/plain")], bytes: plain },
    Disguise { name: "zlib", headers: &[("content-encoding", "deflate"), RIGHT], bytes: zlib },
    Disguise { name: "deflate", headers: &[("content-encoding", "deflate"), RIGHT], bytes: deflate },
    Disguise { name: "zstd", headers: &[("content-encoding", "zstd"), RIGHT], bytes: zstd },
    Disguise { name: "brotli", headers: &[("content-encoding", "br"), RIGHT], bytes: brotli },
    Disguise { name: "gzip, untyped", headers: &[("content-encoding", "x-gzip")], bytes: gzip },
    Disguise { name: "json, it says", headers: &[("content-type", "application/json")], bytes: plain },
    Disguise { name: "events, it says", headers: &[("content-type", "text/event-stream")], bytes: plain },
    Disguise {
        name: "binary, it says",
        headers: &[("content-type", "application/octet-stream")],
        bytes: plain,
    },
    Disguise {
        name: "blank first",
        headers: &[("content-type", "text/plain; charset=utf-8")],
        bytes: |text| [b"\n\n\n", text].concat(),
    },
];

/// Stands for the real type of a body.
const RIGHT: (&str, &str) = ("content-type", "");

impl Disguise {
    fn response(self, streams: bool, body: &str) -> Response<Full<Bytes>> {
        let right = if streams { "text/event-stream" } else { "application/json" };
        let mut response = Response::builder();
        for (name, value) in self.headers {
            response = response.header(*name, if value.is_empty() { right } else { value });
        }
        response.body(Full::from((self.bytes)(body.as_bytes()))).unwrap()
    }
}

/// An upstream whose model fetches something back, and whose responses are disguised.
async fn disguised(shape: Shape, streams: bool, disguise: Disguise) -> SocketAddr {
    let rounds = Arc::new(Mutex::new(0));
    upstream(move |request: Request<Incoming>| {
        let rounds = Arc::clone(&rounds);
        async move {
            let seen = SeenRequest::of(request).await;
            assert_eq!(seen.headers["accept-encoding"], "identity");
            let mut round = rounds.lock().unwrap();
            let id = shadow(&String::from_utf8_lossy(&seen.body));
            let says = match *round {
                0 => vec![Say::Text("Let me see. "), expand(&id)],
                _ => vec![Say::Text("Disk full.")],
            };
            *round += 1;
            disguise.response(streams, &shape.answer(streams, *round - 1, &says))
        }
    })
    .await
}

async fn ask(address: SocketAddr, shape: Shape, streams: bool) -> Answer {
    let gateway = gateway(settings(address), live() as _).await;
    soon(post(&gateway.url(shape.path(streams)), shape.request(streams, &log()).to_string())).await
}

#[tokio::test]
async fn the_tool_stays_hidden_in_every_disguise() {
    for (shape, streams) in every() {
        for disguise in DISGUISES {
            let answer = ask(disguised(shape, streams, disguise).await, shape, streams).await;
            let what = format!("{shape:?} {streams} {}", disguise.name);
            let text = String::from_utf8(answer.body.to_vec()).unwrap();
            assert!(answer.status == StatusCode::OK && !text.contains(TOOL), "{what}: {text}");
            assert!(!answer.headers.contains_key("content-encoding"), "{what}");
            let got = shape.got(streams, text.trim_start());
            assert_eq!(got, ("Let me see. Disk full.".to_owned(), vec![], (2 * INPUT, 2 * OUTPUT)), "{what}");
        }
    }
}

/// A response that cannot be decoded cannot be watched, and a possible hidden call must not be shown.
#[tokio::test]
async fn a_coding_that_nobody_knows_is_a_502() {
    for (shape, streams) in every() {
        for headers in
            [&[("content-encoding", "compress"), RIGHT][..], &[("content-encoding", "gzip, gzip"), RIGHT]]
        {
            let disguise = Disguise { name: "unknown", headers, bytes: plain };
            let answer = ask(disguised(shape, streams, disguise).await, shape, streams).await;
            let text = String::from_utf8(answer.body.to_vec()).unwrap();
            assert_eq!(answer.status, StatusCode::BAD_GATEWAY, "{text}");
            assert!(
                text.contains("a content encoding that was not requested") && !text.contains(TOOL),
                "{text}"
            );
        }
    }
}

/// What arrives in pieces is forwarded in pieces, encoded or not.
#[tokio::test]
async fn coded_events_flow() {
    for shape in SHAPES {
        let (frames, body) = feed();
        let body = Arc::new(Mutex::new(Some(body)));
        let address = upstream(move |request: Request<Incoming>| {
            let body = body.lock().unwrap().take().unwrap();
            async move {
                SeenRequest::of(request).await;
                Response::builder().header("content-encoding", "gzip").body(body).unwrap()
            }
        })
        .await;
        let gateway = gateway(settings(address), live() as _).await;
        let request = Request::post(gateway.url(shape.path(true)))
            .body(any(Full::from(shape.request(true, &log()).to_string())))
            .unwrap();
        let response = tokio::spawn(client().request(request));
        let events = shape.answer(true, 0, &[Say::Text("Let me see. "), Say::Text("More.")]);
        let end = events.find("Let me see. ").unwrap();
        let end = end + events[end..].find("\n\n").or_else(|| events[end..].find("\r\n\r\n")).unwrap() + 4;
        let mut gzip = GzEncoder::new(Vec::new(), Compression::default());
        gzip.write_all(&events.as_bytes()[..end]).unwrap();
        gzip.flush().unwrap();
        frames.say(std::mem::take(gzip.get_mut())).await;
        let mut body = soon(response).await.unwrap().unwrap().into_body();
        let mut got = String::new();
        while !got.contains("Let me see. ") {
            let frame = soon(body.frame()).await.unwrap().unwrap().into_data().unwrap();
            got += std::str::from_utf8(&frame).unwrap();
        }
        gzip.write_all(&events.as_bytes()[end..]).unwrap();
        frames.say(gzip.finish().unwrap()).await;
        drop(frames);
        got += std::str::from_utf8(&soon(body.collect()).await.unwrap().to_bytes()).unwrap();
        assert_eq!(got, events, "{shape:?}");
    }
}

/// What is neither JSON nor events contains no call.
#[tokio::test]
async fn other_answers_go_on_as_they_came() {
    for (kind, body) in
        [("text/html", "<html>"), ("application/json", "true"), ("text/plain", ""), ("", "Hello")]
    {
        let address = upstream(move |_| async move {
            Response::builder().header("content-type", kind).body(Full::from(body)).unwrap()
        })
        .await;
        let answer = ask(address, Shape::Anthropic, false).await;
        assert_eq!((answer.header("content-type"), &answer.body[..]), (kind, body.as_bytes()));
        assert_eq!(answer.header("content-length"), body.len().to_string());
    }
}
