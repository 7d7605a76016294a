//! Reports why a further round failed, as if the client had sent that round itself.

use http::header::CONTENT_ENCODING;
use http::{Response, StatusCode};
use serde_json::Value;
use tersely_wire::hidden::RoundFailure;

use crate::error::Error;
use crate::http::response_body::UpstreamBody;
use crate::upstream::Upstream;

/// The maximum length of an upstream's error message in our own.
const MAX_MESSAGE_CHARS: usize = 2000;

/// A failed round.
pub(crate) struct RoundError {
    pub(crate) error: Error,
    /// The upstream's response, unchanged.
    pub(crate) answer: Option<Box<Response<UpstreamBody>>>,
    /// The upstream's name for the error, and its message.
    kind: Option<String>,
    message: String,
}

impl From<Error> for RoundError {
    fn from(error: Error) -> Self {
        let message = error.message.clone();
        Self { error, answer: None, kind: None, message }
    }
}

impl RoundError {
    /// Creates the error for an upstream that answered with an error.
    pub(crate) async fn from_response(upstream: &Upstream, mut answer: Response<UpstreamBody>) -> Self {
        let status = answer.status();
        let message = format!("the upstream {upstream} answered a further round with {status}");
        let is_coded = answer.headers().contains_key(CONTENT_ENCODING);
        let (kind, words) = if is_coded { (None, None) } else { read(&answer.body_mut().read_error().await) };
        let words = words.map(|words| format!("{message}: {words}"));
        let told = words.unwrap_or_else(|| message.clone());
        let error = Error::of_upstream(status, message);
        Self { error, answer: Some(Box::new(answer)), kind, message: told }
    }

    /// Creates the error for an upstream whose response has an unexpected format.
    pub(crate) fn unexpected_format(upstream: &Upstream, status: StatusCode) -> Self {
        let message = format!(
            "the upstream {upstream} answered a further round with {status}, in an unexpected format"
        );
        Error::of_upstream(StatusCode::BAD_GATEWAY, message).into()
    }

    /// The error to write into a response that has already begun.
    pub(crate) fn failure(&self) -> RoundFailure<'_> {
        let status = self.error.status.as_u16();
        RoundFailure { status, kind: self.kind.as_deref(), message: &self.message }
    }
}

/// Reads the error's name and message from a response body.
fn read(body: &[u8]) -> (Option<String>, Option<String>) {
    let Ok(value) = serde_json::from_slice::<Value>(body) else { return (None, plain(body)) };
    let value = value.get(0).unwrap_or(&value);
    let (error, word) = (&value["error"], |value: &Value| value.as_str().map(clip));
    let kind = [&error["code"], &error["type"], &error["status"]].into_iter().find_map(word);
    let message = [&error["message"], error, &value["message"], &value["detail"]].into_iter().find_map(word);
    (kind, message)
}

/// The body as plain text; an HTML page is ignored.
fn plain(body: &[u8]) -> Option<String> {
    let words = String::from_utf8_lossy(body);
    Some(clip(words.trim())).filter(|words| !words.is_empty() && !words.starts_with('<'))
}

fn clip(words: &str) -> String {
    words.chars().take(MAX_MESSAGE_CHARS).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn check(body: &str, kind: Option<&str>, message: Option<&str>) {
        assert_eq!(read(body.as_bytes()), (kind.map(str::to_owned), message.map(str::to_owned)), "{body}");
    }

    #[test]
    fn every_provider_is_understood() {
        check(
            r#"{"type":"error","error":{"type":"overloaded_error","message":"Overloaded"}}"#,
            Some("overloaded_error"),
            Some("Overloaded"),
        );
        check(
            r#"{"error":{"message":"slow","type":"tokens","param":null,"code":"rate_limit_exceeded"}}"#,
            Some("rate_limit_exceeded"),
            Some("slow"),
        );
        check(
            r#"{"error":{"message":"slow","type":"server_error","code":null}}"#,
            Some("server_error"),
            Some("slow"),
        );
        check(
            r#"[{"error":{"code":429,"message":"quota","status":"RESOURCE_EXHAUSTED"}}]"#,
            Some("RESOURCE_EXHAUSTED"),
            Some("quota"),
        );
        check(r#"{"error":"model not found"}"#, None, Some("model not found"));
        check(r#"{"detail":"Not allowed"}"#, None, Some("Not allowed"));
        check("upstream timed out\n", None, Some("upstream timed out"));
        for silent in ["", "{}", "[]", "null", "<html>no</html>", r#"{"error":{"message":7}}"#] {
            check(silent, None, None);
        }
        let (_, words) = read("é".repeat(9999).as_bytes());
        assert_eq!(words.map(|words| words.chars().count()), Some(MAX_MESSAGE_CHARS));
    }
}
