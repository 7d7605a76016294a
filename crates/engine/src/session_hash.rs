//! Tells the conversations of a client apart.

use memchr::memmem;
use tersely_account::stable_hash;
use tersely_wire::{HistoryPlace, Reading, UserPrompt};

use crate::memo::past::Past;
use crate::overrides::request_options::RequestOptions;
use crate::request::Request;

/// A hash that distinguishes a conversation from others of the same client: a hash of the session's name, or of the
/// user's first message. Every request of a conversation contains that message, while tools and system prompts may
/// change.
pub(crate) fn session(
    request: &Request<'_>,
    asked: &RequestOptions,
    reading: &Reading<'_>,
    past: Option<&Past>,
) -> Option<u64> {
    if request.named.is_some() {
        return request.named;
    }
    if let Some(name) = &asked.session.id {
        return Some(stable_hash(&("named", name)));
    }
    if reading.history() == HistoryPlace::Elsewhere {
        return None;
    }
    opening_hash(reading, past)
}

/// A hash of the user's first message; the one of `past` if it is the same message.
pub(crate) fn opening_hash(reading: &Reading<'_>, past: Option<&Past>) -> Option<u64> {
    let first: Vec<_> = first_message(reading).iter().map(|prompt| prompt.token).collect();
    let known = past.and_then(|past| past.begun_hash(&first));
    known.or_else(|| (!first.is_empty()).then(|| stable_hash(&("begun", first))))
}

/// The texts of the first user message. A `role` between two texts means that they belong to different messages.
pub(crate) fn first_message<'r, 'a>(reading: &'r Reading<'a>) -> &'r [UserPrompt<'a>] {
    let (prompts, body) = (reading.prompts(), reading.body());
    let apart = |pair: &[UserPrompt<'_>]| {
        memmem::find(&body[pair[0].span.end..pair[1].span.start], b"\"role\"").is_some()
    };
    let last = prompts.windows(2).position(apart);
    &prompts[..last.map_or(prompts.len(), |last| last + 1)]
}
