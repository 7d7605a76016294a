//! What clients read that is not the model's: why a response ends as it does.

use crate::protocol::failure::RoundFailure;

/// What stands in a response whose model said nothing to its client.
pub(crate) const SILENCE: &str =
    "(The model only asked for text that was left out of this conversation, and said nothing else.)";

/// The same, where the model was stopped and the client's own message is all there is.
pub(crate) const KEPT_ASKING: &str =
    "The model kept asking for text that had been left out of its context, and gave no answer.";

/// Why a response is not shown that calls the hidden tool in a way that cannot be understood.
pub(crate) const UNREADABLE: RoundFailure<'_> =
    RoundFailure { status: 502, kind: None, message: "the upstream's response cannot be read" };

/// Text that follows other text in one message: with a blank line between, for each was said on its own.
pub(crate) fn gap_between(before: Option<char>, after: Option<char>) -> &'static str {
    let is_ink = |character: Option<char>| character.is_some_and(|character| !character.is_whitespace());
    if is_ink(before) && is_ink(after) { "\n\n" } else { "" }
}
