//! Removes the headers that must not be forwarded, such as hop-by-hop headers.

use http::header::{
    CONNECTION, CONTENT_LENGTH, COOKIE, EXPECT, HOST, HeaderMap, HeaderName, HeaderValue, PROXY_AUTHENTICATE,
    PROXY_AUTHORIZATION, TE, TRANSFER_ENCODING, UPGRADE,
};

/// The prefix of our own headers, which are never forwarded.
const OURS: &str = "x-tersely-";

/// Another gateway's header for the minimum length of a text to compress. We read it too, and do not forward it.
pub(crate) const THRESHOLD: HeaderName = HeaderName::from_static("x-compression-threshold");

/// Removes the headers that an upstream should not receive. The HTTP client sets the host again, and "100 Continue" has
/// already been answered here.
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

/// True for a header that is meant for us and is not forwarded.
pub(crate) fn is_ours(name: &HeaderName) -> bool {
    name.as_str().starts_with(OURS) || *name == THRESHOLD
}

/// Joins cookie headers into one, because HTTP/2 may send each cookie in a header of its own.
pub(crate) fn join_cookies(headers: &mut HeaderMap) {
    let crumbs: Vec<_> = headers.get_all(COOKIE).into_iter().map(HeaderValue::as_bytes).collect();
    if crumbs.len() < 2 {
        return;
    }
    if let Ok(whole) = HeaderValue::from_bytes(&crumbs.join(&b"; "[..])) {
        headers.insert(COOKIE, whole);
    }
}

/// Removes the headers that a client should not receive.
pub(crate) fn from_response(headers: &mut HeaderMap) {
    strip(headers);
    headers.remove(PROXY_AUTHENTICATE);
}

/// True if the `Connection` header lists `token`.
pub(crate) fn names(headers: &HeaderMap, token: &str) -> bool {
    tokens(headers).any(|one| one.eq_ignore_ascii_case(token))
}

fn strip(headers: &mut HeaderMap) {
    if headers.contains_key(CONNECTION) {
        let named: Vec<_> = tokens(headers).filter_map(|token| token.parse::<HeaderName>().ok()).collect();
        // A client must not be able to remove the content length: two readers would disagree where the body ends.
        for name in named.into_iter().filter(|name| *name != CONTENT_LENGTH) {
            headers.remove(name);
        }
        headers.remove(CONNECTION);
    }
    // If both headers are present, the chunked encoding applies; a length next to it could be used for request
    // smuggling.
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
