//! What a listener serves: how it answers a request, and how it refuses one.

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

/// What a listener serves.
pub(crate) trait Handler: Send + Sync + 'static {
    /// The configuration.
    fn settings(&self) -> &GatewaySettings;

    /// Its shutdown, which tasks can wait for.
    fn shutdown(&self) -> &Shutdown;

    /// The guards that its requests pass.
    fn admission(&self) -> &Admission;

    /// Concurrent streams of an HTTP/2 connection; a client with more opens another connection.
    fn streams(&self) -> u32 {
        100
    }

    /// Where a request may carry its key.
    fn key_location<B>(&self, _request: &Request<B>) -> KeyLocation {
        KeyLocation::Own
    }

    /// Identifies the sender of a request that no tenant is known for, so that its requests can be counted.
    fn sender<B>(&self, _request: &Request<B>) -> Option<Vec<u8>> {
        None
    }

    /// The response to a request that a guard has refused.
    fn refuse(&self, parts: &Parts, error: &Error) -> Response<Reply>;

    /// The response to a request that has passed all guards; it holds its slot until it has been sent.
    fn answer(
        self: Arc<Self>,
        request: Request<Incoming>,
        slot: RequestSlot,
    ) -> impl Future<Output = Response<Reply>> + Send;
}
