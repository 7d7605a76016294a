//! What a provider itself says about a cached prompt, if the client asks it to compare two requests.

use std::fmt;

use crate::shown_name::ShownName;

/// The provider's reason why a prompt was not read from its cache. Anthropic reports it in `diagnostics`, `OpenAI` in
/// `prompt_cache_diagnostics`.
#[derive(Clone, Debug, Eq, PartialEq)]
pub struct CacheDiagnosis {
    /// The provider's word, such as `tools_changed`.
    pub reason: ShownName,
    /// The tokens after the first difference, by the provider's estimate.
    pub tokens: Option<u64>,
}

impl CacheDiagnosis {
    /// A diagnosis; `None` if the reason is no plain word.
    #[must_use]
    pub fn of(reason: &str, tokens: Option<u64>) -> Option<Self> {
        Some(Self { reason: ShownName::of(reason)?, tokens })
    }

    /// False if the provider could not compare the requests, which says nothing about them.
    #[must_use]
    pub fn is_conclusive(&self) -> bool {
        !self.reason.as_str().ends_with("not_found") && self.reason.as_str() != "unavailable"
    }
}

/// The reason as words, such as `tools changed`.
impl fmt::Display for CacheDiagnosis {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.reason.as_str().replace('_', " "))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_reason_is_a_plain_word() {
        let words = |reason| CacheDiagnosis::of(reason, None).map(|it| it.to_string());
        assert_eq!(words("tools_changed").as_deref(), Some("tools changed"));
        assert_eq!(words("a sentence of someone's prompt"), None);
        assert_eq!(words(""), None);
    }

    #[test]
    fn without_a_comparison_nothing_is_concluded() {
        let is_conclusive = |reason| CacheDiagnosis::of(reason, None).is_some_and(|it| it.is_conclusive());
        assert!(is_conclusive("tools_changed") && is_conclusive("context_compacted"));
        for reason in ["unavailable", "previous_message_not_found", "comparison_response_not_found"] {
            assert!(!is_conclusive(reason), "{reason}");
        }
    }
}
