//! Says what Gemini calls its counts and its errors.

use crate::hidden::counts::Counts;
use crate::hidden::watch::{Failure, Usage};
use crate::json::text::quoted;

/// What the provider calls its counts.
pub(super) type Tokens = Counts<6>;

pub(super) fn no_tokens() -> Tokens {
    Counts::new([
        "promptTokenCount",
        "cachedContentTokenCount",
        "candidatesTokenCount",
        "thoughtsTokenCount",
        "toolUsePromptTokenCount",
        "totalTokenCount",
    ])
}

/// What was cached counts as part of the prompt.
pub(super) fn usage(tokens: &Tokens) -> Usage {
    let [prompt, cached, said, thought, results, _] = tokens.of;
    let input = prompt.saturating_sub(cached).saturating_add(results);
    Usage { input, cached, written: 0, output: said.saturating_add(thought) }
}

/// The provider's error for these words.
pub(super) fn error(failure: Failure<'_>) -> String {
    let (message, status) = (quoted(failure.message), quoted(failure.kind.unwrap_or("UNAVAILABLE")));
    format!(r#"{{"error":{{"code":{},"message":{message},"status":{status}}}}}"#, failure.status)
}
