//! A client of an external processor that acts as Envoy does, and as Envoy would not.
//!
//! It encodes messages by hand, so that our codec is not tested against itself.

use std::convert::Infallible;
use std::pin::Pin;
use std::task::{Context, Poll};
use std::time::Duration;

use bytes::Bytes;
use http::Request;
use http_body::{Body, Frame};
use http_body_util::BodyExt;
use hyper::body::Incoming;
use hyper::client::conn::http2::{SendRequest, handshake};
use hyper_util::rt::{TokioExecutor, TokioIo};
use tokio::net::TcpStream;
use tokio::sync::mpsc::{UnboundedReceiver, UnboundedSender, unbounded_channel};
use tokio::time::timeout;

pub(crate) const PROCESS: &str = "/envoy.service.ext_proc.v3.ExternalProcessor/Process";
pub(crate) const HEALTH: &str = "/grpc.health.v1.Health/Check";

/// Time limit for an answer.
const SOON: Duration = Duration::from_secs(30);

/// A length-delimited field of a message.
pub(crate) fn field(number: u8, bytes: &[u8]) -> Vec<u8> {
    let mut field = vec![number << 3 | 2];
    let mut rest = bytes.len();
    while rest > 0x7f {
        field.push(u8::try_from(rest & 0x7f).expect("seven bits") | 0x80);
        rest >>= 7;
    }
    field.push(u8::try_from(rest).expect("seven bits"));
    field.extend_from_slice(bytes);
    field
}

/// The length-delimited fields of a message; numbers are skipped.
pub(crate) fn fields(mut bytes: &[u8]) -> Vec<(u8, Vec<u8>)> {
    let mut found = Vec::new();
    let number = |bytes: &mut &[u8]| {
        let (mut value, mut shift) = (0_usize, 0);
        while let Some((first, rest)) = bytes.split_first() {
            *bytes = rest;
            value |= usize::from(first & 0x7f) << shift;
            shift += 7;
            if *first < 0x80 {
                break;
            }
        }
        value
    };
    while !bytes.is_empty() {
        let (tag, length) = (number(&mut bytes), number(&mut bytes));
        if tag & 7 == 2 {
            let (value, rest) = bytes.split_at(length);
            found.push((u8::try_from(tag >> 3).expect("a small number"), value.to_vec()));
            bytes = rest;
        }
    }
    found
}

/// The field at the end of a path.
pub(crate) fn at(message: &[u8], path: &[u8]) -> Option<Vec<u8>> {
    path.iter().try_fold(message.to_vec(), |message, number| {
        fields(&message).into_iter().find(|(name, _)| name == number).map(|(_, value)| value)
    })
}

/// The head of a request, as Envoy sends it before a buffered body.
pub(crate) fn head(path: &str, headers: &[(&str, &str)]) -> Vec<u8> {
    let pseudo = [(":method", "POST"), (":path", path), (":authority", "model.example")];
    let listed = pseudo
        .iter()
        .chain(headers)
        .map(|(name, value)| field(1, &[field(1, name.as_bytes()), field(3, value.as_bytes())].concat()));
    let list = listed.collect::<Vec<_>>().concat();
    [field(2, &field(1, &list)), field(11, &[0x08, 2])].concat()
}

/// The body of a request.
pub(crate) fn body(bytes: &[u8]) -> Vec<u8> {
    field(4, &[field(1, bytes), vec![0x10, 1]].concat())
}

/// A message with its gRPC prefix.
pub(crate) fn framed(message: &[u8]) -> Vec<u8> {
    let length = u32::try_from(message.len()).expect("a length").to_be_bytes();
    [&[0][..], &length, message].concat()
}

/// A connection.
pub(crate) struct Envoy(SendRequest<Spoken>);

/// A stream of a connection.
pub(crate) struct Stream {
    say: Option<UnboundedSender<Bytes>>,
    heard: Incoming,
    read: Vec<u8>,
    /// The final gRPC status.
    pub(crate) status: Option<String>,
}

impl Envoy {
    pub(crate) async fn connect(address: &str) -> Self {
        let stream = TcpStream::connect(address).await.expect("a processor");
        stream.set_nodelay(true).expect("a socket");
        let (sender, connection) =
            handshake(TokioExecutor::new(), TokioIo::new(stream)).await.expect("HTTP/2");
        tokio::spawn(connection);
        Self(sender)
    }

    /// Opens a stream and sends this at once.
    pub(crate) async fn open(&mut self, path: &str, first: Vec<u8>) -> Stream {
        let (say, said) = unbounded_channel();
        say.send(Bytes::from(first)).expect("a stream");
        Stream { say: Some(say), ..self.ask(path, said).await }
    }

    /// Opens a stream, sends this and closes the sending side.
    pub(crate) async fn tell(&mut self, path: &str, all: Vec<u8>) -> Stream {
        let (say, said) = unbounded_channel();
        say.send(Bytes::from(all)).expect("a stream");
        drop(say);
        self.ask(path, said).await
    }

    async fn ask(&mut self, path: &str, said: UnboundedReceiver<Bytes>) -> Stream {
        let request = Request::post(format!("http://processor{path}"))
            .header("content-type", "application/grpc")
            .header("te", "trailers")
            .body(Spoken(said))
            .expect("a request");
        self.0.ready().await.expect("a connection");
        let response =
            timeout(SOON, self.0.send_request(request)).await.expect("in time").expect("a response");
        assert_eq!(response.headers()["content-type"], "application/grpc");
        let status = response.headers().get("grpc-status").map(|it| it.to_str().expect("text").to_owned());
        Stream { say: None, heard: response.into_body(), read: Vec::new(), status }
    }

    /// Processes a request; returns the answers to the head and to the body, and the final status.
    pub(crate) async fn process(
        &mut self,
        head: &[u8],
        body: &[u8],
    ) -> (Option<Vec<u8>>, Option<Vec<u8>>, String) {
        let mut stream = self.open(PROCESS, framed(head)).await;
        let first = stream.next().await;
        stream.say(framed(body));
        let second = stream.next().await;
        (first, second, stream.end().await)
    }
}

impl Stream {
    pub(crate) fn say(&mut self, bytes: Vec<u8>) {
        // The stream may have ended already.
        let _ = self.say.as_ref().map(|say| say.send(Bytes::from(bytes)));
    }

    /// The next message.
    pub(crate) async fn next(&mut self) -> Option<Vec<u8>> {
        loop {
            if let Some(length) = self.read.get(1..5) {
                let length = u32::from_be_bytes(length.try_into().expect("four bytes")) as usize;
                if self.read.len() >= 5 + length {
                    let rest = self.read.split_off(5 + length);
                    return Some(std::mem::replace(&mut self.read, rest).split_off(5));
                }
            }
            let frame = timeout(SOON, self.heard.frame()).await.expect("in time")?.ok()?;
            match frame.into_data() {
                Ok(data) => self.read.extend_from_slice(&data),
                Err(frame) => {
                    let trailers = frame.into_trailers().expect("trailers");
                    self.status = trailers.get("grpc-status").map(|it| it.to_str().expect("text").to_owned());
                    return None;
                }
            }
        }
    }

    /// Reads the remaining messages; returns the final status.
    pub(crate) async fn end(mut self) -> String {
        while self.next().await.is_some() {}
        self.status.unwrap_or_else(|| "none".to_owned())
    }
}

/// A request body that streams messages as they are sent.
struct Spoken(UnboundedReceiver<Bytes>);

impl Body for Spoken {
    type Data = Bytes;
    type Error = Infallible;

    fn poll_frame(
        mut self: Pin<&mut Self>,
        cx: &mut Context<'_>,
    ) -> Poll<Option<Result<Frame<Bytes>, Infallible>>> {
        self.0.poll_recv(cx).map(|said| said.map(|bytes| Ok(Frame::data(bytes))))
    }
}
