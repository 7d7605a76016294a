//! Connects to upstreams, directly or through a proxy, with a timeout.

use std::error::Error as Source;
use std::io;
use std::pin::Pin;
use std::sync::Arc;
use std::task::{Context, Poll};
use std::time::Duration;

use http::Uri;
use hyper_rustls::HttpsConnector;
use hyper_util::client::legacy::connect::HttpConnector;
use hyper_util::client::legacy::connect::proxy::Tunnel;
use hyper_util::client::proxy::matcher::{Intercept, Matcher};
use hyper_util::rt::TokioIo;
use tokio::net::TcpStream;
use tokio::time::timeout;
use tower_service::Service;

use crate::error::Error;
use crate::settings::ProxyRoute;

/// Connects to upstreams, with one timeout for the name lookup, the proxy and the handshakes together.
#[derive(Clone)]
pub(crate) struct Connector {
    pub(crate) connector: HttpsConnector<Route>,
    pub(crate) limit: Duration,
}

/// Connects to a host, or to the proxy in front of it.
#[derive(Clone)]
pub(crate) struct Route {
    direct: HttpConnector,
    proxy: Arc<Matcher>,
}

type Fault = Box<dyn Source + Send + Sync>;
type Future<T> = Pin<Box<dyn std::future::Future<Output = Result<T, Fault>> + Send>>;

impl Service<Uri> for Connector {
    type Response = <HttpsConnector<Route> as Service<Uri>>::Response;
    type Error = Fault;
    type Future = Future<Self::Response>;

    fn poll_ready(&mut self, cx: &mut Context<'_>) -> Poll<Result<(), Fault>> {
        self.connector.poll_ready(cx)
    }

    fn call(&mut self, to: Uri) -> Self::Future {
        let connecting = timeout(self.limit, self.connector.call(to));
        Box::pin(async move {
            connecting.await.unwrap_or_else(|_| Err(io::Error::from(io::ErrorKind::TimedOut).into()))
        })
    }
}

impl Route {
    /// Creates a route with this proxy. TCP keep-alive detects dead upstreams.
    pub(crate) fn new(proxy: &ProxyRoute) -> Result<Self, Error> {
        let plain = proxy.url.is_empty() || !proxy.url.contains("://") || proxy.url.starts_with("http://");
        if !plain {
            return Err(Error::setting("only http:// proxies are supported"));
        }
        let mut direct = HttpConnector::new();
        direct.enforce_http(false);
        direct.set_nodelay(true);
        direct.set_keepalive(Some(Duration::from_mins(1)));
        let proxy = Matcher::builder().https(proxy.url.as_str()).no(proxy.except.as_str()).build();
        Ok(Self { direct, proxy: Arc::new(proxy) })
    }

    fn tunnel(&self, by: &Intercept) -> Tunnel<HttpConnector> {
        let tunnel = Tunnel::new(by.uri().clone(), self.direct.clone());
        match by.basic_auth() {
            Some(credentials) => tunnel.with_auth(credentials.clone()),
            None => tunnel,
        }
    }
}

impl Service<Uri> for Route {
    type Response = TokioIo<TcpStream>;
    type Error = Fault;
    type Future = Future<Self::Response>;

    fn poll_ready(&mut self, _: &mut Context<'_>) -> Poll<Result<(), Fault>> {
        Poll::Ready(Ok(()))
    }

    fn call(&mut self, to: Uri) -> Self::Future {
        if let Some(by) = self.proxy.intercept(&to) {
            let connecting = self.tunnel(&by).call(to);
            return Box::pin(async move { connecting.await.map_err(Into::into) });
        }
        let connecting = self.direct.call(to);
        Box::pin(async move { connecting.await.map_err(Into::into) })
    }
}
