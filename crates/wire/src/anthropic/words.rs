//! Says what Anthropic calls its counts and its errors.

use crate::hidden::counts::Counts;
use crate::hidden::watch::{Failure, Usage};
use crate::json::text::quoted;

/// What the provider calls its counts.
pub(super) type Tokens = Counts<4>;

pub(super) fn no_tokens() -> Tokens {
    Counts::new(["input_tokens", "cache_read_input_tokens", "cache_creation_input_tokens", "output_tokens"])
}

pub(super) fn usage(tokens: &Tokens) -> Usage {
    let [input, cached, written, output] = tokens.of;
    Usage { input, cached, written, output }
}

/// The provider's error for these words.
pub(super) fn error(failure: Failure<'_>) -> String {
    let (kind, message) = (quoted(failure.kind.unwrap_or("api_error")), quoted(failure.message));
    format!(r#"{{"type":"error","error":{{"type":{kind},"message":{message}}}}}"#)
}
