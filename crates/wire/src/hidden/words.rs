//! Texts that a client gets from us: why a response ends as it does.

use crate::protocol::failure::RoundFailure;

/// The text of a response in which the model wrote nothing for its client.
pub(crate) const SILENCE: &str =
    "(The model only asked for text that was left out of this conversation, and said nothing else.)";

/// The same for a model that was stopped, in its own message.
pub(crate) const KEPT_ASKING: &str =
    "The model kept asking for text that had been left out of its context, and gave no answer.";

/// The error in place of a response with a call of the hidden tool that cannot be read.
pub(crate) const UNREADABLE: RoundFailure<'_> =
    RoundFailure { status: 502, kind: None, message: "the upstream's response cannot be read" };

/// The separator of two texts in one message: a blank line, since each is a text of its own.
pub(crate) fn gap_between(before: Option<char>, after: Option<char>) -> &'static str {
    let is_ink = |character: Option<char>| character.is_some_and(|character| !character.is_whitespace());
    if is_ink(before) && is_ink(after) { "\n\n" } else { "" }
}
