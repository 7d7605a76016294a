//! Formats an error as the provider's own clients expect it.

use bytes::Bytes;
use http::header::{CONTENT_TYPE, HeaderValue, RETRY_AFTER};
use http::{Response, StatusCode};

use crate::error::Error;
use crate::http::response::Reply;
use crate::request_log::know;
use crate::vendor::Vendor;

/// The response for an error, with a retry hint if a limit was reached.
pub(crate) fn answer(provider: Option<Vendor>, error: &Error) -> Response<Reply> {
    let message = format!("tersely: {}", error.message);
    let text = provider.unwrap_or(Vendor::OpenAi).error(error.status, &message).to_string();
    let mut response = Response::new(Reply::Ours(Some(Bytes::from(text))));
    *response.status_mut() = error.status;
    response.headers_mut().insert(CONTENT_TYPE, HeaderValue::from_static("application/json"));
    know(response.extensions_mut(), |known| known.fault = Some((error.side, error.message.as_str().into())));
    if matches!(error.status, StatusCode::SERVICE_UNAVAILABLE | StatusCode::TOO_MANY_REQUESTS) {
        response.headers_mut().insert(RETRY_AFTER, HeaderValue::from_static("1"));
    }
    response
}
