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

#[cfg(test)]
mod tests {
    use tersely_wire::PROVIDERS;

    use super::*;

    fn hash(request: &Request<'_>, body: &str) -> Option<u64> {
        let reading = request.provider.read(body.as_bytes());
        session(request, &request.asked, &reading, None)
    }

    fn request(provider: &str) -> Request<'static> {
        let provider = PROVIDERS.into_iter().find(|it| it.name() == provider).expect("a provider");
        Request::new(provider, "/")
    }

    fn messages(texts: &[&str], rest: &str) -> String {
        let texts: Vec<_> =
            texts.iter().map(|text| format!(r#"{{"type":"text","text":"{text}"}}"#)).collect();
        let first = format!(r#"{{"role":"user","content":[{}]}}"#, texts.join(","));
        format!(r#"{{"system":"s","messages":[{first}{rest}]}}"#)
    }

    const MORE: &str = r#",{"role":"assistant","content":"ok"},{"role":"user","content":"and now?"}"#;

    #[test]
    fn a_conversation_keeps_its_hash_while_it_grows_and_its_frame_changes() {
        let request = request("anthropic");
        let first = hash(&request, &messages(&["a", "b"], ""));
        assert!(first.is_some());
        let grown = messages(&["a", "b"], MORE);
        let framed = grown.replace(r#""system":"s""#, r#""system":"other","tools":[{"name":"x"}]"#);
        for same in [&grown, &framed, &grown.replace("},{", "} , {")] {
            assert_eq!(hash(&request, same), first, "{same}");
        }
        for other in [&["a"][..], &["b", "a"], &["ab"], &["a", "b", "c"], &["a", ""]] {
            assert_ne!(hash(&request, &messages(other, MORE)), first, "{other:?}");
        }
    }

    /// A text that merely mentions a role begins no message.
    #[test]
    fn a_role_in_a_text_divides_no_message() {
        let request = request("anthropic");
        let quoted = hash(&request, &messages(&[r#"{\"role\":\"user\"}"#, "one"], MORE));
        assert_ne!(quoted, hash(&request, &messages(&[r#"{\"role\":\"user\"}"#, "two"], MORE)));
    }

    #[test]
    fn a_name_counts_more_than_the_first_message() {
        let mut request = request("anthropic");
        let (one, two) = (messages(&["one"], ""), messages(&["two"], ""));
        assert_ne!(hash(&request, &one), hash(&request, &two));
        request.asked.session.id = Some("s".to_owned());
        let named = hash(&request, &one);
        assert!(named.is_some() && named == hash(&request, &two));
        request.asked.session.id = Some("t".to_owned());
        assert_ne!(hash(&request, &one), named);
        request.named = Some(7);
        assert_eq!(hash(&request, &one), Some(7), "a header counts most");
    }

    #[test]
    fn what_shows_no_beginning_has_no_hash() {
        assert_eq!(hash(&request("anthropic"), r#"{"messages":[]}"#), None);
        assert_eq!(hash(&request("anthropic"), "no json"), None);
        let continued = r#"{"previous_response_id":"r","input":"go on"}"#;
        assert_eq!(hash(&request("responses"), continued), None, "its first message is elsewhere");
        assert!(hash(&request("responses"), r#"{"input":"go on"}"#).is_some());
        let named = Request { named: Some(3), ..request("responses") };
        assert_eq!(hash(&named, continued), Some(3));
    }
}
