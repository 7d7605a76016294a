//! Says what Chat Completions calls its counts and its errors.

use serde_json::json;

use crate::hidden::tally::Tally;
use crate::hidden::watch::{Failure, Usage};

/// The counts in our words.
pub(super) fn usage(tally: &Tally) -> Usage {
    tally.usage("prompt_tokens", "completion_tokens")
}

/// The provider's error for these words.
pub(crate) fn error(failure: Failure<'_>) -> String {
    let kind = failure.kind.unwrap_or("server_error");
    json!({"error": {"message": failure.message, "type": kind, "param": null, "code": null}}).to_string()
}
