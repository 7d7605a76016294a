//! Counts what a text costs a model, exactly.

use bpe_openai::Tokenizer;

/// Counts tokens.
pub trait Tokens: Send + Sync {
    /// How many tokens `text` is.
    fn count(&self, text: &str) -> usize;

    /// How many tokens `text` is if that is at most `limit`; a counter may stop where it is more.
    fn count_within(&self, text: &str, limit: usize) -> Option<usize> {
        Some(self.count(text)).filter(|&count| count <= limit)
    }
}

/// The `o200k_base` vocabulary, loaded on first use.
#[derive(Debug, Clone, Copy, Default)]
pub struct O200k;

impl Tokens for O200k {
    fn count(&self, text: &str) -> usize {
        tokenizer().count(text)
    }

    fn count_within(&self, text: &str, limit: usize) -> Option<usize> {
        tokenizer().count_till_limit(&tokenizer().normalize(text), limit)
    }
}

fn tokenizer() -> &'static Tokenizer {
    bpe_openai::o200k_base()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn counts_are_those_of_the_vocabulary() {
        for (text, count) in
            [("", 0), ("hello world", 2), ("{\"id\":1,\"name\":\"Alice\"}", 9), ("日本語", 2)]
        {
            assert_eq!(O200k.count(text), count, "{text}");
        }
    }

    #[test]
    fn a_limit_is_kept_to_the_token() {
        let text = "{\"id\":1,\"name\":\"Alice\"}".repeat(100);
        let count = O200k.count(&text);
        assert_eq!(O200k.count_within(&text, count), Some(count));
        assert_eq!(O200k.count_within(&text, count - 1), None);
    }
}
