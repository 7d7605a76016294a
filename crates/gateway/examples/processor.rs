//! An external processor that does nothing, or nothing right, to compare `tersely extproc` with and to try Envoy's patience:
//! `cargo run --example processor -- 127.0.0.1:9000 empty`.
//!
//! It stands on the same server as ours, and reads a message only as far as it has to.

use std::convert::Infallible;
use std::error::Error;
use std::pin::Pin;
use std::task::{Context, Poll, ready};

use bytes::{Bytes, BytesMut};
use http::{HeaderMap, HeaderValue, Request, Response};
use http_body::{Body, Frame};
use hyper::body::Incoming;
use hyper::server::conn::http2;
use hyper::service::service_fn;
use hyper_util::rt::{TokioExecutor, TokioIo};
use tokio::net::TcpListener;

/// What stands before a message.
const PREFIX: usize = 5;

/// The first bytes of a message that has a request's head or body, and the answer that leaves it as it is.
const PARTS: [(u8, &[u8]); 2] = [(0x12, b"\0\0\0\0\x02\x0a\0"), (0x22, b"\0\0\0\0\x02\x1a\0")];

/// What it does.
#[derive(Clone, Copy)]
enum Manner {
    /// Leaves everything as it is.
    Empty,
    /// Says what is no message.
    Garbled,
    /// Says what is no frame of one.
    Unframed,
    /// Answers what was not asked.
    Wrong,
    /// Says nothing.
    Silent,
}

#[tokio::main]
async fn main() -> Result<(), Box<dyn Error>> {
    let mut words = std::env::args().skip(1);
    let listener = TcpListener::bind(words.next().ok_or("name an address")?).await?;
    let manner = match words.next().as_deref() {
        Some("empty") => Manner::Empty,
        Some("garbled") => Manner::Garbled,
        Some("unframed") => Manner::Unframed,
        Some("wrong") => Manner::Wrong,
        Some("silent") => Manner::Silent,
        _ => return Err("say empty, garbled, unframed, wrong or silent".into()),
    };
    loop {
        let (stream, _) = listener.accept().await?;
        stream.set_nodelay(true)?;
        tokio::spawn(async move {
            let mut protocol = http2::Builder::new(TokioExecutor::new());
            protocol.max_concurrent_streams(10_000);
            let service = service_fn(move |request: Request<Incoming>| async move {
                let mut response = Response::new(Answer::new(manner, request.into_body()));
                let kind = HeaderValue::from_static("application/grpc");
                response.headers_mut().insert("content-type", kind);
                Ok::<_, Infallible>(response)
            });
            // A connection that breaks is Envoy's affair.
            let _ = protocol.serve_connection(TokioIo::new(stream), service).await;
        });
    }
}

/// An answer to each message, and a status once the body was answered.
struct Answer {
    manner: Manner,
    body: Incoming,
    read: BytesMut,
    stage: Stage,
}

#[derive(Clone, Copy)]
enum Stage {
    Asked,
    Said,
    Over,
}

impl Answer {
    fn new(manner: Manner, body: Incoming) -> Self {
        Self { manner, body, read: BytesMut::new(), stage: Stage::Asked }
    }

    /// The first byte of a message that has come whole.
    fn message(&mut self) -> Option<u8> {
        let length = self.read.get(1..PREFIX)?.iter().fold(0, |sum, byte| sum << 8 | usize::from(*byte));
        let whole = self.read.len() >= PREFIX + length;
        whole.then(|| self.read.split_to(PREFIX + length).get(PREFIX).copied().unwrap_or_default())
    }

    /// What is said to a message that begins with this byte.
    fn said(&mut self, first: u8) -> Option<Bytes> {
        let [head, body] = PARTS;
        let (right, wrong) = if first == head.0 { (head.1, body.1) } else { (body.1, head.1) };
        if first != head.0 {
            self.stage = Stage::Said;
        }
        Some(Bytes::from_static(match self.manner {
            Manner::Empty => right,
            Manner::Garbled => b"\0\0\0\0\x04\xff\xff\xff\xff",
            Manner::Unframed => b"\x07rubbish, and more rubbish",
            Manner::Wrong => wrong,
            Manner::Silent => return None,
        }))
    }
}

impl Body for Answer {
    type Data = Bytes;
    type Error = hyper::Error;

    fn poll_frame(
        mut self: Pin<&mut Self>,
        cx: &mut Context<'_>,
    ) -> Poll<Option<Result<Frame<Bytes>, hyper::Error>>> {
        let this = &mut *self;
        loop {
            match this.stage {
                Stage::Over => return Poll::Ready(None),
                Stage::Said => {
                    this.stage = Stage::Over;
                    let trailers = HeaderMap::from_iter([(
                        http::HeaderName::from_static("grpc-status"),
                        HeaderValue::from_static("0"),
                    )]);
                    return Poll::Ready(Some(Ok(Frame::trailers(trailers))));
                }
                Stage::Asked => {}
            }
            if let Some(said) = this.message().and_then(|first| this.said(first)) {
                return Poll::Ready(Some(Ok(Frame::data(said))));
            }
            match ready!(Pin::new(&mut this.body).poll_frame(cx)) {
                Some(frame) => this.read.extend(frame?.into_data().ok()),
                None => this.stage = Stage::Said,
            }
        }
    }
}
