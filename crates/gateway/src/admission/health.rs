//! Liveness and readiness checks.

use bytes::Bytes;
use http::header::{CONTENT_TYPE, HeaderValue, SERVER};
use http::{Method, Request, Response, StatusCode};
use tokio_util::sync::CancellationToken;

use crate::http::response::Reply;
use crate::request_log::know;

/// The response to a health check, if the request is one. The gateway is not ready once `notice` is cancelled.
pub(super) fn answer<B>(notice: &CancellationToken, request: &Request<B>) -> Option<Response<Reply>> {
    match (request.method(), request.uri().path()) {
        (&Method::GET | &Method::HEAD, "/health" | "/healthz") => {
            Some(status(StatusCode::OK, r#"{"status":"ok"}"#))
        }
        (&Method::GET | &Method::HEAD, "/readyz") => Some(readiness(notice)),
        _ => None,
    }
}

fn readiness(notice: &CancellationToken) -> Response<Reply> {
    if notice.is_cancelled() {
        return status(StatusCode::SERVICE_UNAVAILABLE, r#"{"status":"draining"}"#);
    }
    status(StatusCode::OK, r#"{"status":"ready"}"#)
}

fn status(status: StatusCode, text: &'static str) -> Response<Reply> {
    let mut response = Response::new(Reply::Ours(Some(Bytes::from_static(text.as_bytes()))));
    *response.status_mut() = status;
    response.headers_mut().insert(CONTENT_TYPE, HeaderValue::from_static("application/json"));
    // Distinguishes this gateway from other servers on the same port.
    response.headers_mut().insert(SERVER, HeaderValue::from_static("tersely"));
    know(response.extensions_mut(), |known| known.is_probe = true);
    response
}
