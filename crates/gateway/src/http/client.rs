//! Sends requests to upstreams over pooled connections.

use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::Duration;

use http::{Request, Response};
use hyper::body::Incoming;
use hyper_rustls::HttpsConnectorBuilder;
use hyper_util::client::legacy::{Client, Error as Fault};
use hyper_util::rt::{TokioExecutor, TokioTimer};

use crate::error::Error;
use crate::http::connect::{Connector, Route};
use crate::http::request_body::OutgoingBody;
use crate::http::root_certificates;
use crate::settings::GatewaySettings;

/// The maximum number of streams on shared HTTP/2 connections. Servers commonly allow a hundred; a stream beyond
/// that would wait, perhaps for minutes, until another ends, so it gets a connection of its own instead.
const MAX_SHARED_STREAMS: usize = 90;

/// How long an idle connection without TLS is kept. Servers run by Node or uvicorn close a connection after five idle
/// seconds, and a request sent at that moment is lost. Such servers usually use plain HTTP, where a new connection
/// costs little.
const PLAIN_IDLE_TIMEOUT: Duration = Duration::from_secs(3);

/// Two connection pools: one with the protocol that the upstream prefers, one with HTTP/1.1.
pub(crate) struct Pools {
    any: Client<Connector, OutgoingBody>,
    one: Client<Connector, OutgoingBody>,
    shared: Arc<AtomicUsize>,
}

/// A stream on a connection that may be shared; dropping the permit returns it.
pub(crate) struct StreamPermit(Arc<AtomicUsize>);

/// The HTTP versions that a connection may use.
#[derive(Clone, Copy, Debug, Eq, PartialEq)]
pub(crate) enum HttpVersions {
    /// HTTP/2 or HTTP/1.1, whichever the upstream prefers.
    Any,
    /// Only HTTP/1.1, for upgrades and for connections without TLS.
    One,
}

impl Pools {
    /// Creates empty pools.
    pub(crate) fn new(settings: &GatewaySettings) -> Result<Self, Error> {
        let route = Route::new(&settings.proxy)?;
        let tls = root_certificates::config(&settings.authorities)?;
        let (limit, idle) = (settings.timeouts.connect, settings.timeouts.pooled);
        let begin =
            || HttpsConnectorBuilder::new().with_tls_config(tls.clone()).https_or_http().enable_http1();
        let any = Connector { connector: begin().enable_http2().wrap_connector(route.clone()), limit };
        let one = Connector { connector: begin().wrap_connector(route), limit };
        Ok(Self {
            any: pool(idle, any),
            one: pool(idle.min(PLAIN_IDLE_TIMEOUT), one),
            shared: Arc::default(),
        })
    }

    /// Sends a request. The caller must keep the permit until the response has been streamed.
    pub(crate) async fn send(
        &self,
        versions: HttpVersions,
        request: Request<OutgoingBody>,
    ) -> (Result<Response<Incoming>, Fault>, Option<StreamPermit>) {
        let permit = if versions == HttpVersions::Any { self.permit() } else { None };
        let client = if permit.is_some() { &self.any } else { &self.one };
        (client.request(request).await, permit)
    }

    fn permit(&self) -> Option<StreamPermit> {
        let permit = StreamPermit(Arc::clone(&self.shared));
        (self.shared.fetch_add(1, Ordering::Relaxed) < MAX_SHARED_STREAMS).then_some(permit)
    }
}

impl Drop for StreamPermit {
    fn drop(&mut self) {
        self.0.fetch_sub(1, Ordering::Relaxed);
    }
}

fn pool(idle: Duration, dial: Connector) -> Client<Connector, OutgoingBody> {
    Client::builder(TokioExecutor::new())
        .timer(TokioTimer::new())
        .pool_timer(TokioTimer::new())
        .pool_idle_timeout(idle)
        .http2_keep_alive_interval(Duration::from_secs(30))
        .build(dial)
}
