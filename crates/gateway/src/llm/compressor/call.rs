//! A single call of a remote compressor.

use bytes::Bytes;
use http::header::{ACCEPT, CONTENT_TYPE, HeaderMap, HeaderValue};
use http::{Method, Request, Uri};
use http_body_util::{BodyExt, Limited};
use tersely_engine::CompressorAsk;

use crate::http::client::{HttpVersions, Pools};
use crate::http::memory_budget::MemoryBudget;
use crate::http::request_body::OutgoingBody;
use crate::llm::compressor::settings::CompressorSettings;
use crate::llm::compressor::shape::{self, CompressorReply};

/// The maximum size of a response.
const MAX_RESPONSE_BYTES: usize = 4 << 20;

/// The reason why a call failed.
pub(crate) enum CallFault {
    /// The server is unreachable, or reports an internal error.
    Down,
    /// The server refused the request, or its response is unreadable; the cause may be only this request or its
    /// credential.
    Refused,
}

/// Calls the compressor.
pub(crate) async fn call(
    pools: &Pools,
    settings: &CompressorSettings,
    (address, mut headers): (Uri, HeaderMap),
    ask: &CompressorAsk,
) -> Result<CompressorReply, CallFault> {
    let body = Bytes::from(shape::body(settings, ask).to_string());
    let sent = body.len();
    headers.insert(CONTENT_TYPE, HeaderValue::from_static("application/json"));
    headers.insert(ACCEPT, HeaderValue::from_static("application/json"));
    let mut request = Request::new(OutgoingBody::whole(body, None, MemoryBudget::default()));
    *request.method_mut() = Method::POST;
    *request.uri_mut() = address;
    *request.headers_mut() = headers;
    let versions = if settings.endpoint.is_secure() { HttpVersions::Any } else { HttpVersions::One };
    let (response, _permit) = pools.send(versions, request).await;
    let response = response.map_err(|_| CallFault::Down)?;
    match response.status() {
        status if status.is_success() => {}
        status if status.is_server_error() => return Err(CallFault::Down),
        _ => return Err(CallFault::Refused),
    }
    let body = Limited::new(response.into_body(), MAX_RESPONSE_BYTES).collect().await;
    let body = body.map_err(|_| CallFault::Down)?.to_bytes();
    let heard = shape::read(settings.shape, &body).ok_or(CallFault::Refused)?;
    let tokens = heard.tokens.or_else(|| Some(shape::estimate(sent + body.len())));
    Ok(CompressorReply { tokens, ..heard })
}
