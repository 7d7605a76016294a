//! One call of a compressor: there and back, within bounds.

use bytes::Bytes;
use http::header::{ACCEPT, CONTENT_TYPE, HeaderMap, HeaderValue};
use http::{Request, Uri};
use http_body_util::{BodyExt, Limited};
use tersely_engine::CompressorAsk;

use crate::client::{Pools, Speaks};
use crate::held::Held;
use crate::llm::compressor::settings::CompressorSettings;
use crate::llm::compressor::shape::{self, Heard};
use crate::outgoing::Outgoing;

/// No honest answer is longer.
const LONGEST: usize = 4 << 20;

/// What a compressor says; `None` when it cannot be reached, refuses, or says nothing that can be read.
pub(crate) async fn call(
    pools: &Pools,
    settings: &CompressorSettings,
    (address, mut headers): (Uri, HeaderMap),
    ask: &CompressorAsk,
) -> Option<Heard> {
    let body = Bytes::from(shape::body(settings, ask).to_string());
    let sent = body.len();
    headers.insert(CONTENT_TYPE, HeaderValue::from_static("application/json"));
    headers.insert(ACCEPT, HeaderValue::from_static("application/json"));
    let mut request = Request::post(address).body(Outgoing::whole(body, None, Held::default())).ok()?;
    *request.headers_mut() = headers;
    let speaks = if settings.endpoint.is_secure() { Speaks::Any } else { Speaks::One };
    let (response, _lane) = pools.send(speaks, request).await;
    let response = response.ok().filter(|response| response.status().is_success())?;
    let body = Limited::new(response.into_body(), LONGEST).collect().await.ok()?.to_bytes();
    let heard = shape::read(settings.shape, &body)?;
    let tokens = heard.tokens.or_else(|| Some(shape::estimate(sent + body.len())));
    Some(Heard { tokens, ..heard })
}
