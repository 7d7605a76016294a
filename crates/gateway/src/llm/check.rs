//! Refuses requests that no upstream should see.

use http::{Method, StatusCode};

use crate::error::Error;

/// An error for a request that is not one to forward: we are no proxy for other places.
pub(crate) fn check(method: &Method) -> Result<(), Error> {
    if *method == Method::CONNECT || *method == Method::TRACE {
        return Err(Error::client(StatusCode::METHOD_NOT_ALLOWED, "this method is not forwarded"));
    }
    Ok(())
}
