//! Checks that an upstream is reachable, through the same proxy and with the same trusted certificates as forwarded
//! requests.

use http::{HeaderMap, Request, StatusCode};
use tokio::time::timeout;

use crate::error::{Error, Side};
use crate::http::client::{HttpVersions, Pools};
use crate::http::request_body::OutgoingBody;
use crate::settings::GatewaySettings;
use crate::upstream::Upstream;

/// Returns the upstream's response to `HEAD path`; any status means that the upstream is reachable. No credentials are
/// sent.
///
/// # Errors
/// Fails if there is no response within the connect timeout, or if a setting is invalid.
pub async fn probe(
    settings: &GatewaySettings,
    upstream: &Upstream,
    path: &str,
) -> Result<(StatusCode, HeaderMap), Error> {
    send(settings, upstream, Request::head(path).body(OutgoingBody::default())).await
}

/// Returns the upstream's response to `GET path` with these headers; the body is not read.
///
/// # Errors
/// Fails as [`probe`] does.
pub async fn fetch(
    settings: &GatewaySettings,
    upstream: &Upstream,
    path: &str,
    headers: HeaderMap,
) -> Result<(StatusCode, HeaderMap), Error> {
    let request = Request::get(path).body(OutgoingBody::default()).map(|mut request| {
        *request.headers_mut() = headers;
        request
    });
    send(settings, upstream, request).await
}

async fn send(
    settings: &GatewaySettings,
    upstream: &Upstream,
    request: Result<Request<OutgoingBody>, http::Error>,
) -> Result<(StatusCode, HeaderMap), Error> {
    let pools = Pools::new(settings)?;
    let mut request = request.map_err(|error| Error::setting("invalid path").because(error))?;
    *request.uri_mut() = upstream.address(request.uri())?;
    let versions = if upstream.is_secure() { HttpVersions::Any } else { HttpVersions::One };
    let sending = timeout(settings.timeouts.connect, pools.send(versions, request));
    let (response, _permit) = sending.await.map_err(|_| Error::late(Side::Upstream))?;
    let (parts, _) = response.map_err(|error| Error::upstream(upstream, error))?.into_parts();
    Ok((parts.status, parts.headers))
}
