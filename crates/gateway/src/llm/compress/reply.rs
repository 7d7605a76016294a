//! Creates JSON responses.

use http::Response;
use http::header::{CONTENT_TYPE, HeaderValue};

use crate::http::response::Reply;
use crate::llm::state::GatewayState;

/// Creates a JSON response. Its memory is counted until it has been sent.
pub(super) fn json(gate: &GatewayState, text: Vec<u8>) -> Response<Reply> {
    let mut response = Response::new(Reply::Ours(Some(gate.space.hold(text))));
    response.headers_mut().insert(CONTENT_TYPE, HeaderValue::from_static("application/json"));
    response
}
