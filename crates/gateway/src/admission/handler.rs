//! The interface of a listener's handler: how it answers a request, and how it refuses one.

use std::future::Future;
use std::sync::Arc;

use http::request::Parts;
use http::{Request, Response};
use hyper::body::Incoming;

use super::state::Admission;
use crate::access::KeyLocation;
use crate::error::Error;
use crate::http::request_slots::RequestSlot;
use crate::http::response::Reply;
use crate::settings::GatewaySettings;
use crate::shutdown::Shutdown;

/// Handles the requests to a listener.
pub(crate) trait Handler: Send + Sync + 'static {
    /// The gateway's settings.
    fn settings(&self) -> &GatewaySettings;

    /// The listener's shutdown, which tasks can wait for.
    fn shutdown(&self) -> &Shutdown;

    /// The guards of the listener.
    fn admission(&self) -> &Admission;

    /// The maximum number of concurrent streams on an HTTP/2 connection; a client that needs more opens another
    /// connection.
    fn streams(&self) -> u32 {
        100
    }

    /// The headers in which this request may send its key.
    fn key_location<B>(&self, _request: &Request<B>) -> KeyLocation {
        KeyLocation::Own
    }

    /// Identifies the sender of a request without a known tenant, so that the sender's requests can be counted.
    fn sender<B>(&self, _request: &Request<B>) -> Option<Vec<u8>> {
        None
    }

    /// The response to a request that a guard refused.
    fn refuse(&self, parts: &Parts, error: &Error) -> Response<Reply>;

    /// The response to a request that has passed all guards. It keeps the request's slot until it has been sent.
    fn answer(
        self: Arc<Self>,
        request: Request<Incoming>,
        slot: RequestSlot,
    ) -> impl Future<Output = Response<Reply>> + Send;
}
