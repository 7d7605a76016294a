//! What answers the requests that a listener takes.

use std::future::Future;
use std::sync::Arc;

use http::{Request, Response};
use hyper::body::Incoming;

use crate::http::response::Reply;
use crate::settings::GatewaySettings;
use crate::shutdown::GateLife;

/// A door behind a listener.
pub(crate) trait Front: Send + Sync + 'static {
    /// What it was told.
    fn settings(&self) -> &GatewaySettings;

    /// How it ends.
    fn life(&self) -> &GateLife;

    /// How many streams a connection of HTTP/2 may have at a time; a client with more opens another connection.
    fn streams(&self) -> u32 {
        100
    }

    /// Answers a request, whatever becomes of it.
    fn enter(self: Arc<Self>, request: Request<Incoming>) -> impl Future<Output = Response<Reply>> + Send;
}
