//! Takes away the headers that speak to the next hop only.

use http::header::{
    CONNECTION, CONTENT_LENGTH, COOKIE, EXPECT, HOST, HeaderMap, HeaderName, HeaderValue, PROXY_AUTHENTICATE,
    PROXY_AUTHORIZATION, TE, TRANSFER_ENCODING, UPGRADE,
};

/// How our own headers begin: they are for us, and stay here.
const OURS: &str = "x-tersely-";

/// The header by which other gateways are told what is too short to be compressed; it is for us as well.
pub(crate) const THRESHOLD: HeaderName = HeaderName::from_static("x-compression-threshold");

/// Leaves of a request's headers what its upstream should see. The host is set anew by the client; the wish for a
/// "100 Continue" has been answered here.
pub(crate) fn from_request(headers: &mut HeaderMap) {
    let trailers = wants_trailers(headers);
    strip(headers);
    for name in [HOST, EXPECT, PROXY_AUTHORIZATION] {
        headers.remove(name);
    }
    if trailers {
        headers.insert(TE, HeaderValue::from_static("trailers"));
    }
    let ours: Vec<_> = headers.keys().filter(|name| is_ours(name)).cloned().collect();
    for name in ours {
        headers.remove(name);
    }
}

/// True for a header that is for us, and stays here.
pub(crate) fn is_ours(name: &HeaderName) -> bool {
    name.as_str().starts_with(OURS) || *name == THRESHOLD
}

/// Puts cookies into one header again, which HTTP/2 may send one by one.
pub(crate) fn join_cookies(headers: &mut HeaderMap) {
    let crumbs: Vec<_> = headers.get_all(COOKIE).into_iter().map(HeaderValue::as_bytes).collect();
    if crumbs.len() < 2 {
        return;
    }
    if let Ok(whole) = HeaderValue::from_bytes(&crumbs.join(&b"; "[..])) {
        headers.insert(COOKIE, whole);
    }
}

/// Leaves of a response's headers what the client should see.
pub(crate) fn from_response(headers: &mut HeaderMap) {
    strip(headers);
    headers.remove(PROXY_AUTHENTICATE);
}

/// True when `Connection` names `token`.
pub(crate) fn names(headers: &HeaderMap, token: &str) -> bool {
    tokens(headers).any(|one| one.eq_ignore_ascii_case(token))
}

fn strip(headers: &mut HeaderMap) {
    if headers.contains_key(CONNECTION) {
        let named: Vec<_> = tokens(headers).filter_map(|token| token.parse::<HeaderName>().ok()).collect();
        // A name that says how long the body is may not be taken away by a client: two readers would then disagree.
        for name in named.into_iter().filter(|name| *name != CONTENT_LENGTH) {
            headers.remove(name);
        }
        headers.remove(CONNECTION);
    }
    // Where both stand, the chunks are right; a length beside them would be read as another request's beginning.
    if headers.remove(TRANSFER_ENCODING).is_some() {
        headers.remove(CONTENT_LENGTH);
    }
    for name in [TE, UPGRADE] {
        headers.remove(name);
    }
    for name in ["keep-alive", "proxy-connection"] {
        headers.remove(name);
    }
}

fn wants_trailers(headers: &HeaderMap) -> bool {
    let values = headers.get_all(TE).into_iter().filter_map(|value| value.to_str().ok());
    values.flat_map(|value| value.split(',')).any(|one| one.trim().eq_ignore_ascii_case("trailers"))
}

fn tokens(headers: &HeaderMap) -> impl Iterator<Item = &str> {
    let values = headers.get_all(CONNECTION).into_iter().filter_map(|value| value.to_str().ok());
    values.flat_map(|value| value.split(',')).map(str::trim)
}
