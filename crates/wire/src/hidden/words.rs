//! The texts that we send to a client to explain why a response ends.

use crate::protocol::failure::RoundFailure;

/// The text of a response in which the model wrote nothing for the client.
pub(crate) const SILENCE: &str =
    "(The model only asked for text that was left out of this conversation, and said nothing else.)";

/// The text of a response in which the model kept calling the hidden tool until it was stopped.
pub(crate) const KEPT_ASKING: &str =
    "The model kept asking for text that had been left out of its context, and gave no answer.";

/// The error that replaces a response with a hidden call that cannot be read.
pub(crate) const UNREADABLE: RoundFailure<'_> =
    RoundFailure { status: 502, kind: None, message: "the upstream's response cannot be read" };

/// The separator between two texts in one message: a blank line, because the texts are independent.
pub(crate) fn gap_between(before: Option<char>, after: Option<char>) -> &'static str {
    let is_ink = |character: Option<char>| character.is_some_and(|character| !character.is_whitespace());
    if is_ink(before) && is_ink(after) { "\n\n" } else { "" }
}
