//! Converts the head of a request from and to Envoy's messages.

use bytes::Bytes;
use http::header::{CONTENT_ENCODING, CONTENT_LENGTH, HOST, HeaderMap, HeaderName, HeaderValue};
use http::{Method, Request, Uri};

use crate::extproc::message::{
    BodyMutation, HeaderList, HeaderMutation, HeaderSetting, HttpBody, NamedValue, PartChange, PartResponse,
};
use crate::http::hop_by_hop::is_ours;

/// Builds a request from these headers; `None` if they do not form a request. Invalid headers are ignored.
pub(super) fn request(list: HeaderList) -> Option<Request<()>> {
    let (mut method, mut path, mut headers) = (None, None, HeaderMap::with_capacity(list.headers.len()));
    for NamedValue { name, text, raw } in list.headers {
        let value = if raw.is_empty() { text } else { raw };
        match &*name {
            b":method" => method = Method::from_bytes(&value).ok(),
            b":path" => path = Uri::from_maybe_shared(value).ok(),
            b":authority" => headers.extend(HeaderValue::from_maybe_shared(value).ok().map(|it| (HOST, it))),
            name => {
                let header =
                    HeaderName::from_bytes(name).ok().zip(HeaderValue::from_maybe_shared(value).ok());
                if let Some((name, value)) = header {
                    headers.append(name, value);
                }
            }
        }
    }
    let mut request = Request::new(());
    (*request.method_mut(), *request.uri_mut(), *request.headers_mut()) = (method?, path?, headers);
    Some(request)
}

/// Leaves the head unchanged, except that our own headers are removed.
pub(super) fn strip_our_headers(headers: &HeaderMap) -> PartResponse {
    let ours: Vec<_> = headers.keys().filter(|name| is_ours(name)).map(ToString::to_string).collect();
    if ours.is_empty() {
        return PartResponse::default();
    }
    let headers = Some(HeaderMutation { remove: ours, ..HeaderMutation::default() });
    PartResponse { change: Some(PartChange { headers, body: None }) }
}

/// Replaces a body, sets its exact length, and removes its content coding.
pub(super) fn replace_body(body: Bytes) -> PartResponse {
    let length = NamedValue {
        name: Bytes::from_static(CONTENT_LENGTH.as_str().as_bytes()),
        raw: Bytes::from(body.len().to_string()),
        ..NamedValue::default()
    };
    let set = vec![HeaderSetting { header: Some(length), action: HeaderSetting::OVERWRITE }];
    let headers = Some(HeaderMutation { set, remove: vec![CONTENT_ENCODING.to_string()] });
    let body = Some(BodyMutation { whole: Some(body), piece: None });
    PartResponse { change: Some(PartChange { headers, body }) }
}

/// Returns a chunk of a body unchanged.
pub(super) fn pass_piece(piece: HttpBody) -> PartResponse {
    let body = Some(BodyMutation { whole: None, piece: Some(piece) });
    PartResponse { change: Some(PartChange { headers: None, body }) }
}
