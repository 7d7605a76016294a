//! Refuses requests that no upstream should see.

use http::{Method, Request, StatusCode};

use crate::error::Error;
use crate::settings::GatewayLimits;

/// An error for a request that is not one to forward: we are no proxy for other places.
pub(crate) fn check<B>(limits: &GatewayLimits, request: &Request<B>) -> Result<(), Error> {
    if [Method::CONNECT, Method::TRACE].contains(request.method()) {
        return Err(Error::client(StatusCode::METHOD_NOT_ALLOWED, "method not allowed"));
    }
    // In HTTP/1 they are counted as they are read.
    if request.headers().len() > limits.headers {
        return Err(Error::client(StatusCode::REQUEST_HEADER_FIELDS_TOO_LARGE, "too many headers"));
    }
    Ok(())
}
