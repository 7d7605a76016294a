//! Refuses requests that must not be forwarded.

use http::{Method, Request, StatusCode};

use crate::error::Error;
use crate::settings::GatewayLimits;

/// Returns an error if a request must not be forwarded: the gateway is not a general proxy.
pub(crate) fn check<B>(limits: &GatewayLimits, request: &Request<B>) -> Result<(), Error> {
    if [Method::CONNECT, Method::TRACE].contains(request.method()) {
        return Err(Error::client(StatusCode::METHOD_NOT_ALLOWED, "method not allowed"));
    }
    // In HTTP/1, headers are already counted while they are read.
    if request.headers().len() > limits.headers {
        return Err(Error::client(StatusCode::REQUEST_HEADER_FIELDS_TOO_LARGE, "too many headers"));
    }
    Ok(())
}
