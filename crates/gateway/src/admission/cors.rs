//! Cross-origin requests: answers a browser's preflight, and lets allowed pages read the responses.

use http::header::{
    ACCESS_CONTROL_ALLOW_HEADERS, ACCESS_CONTROL_ALLOW_METHODS, ACCESS_CONTROL_ALLOW_ORIGIN,
    ACCESS_CONTROL_MAX_AGE, ACCESS_CONTROL_REQUEST_HEADERS, ACCESS_CONTROL_REQUEST_METHOD, HeaderMap,
    HeaderValue, ORIGIN, VARY,
};
use http::{Request, Response, StatusCode};

use super::host_check::is_preflight;
use crate::http::response::Reply;
use crate::settings::Origins;

/// The origin of the page that sent a request, if that page is allowed to.
pub(super) fn page(origins: &Origins, headers: &HeaderMap) -> Option<HeaderValue> {
    headers.get(ORIGIN).filter(|origin| origins.allow(origin)).cloned()
}

/// Lets the page read a response, unless the upstream has already set the header that determines which page may.
pub(super) fn open(origin: HeaderValue, headers: &mut HeaderMap) {
    if !headers.contains_key(ACCESS_CONTROL_ALLOW_ORIGIN) {
        headers.insert(ACCESS_CONTROL_ALLOW_ORIGIN, origin);
        headers.append(VARY, HeaderValue::from_static("origin"));
    }
}

/// The response to a preflight, if the request is one; any other `OPTIONS` request is for the upstream.
pub(super) fn preflight<B>(origins: &Origins, request: &Request<B>) -> Option<Response<Reply>> {
    if !is_preflight(request) {
        return None;
    }
    let asked = request.headers();
    let mut response = Response::new(Reply::Ours(None));
    *response.status_mut() = StatusCode::NO_CONTENT;
    let Some(origin) = page(origins, asked) else { return Some(response) };
    let headers = response.headers_mut();
    headers.extend(
        asked.get(ACCESS_CONTROL_REQUEST_METHOD).map(|it| (ACCESS_CONTROL_ALLOW_METHODS, it.clone())),
    );
    headers.insert(ACCESS_CONTROL_MAX_AGE, HeaderValue::from_static("600"));
    if let Some(names) = asked.get(ACCESS_CONTROL_REQUEST_HEADERS) {
        headers.insert(ACCESS_CONTROL_ALLOW_HEADERS, names.clone());
    }
    open(origin, headers);
    Some(response)
}
