//! Masks the secrets in a body before it is processed further, or refuses the request.

use std::sync::Arc;

use bytes::Bytes;
use http::StatusCode;
use http::request::Parts;

use crate::bypass::BypassReason;
use crate::error::Error;
use crate::http::content_encoding::{Coding, CodingFault};
use crate::http::signature::covers_body;
use crate::llm::read_body::{WholeBody, decoded_too_long, set_length};
use crate::llm::rewrite::Refusal;
use crate::llm::rewrite::Rewrite;
use crate::llm::state::GatewayState;

/// Returns the body that may be forwarded: unchanged if it contains no secrets, otherwise masked and decoded.
pub(crate) async fn seal(
    gate: &GatewayState,
    parts: &mut Parts,
    whole: WholeBody,
) -> Result<WholeBody, Error> {
    let (rewrite, limit) = (Arc::clone(&gate.rewrite), gate.settings.limits.body);
    let (coding, body) = (Coding::of(&parts.headers), whole.bytes.clone());
    let (weight, workers) = (coding.weight(limit, body.len()), &gate.workers);
    let work = move || search(&*rewrite, limit, coding, &body);
    let found = match coding {
        Coding::Identity => workers.run(weight, work).await,
        // The length of an encoded body is unknown until it is decoded.
        _ => workers.offload(weight, work).await,
    };
    let found = found.map_err(search_error)?;
    let Some(masked) = found.map_err(|why| Error::client(why.status, why.message))? else { return Ok(whole) };
    if covers_body(parts) {
        let why = "this body contains secrets that cannot be masked, because the request is signed";
        return Err(Error::client(StatusCode::BAD_REQUEST, why));
    }
    set_length(parts, masked.len());
    Ok(WholeBody { bytes: Bytes::from(masked), trailers: None, ..whole })
}

/// The decoded body with its secrets masked; `None` if it contains no secrets.
fn search(
    rewrite: &dyn Rewrite,
    limit: usize,
    coding: Coding,
    body: &Bytes,
) -> Result<Option<Vec<u8>>, Refusal> {
    match coding.decode(limit, body) {
        Ok(plain) => rewrite.seal(&plain),
        Err(CodingFault::TooLong) => Err(decoded_too_long(limit)),
        Err(CodingFault::Garbled) => Err(Refusal {
            status: StatusCode::UNSUPPORTED_MEDIA_TYPE,
            message: "Tersely cannot mask secrets in this content encoding; send the body uncompressed or with gzip"
                .to_owned(),
        }),
    }
}

/// The error for a body that could not be searched, and is therefore not forwarded.
fn search_error(why: BypassReason) -> Error {
    match why {
        BypassReason::Late | BypassReason::Full => Error::us(
            StatusCode::SERVICE_UNAVAILABLE,
            "no time to mask secrets right now, so the request was not sent; try again",
        ),
        BypassReason::Panicked | BypassReason::Coded | BypassReason::Signed => Error::us(
            StatusCode::INTERNAL_SERVER_ERROR,
            "searching for secrets failed, so the request was not sent",
        ),
    }
}
