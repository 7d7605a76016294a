//! How long a request says that its prompt is to be cached.

use memchr::memmem;

use crate::request::reading::Reading;

/// What marks the end of a prompt that is to be cached. In a text, the quotes would be escaped.
const MARKS: [&[u8]; 2] = [b"\"cache_control\"", b"\"cachePoint\""];

/// How long a prompt is cached.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum CacheTtl {
    /// Five minutes, unless a mark says otherwise.
    FiveMinutes,
    /// An hour.
    Hour,
}

/// How long the prompt is cached, if the request says so: the longest time that one of its marks states. `None` for
/// providers that decide themselves.
#[must_use]
pub fn cache_ttl(reading: &Reading<'_>) -> Option<CacheTtl> {
    let body = reading.body();
    if reading.error().is_some() || !MARKS.iter().any(|mark| memmem::find(body, mark).is_some()) {
        return None;
    }
    Some(if is_hour(body) { CacheTtl::Hour } else { CacheTtl::FiveMinutes })
}

/// True when one of these marks asks for an hour.
pub(super) fn is_hour(bytes: &[u8]) -> bool {
    memmem::find_iter(bytes, b"\"ttl\"").any(|at| {
        let rest = bytes[at + 5..].trim_ascii_start();
        rest.strip_prefix(b":").is_some_and(|rest| rest.trim_ascii_start().starts_with(b"\"1h\""))
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::providers::claimed_provider;

    fn check(body: &str, expected: Option<CacheTtl>) {
        let provider = claimed_provider("/v1/messages").expect("a provider");
        assert_eq!(cache_ttl(&provider.read(body.as_bytes())), expected, "{body}");
    }

    #[test]
    fn the_longest_time_that_is_stated_counts() {
        let mark = r#""cache_control":{"type":"ephemeral"}"#;
        check(r#"{"messages":[]}"#, None);
        check(&format!(r#"{{{mark},"messages":[]}}"#), Some(CacheTtl::FiveMinutes));
        check(
            &format!(r#"{{"system":[{{"type":"text","text":"x",{mark}}}],"messages":[]}}"#),
            Some(CacheTtl::FiveMinutes),
        );
        let hour = r#""cache_control":{"type":"ephemeral", "ttl" : "1h"}"#;
        check(
            &format!(r#"{{{mark},"messages":[{{"role":"user","content":[{{{hour}}}]}}]}}"#),
            Some(CacheTtl::Hour),
        );
        check(
            r#"{"messages":[{"content":[{"cachePoint":{"type":"default"}}]}]}"#,
            Some(CacheTtl::FiveMinutes),
        );
        check(
            r#"{"messages":[{"role":"user","content":"a \"cache_control\": \"ttl\":\"1h\" of mine"}]}"#,
            None,
        );
        check(&format!(r#"{{{mark},"messages":["#), None);
    }
}
