//! What a provider's prompt cache makes of the tokens of a request.
//!
//! The price of a token is counted in twentieths of that of plain input, which makes every rate a whole number.

/// Twentieths in the price of a token of plain input.
pub(crate) const PLAIN: usize = 20;
const READ: usize = 2;
const WRITE: usize = 25;

/// The shortest prefix that is cached.
const LEAST: usize = 1_024;

/// What `OpenAI` caches are whole steps of so many tokens.
const STEP: usize = 128;

/// A provider's way to cache prompts.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum PromptCache {
    /// What stood in the request before is read at a tenth; the rest is written at five quarters.
    Anthropic,
    /// What stood in the request before is read at a tenth, in whole steps; the rest costs what it costs.
    OpenAi,
}

/// A request, as far as its price is concerned.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub(crate) struct BilledTurn {
    /// Tokens at its beginning that the request before began with, byte for byte.
    pub same: usize,
    /// All its tokens.
    pub all: usize,
}

impl PromptCache {
    pub(crate) const ALL: [Self; 2] = [Self::Anthropic, Self::OpenAi];

    pub(crate) fn name(self) -> &'static str {
        match self {
            Self::Anthropic => "anthropic",
            Self::OpenAi => "openai",
        }
    }

    /// What a request costs.
    pub(crate) fn bill(self, BilledTurn { same, all }: BilledTurn) -> usize {
        let cached = if same < LEAST { 0 } else { same };
        match self {
            Self::Anthropic if all < LEAST => PLAIN * all,
            Self::Anthropic => READ * cached + WRITE * (all - cached),
            Self::OpenAi => {
                let cached = cached - cached % STEP;
                READ * cached + PLAIN * (all - cached)
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn check(same: usize, all: usize, anthropic: usize, openai: usize) {
        let bills = PromptCache::ALL.map(|cache| cache.bill(BilledTurn { same, all }));
        assert_eq!(bills, [anthropic, openai], "{same} of {all}");
    }

    #[test]
    fn what_stood_before_is_read_at_a_tenth() {
        check(0, 2_000, 2_000 * 25, 2_000 * 20);
        check(1_024, 2_000, 1_024 * 2 + 976 * 25, 1_024 * 2 + 976 * 20);
        check(2_000, 2_000, 2_000 * 2, 1_920 * 2 + 80 * 20);
    }

    #[test]
    fn what_is_short_is_not_cached() {
        check(900, 1_000, 1_000 * 20, 1_000 * 20);
        check(1_000, 1_100, 1_100 * 25, 1_100 * 20);
    }
}
