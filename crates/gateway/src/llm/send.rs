//! Sends a request to an upstream and waits for the head of its response.

use http::{Request, Response};
use hyper::body::Incoming;
use tokio::time::timeout;

use crate::error::{Error, Side};
use crate::http::client::{HttpVersions, StreamPermit};
use crate::http::request_body::OutgoingBody;
use crate::llm::state::GatewayState;
use crate::upstream::Upstream;

/// Sends a request and waits for the head of the response. While the client is still sending, only the client's
/// timeouts apply, because an upstream may wait for the whole body before it answers.
pub(crate) async fn send(
    gate: &GatewayState,
    upstream: &Upstream,
    versions: HttpVersions,
    request: Request<OutgoingBody>,
) -> Result<(Response<Incoming>, Option<StreamPermit>), Error> {
    let limit = gate.settings.timeouts.idle.filter(|_| !request.body().is_streamed());
    let sending = gate.pools.send(versions, request);
    let (response, permit) = match limit {
        Some(limit) => timeout(limit, sending).await.map_err(|_| Error::late(Side::Upstream))?,
        None => sending.await,
    };
    let response = response.map_err(|error| Error::upstream(upstream, error))?;
    Ok((response, permit))
}
