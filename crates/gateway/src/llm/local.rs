//! Answers what is asked of us and not of an upstream: whether we live, and whether a web page may call.

use bytes::Bytes;
use http::header::{
    ACCESS_CONTROL_ALLOW_HEADERS, ACCESS_CONTROL_ALLOW_METHODS, ACCESS_CONTROL_ALLOW_ORIGIN,
    ACCESS_CONTROL_MAX_AGE, ACCESS_CONTROL_REQUEST_HEADERS, ACCESS_CONTROL_REQUEST_METHOD, CONTENT_TYPE,
    HeaderMap, HeaderValue, ORIGIN, SERVER, VARY,
};
use http::{Method, Request, Response, StatusCode};
use tokio_util::sync::CancellationToken;

use crate::http::host_check::is_preflight;
use crate::http::response::Reply;
use crate::llm::gate::GatewayState;
use crate::request_log::know;

/// Our own answer to a request, if it is for us.
pub(crate) fn answer<B>(gate: &GatewayState, request: &Request<B>) -> Option<Response<Reply>> {
    let preflight = || is_preflight(request).then(|| preflight(gate, request.headers()));
    probed(&gate.life.leave, request).or_else(preflight)
}

/// The answer to whoever asks whether a gateway lives, and whether it takes requests; it says by `leave` when it soon
/// does not.
pub(crate) fn probed<B>(leave: &CancellationToken, request: &Request<B>) -> Option<Response<Reply>> {
    match (request.method(), request.uri().path()) {
        (&Method::GET | &Method::HEAD, "/health" | "/healthz") => {
            Some(state(StatusCode::OK, r#"{"status":"ok"}"#))
        }
        (&Method::GET | &Method::HEAD, "/readyz") => Some(ready(leave)),
        _ => None,
    }
}

/// The origin of the page that a request comes from, if it may call.
pub(crate) fn origin(gate: &GatewayState, headers: &HeaderMap) -> Option<HeaderValue> {
    headers.get(ORIGIN).filter(|origin| gate.settings.origins.allow(origin)).cloned()
}

/// Lets the page read a response, unless the upstream has said who may.
pub(crate) fn open(origin: HeaderValue, headers: &mut HeaderMap) {
    if !headers.contains_key(ACCESS_CONTROL_ALLOW_ORIGIN) {
        headers.insert(ACCESS_CONTROL_ALLOW_ORIGIN, origin);
        headers.append(VARY, HeaderValue::from_static("origin"));
    }
}

fn ready(leave: &CancellationToken) -> Response<Reply> {
    if leave.is_cancelled() {
        return state(StatusCode::SERVICE_UNAVAILABLE, r#"{"status":"draining"}"#);
    }
    state(StatusCode::OK, r#"{"status":"ready"}"#)
}

fn state(status: StatusCode, text: &'static str) -> Response<Reply> {
    let mut response = Response::new(Reply::Ours(Some(Bytes::from_static(text.as_bytes()))));
    *response.status_mut() = status;
    response.headers_mut().insert(CONTENT_TYPE, HeaderValue::from_static("application/json"));
    // Whoever looks for us can tell us from others on the same port.
    response.headers_mut().insert(SERVER, HeaderValue::from_static("tersely"));
    know(response.extensions_mut(), |known| known.is_probe = true);
    response
}

/// The answer to a browser that asks before it calls; any other use of `OPTIONS` is for the upstream.
fn preflight(gate: &GatewayState, asked: &HeaderMap) -> Response<Reply> {
    let mut response = Response::new(Reply::Ours(None));
    *response.status_mut() = StatusCode::NO_CONTENT;
    let Some(origin) = origin(gate, asked) else { return response };
    let headers = response.headers_mut();
    headers.extend(
        asked.get(ACCESS_CONTROL_REQUEST_METHOD).map(|it| (ACCESS_CONTROL_ALLOW_METHODS, it.clone())),
    );
    headers.insert(ACCESS_CONTROL_MAX_AGE, HeaderValue::from_static("600"));
    if let Some(names) = asked.get(ACCESS_CONTROL_REQUEST_HEADERS) {
        headers.insert(ACCESS_CONTROL_ALLOW_HEADERS, names.clone());
    }
    open(origin, headers);
    response
}
