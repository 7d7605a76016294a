//! Writes an error in the shape that the provider's own clients read.

use bytes::Bytes;
use http::header::{CONTENT_TYPE, HeaderValue, RETRY_AFTER};
use http::{Response, StatusCode};
use serde_json::{Value, json};

use crate::error::Error;
use crate::llm::provider::Provider;
use crate::reply::Reply;

/// The response that tells a client of an error. When we are full, it also says when to come back.
pub(crate) fn answer(provider: Option<Provider>, error: &Error) -> Response<Reply> {
    let text = body(provider.unwrap_or(Provider::OpenAi), error.status, &error.message).to_string();
    let mut response = Response::new(Reply::Ours(Some(Bytes::from(text))));
    *response.status_mut() = error.status;
    response.headers_mut().insert(CONTENT_TYPE, HeaderValue::from_static("application/json"));
    if matches!(error.status, StatusCode::SERVICE_UNAVAILABLE | StatusCode::TOO_MANY_REQUESTS) {
        response.headers_mut().insert(RETRY_AFTER, HeaderValue::from_static("1"));
    }
    response
}

fn body(provider: Provider, status: StatusCode, message: &str) -> Value {
    let message = format!("tersely: {message}");
    match provider {
        Provider::Anthropic => {
            json!({"type": "error", "error": {"type": anthropic(status), "message": message}})
        }
        Provider::OpenAi => {
            json!({"error": {"message": message, "type": openai(status), "param": null, "code": null}})
        }
        Provider::Gemini => {
            json!({"error": {"code": status.as_u16(), "message": message, "status": gemini(status)}})
        }
        Provider::Ollama => json!({"error": message}),
    }
}

fn anthropic(status: StatusCode) -> &'static str {
    match status.as_u16() {
        404 => "not_found_error",
        413 => "request_too_large",
        429 => "rate_limit_error",
        503 => "overloaded_error",
        504 => "timeout_error",
        code if code >= 500 => "api_error",
        _ => "invalid_request_error",
    }
}

fn openai(status: StatusCode) -> &'static str {
    match status.as_u16() {
        429 => "rate_limit_error",
        code if code >= 500 => "server_error",
        _ => "invalid_request_error",
    }
}

fn gemini(status: StatusCode) -> &'static str {
    match status.as_u16() {
        404 => "NOT_FOUND",
        429 => "RESOURCE_EXHAUSTED",
        502 | 503 => "UNAVAILABLE",
        408 | 504 => "DEADLINE_EXCEEDED",
        code if code >= 500 => "INTERNAL",
        _ => "INVALID_ARGUMENT",
    }
}
