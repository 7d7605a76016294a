//! A scripted upstream.

use std::convert::Infallible;
use std::error::Error;
use std::future::Future;
use std::net::SocketAddr;
use std::pin::Pin;
use std::sync::{Arc, Mutex};

use bytes::Bytes;
use http::{HeaderMap, Method, Request, Response, StatusCode, Uri};
use http_body::Body;
use http_body_util::combinators::UnsyncBoxBody;
use http_body_util::{BodyExt, Full};
use hyper::body::Incoming;
use hyper::server::conn::http1;
use hyper::service::service_fn;
use hyper_util::rt::TokioIo;
use tokio::net::TcpListener;

use super::feed::{Frames, feed};

/// A request as the upstream saw it.
#[derive(Clone, Debug)]
pub(crate) struct SeenRequest {
    pub(crate) method: Method,
    pub(crate) uri: Uri,
    pub(crate) headers: HeaderMap,
    pub(crate) body: Bytes,
    pub(crate) trailers: Option<HeaderMap>,
}

impl SeenRequest {
    pub(crate) async fn of(request: Request<Incoming>) -> Self {
        let (parts, body) = request.into_parts();
        let body = body.collect().await.expect("a whole body");
        let trailers = body.trailers().cloned();
        let (method, uri, headers) = (parts.method, parts.uri, parts.headers);
        Self { method, uri, headers, body: body.to_bytes(), trailers }
    }
}

/// A body of any kind: with one type for all, the server is compiled once.
pub(crate) type Any = UnsyncBoxBody<Bytes, Box<dyn Error + Send + Sync>>;

type Answering = Pin<Box<dyn Future<Output = Response<Any>> + Send>>;
type Script = Arc<dyn Fn(Request<Incoming>) -> Answering + Send + Sync>;

/// Starts an upstream that answers with `script`.
pub(crate) async fn upstream<S, F, B>(script: S) -> SocketAddr
where
    S: Fn(Request<Incoming>) -> F + Send + Sync + 'static,
    F: Future<Output = Response<B>> + Send + 'static,
    B: Body<Data = Bytes> + Send + 'static,
    B::Error: Into<Box<dyn Error + Send + Sync>>,
{
    let listener = TcpListener::bind("127.0.0.1:0").await.expect("a port");
    let address = listener.local_addr().expect("an address");
    let script = Arc::new(move |request| {
        let answer = script(request);
        Box::pin(async move { answer.await.map(any) }) as Answering
    });
    tokio::spawn(play(listener, script));
    address
}

pub(crate) fn any<B>(body: B) -> Any
where
    B: Body<Data = Bytes> + Send + 'static,
    B::Error: Into<Box<dyn Error + Send + Sync>>,
{
    body.map_err(Into::into).boxed_unsync()
}

async fn play(listener: TcpListener, script: Script) {
    while let Ok((stream, _)) = listener.accept().await {
        let _ = stream.set_nodelay(true);
        let script = Arc::clone(&script);
        let service = service_fn(move |request| {
            let answer = script(request);
            async move { Ok::<_, Infallible>(answer.await) }
        });
        let serving = http1::Builder::new().serve_connection(TokioIo::new(stream), service);
        tokio::spawn(serving.with_upgrades());
    }
}

/// An upstream that records requests and answers "done".
pub(crate) async fn recorder() -> (SocketAddr, Arc<Mutex<Vec<SeenRequest>>>) {
    let log = Arc::new(Mutex::new(Vec::new()));
    let kept = Arc::clone(&log);
    let address = upstream(move |request| {
        let log = Arc::clone(&log);
        async move {
            let seen = SeenRequest::of(request).await;
            log.lock().expect("no panic").push(seen);
            answer("done")
        }
    })
    .await;
    (address, kept)
}

/// An upstream that answers one request with an event stream, fed by the test.
pub(crate) async fn streamer() -> (SocketAddr, Frames) {
    let (frames, body) = feed();
    let body = Arc::new(Mutex::new(Some(body)));
    let address = upstream(move |request: Request<Incoming>| {
        let body = body.lock().expect("no panic").take().expect("one request");
        async move {
            request.into_body().collect().await.expect("a whole body");
            Response::builder().header("content-type", "text/event-stream").body(body).expect("a response")
        }
    })
    .await;
    (address, frames)
}

pub(crate) fn answer(text: &'static str) -> Response<Full<Bytes>> {
    Response::new(Full::new(Bytes::from_static(text.as_bytes())))
}

pub(crate) fn status(code: u16, text: &'static str) -> Response<Full<Bytes>> {
    let mut response = answer(text);
    *response.status_mut() = StatusCode::from_u16(code).expect("a status");
    response
}
