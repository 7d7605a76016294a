//! Test fixtures: a gateway, a scripted upstream, and clients.

mod feed;
mod hook;
mod pki;
mod raw;
mod talk;
mod upstream;

use std::error::Error;
use std::future::Future;
use std::net::SocketAddr;
use std::sync::Arc;
use std::time::Duration;

use bytes::Bytes;
use http::{HeaderMap, Request, Response, StatusCode};
use http_body_util::{BodyExt, Full};
use hyper::body::Incoming;
use hyper_util::client::legacy::Client;
use hyper_util::client::legacy::connect::HttpConnector;
use hyper_util::rt::TokioExecutor;
use serde_json::Value;
use tersely_gateway::{GatewaySettings, Rewrite, Upstream, Upstreams, serve};
use tokio::net::TcpListener;
use tokio::sync::oneshot;
use tokio::task::JoinHandle;

pub(crate) use feed::{Frames, feed};
pub(crate) use hook::{Hook, Uninterested, keep, replace};
pub(crate) use pki::{Authority, Identity, Visitor};
pub(crate) use raw::Raw;
pub(crate) use talk::{Conversation, ERROR, log};
pub(crate) use upstream::{Any, SeenRequest, answer, any, recorder, status, streamer, upstream};

/// A running gateway.
pub(crate) struct Gateway {
    pub(crate) address: SocketAddr,
    stop: Option<oneshot::Sender<Duration>>,
    pub(crate) task: JoinHandle<()>,
}

impl Gateway {
    /// Stops it, and returns the task that ends when it has stopped.
    pub(crate) fn stop(&mut self) -> &mut JoinHandle<()> {
        self.stop_after(Duration::ZERO)
    }

    /// The same, with a notice period.
    pub(crate) fn stop_after(&mut self, notice: Duration) -> &mut JoinHandle<()> {
        self.stop.take().expect("still running").send(notice).expect("a listener");
        &mut self.task
    }

    pub(crate) fn url(&self, path: &str) -> String {
        format!("http://{}{path}", self.address)
    }
}

/// Settings that forward everything to one address.
pub(crate) fn settings(upstream: SocketAddr) -> GatewaySettings {
    settings_for(&format!("http://{upstream}"))
}

pub(crate) fn settings_for(url: &str) -> GatewaySettings {
    let upstream: Upstream = url.parse().expect("a URL");
    GatewaySettings { upstreams: Upstreams::one(upstream), ..GatewaySettings::default() }
}

/// Starts a gateway on a free port.
pub(crate) async fn gateway(settings: GatewaySettings, rewrite: Arc<dyn Rewrite>) -> Gateway {
    gateway_on(TcpListener::bind("127.0.0.1:0").await.expect("a port"), settings, rewrite)
}

/// Starts a gateway on a listener.
pub(crate) fn gateway_on(
    listener: TcpListener,
    settings: GatewaySettings,
    rewrite: Arc<dyn Rewrite>,
) -> Gateway {
    let address = listener.local_addr().expect("an address");
    let (stop, stopped) = oneshot::channel();
    let task = tokio::spawn(async move {
        let stopped = async move { stopped.await.unwrap_or_default() };
        serve(settings, rewrite, listener, stopped).await.expect("settings that work");
    });
    Gateway { address, stop: Some(stop), task }
}

/// A response that has been read to its end.
#[derive(Debug)]
pub(crate) struct Answer {
    pub(crate) status: StatusCode,
    pub(crate) headers: HeaderMap,
    pub(crate) body: Bytes,
    pub(crate) trailers: Option<HeaderMap>,
}

impl Answer {
    pub(crate) fn json(&self) -> Value {
        serde_json::from_slice(&self.body).expect("JSON")
    }

    pub(crate) fn header(&self, name: &str) -> &str {
        self.headers.get(name).map_or("", |value| value.to_str().expect("text"))
    }
}

/// Sends a request and reads the whole response.
pub(crate) async fn send<B>(request: Request<B>) -> Answer
where
    B: http_body::Body<Data = Bytes> + Send + 'static,
    B::Error: Into<Box<dyn Error + Send + Sync>>,
{
    read(client().request(request.map(any)).await.expect("an answer")).await
}

/// Posts a body.
pub(crate) async fn post(url: &str, body: impl Into<Bytes>) -> Answer {
    send(Request::post(url).body(Full::new(body.into())).expect("a request")).await
}

pub(crate) async fn get(url: &str) -> Answer {
    send(Request::get(url).body(Full::default()).expect("a request")).await
}

/// Reads a response to its end.
pub(crate) async fn read(response: Response<Incoming>) -> Answer {
    let (parts, body) = response.into_parts();
    let collected = body.collect().await.expect("a whole body");
    let trailers = collected.trailers().cloned();
    Answer { status: parts.status, headers: parts.headers, body: collected.to_bytes(), trailers }
}

pub(crate) fn client() -> Client<HttpConnector, Any> {
    Client::builder(TokioExecutor::new()).build_http()
}

/// The result of a future, with a timeout.
pub(crate) async fn soon<T>(future: impl Future<Output = T>) -> T {
    tokio::time::timeout(Duration::from_mins(1), future).await.expect("in time")
}
