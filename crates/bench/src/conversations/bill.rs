//! What a provider's prompt cache makes of the requests of a conversation.

/// Hundredths in the price of a token of plain input.
pub(crate) const PLAIN: usize = 100;

/// So many places are looked at from a mark back, the mark itself among them.
const LOOK_BACK: usize = 20;

/// How a provider caches prompts, and what it takes for that, in hundredths of the plain price.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct CacheRules {
    pub kind: CacheKind,
    /// A token that is read from the cache.
    pub read: usize,
    /// A token that is written to it.
    pub write: usize,
    /// The tokens of the shortest prefix that is cached.
    pub least: usize,
    /// What is read are whole steps of so many tokens.
    pub step: usize,
}

/// Who decides what is cached.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum CacheKind {
    /// The client, by marks: as agents set them, one behind tools and system, one behind the last block. What lies
    /// before a mark is written; a later request finds it if one of its own marks is at most so many blocks behind.
    Marked,
    /// The provider: whatever stood in the request before.
    Automatic,
    /// Nobody.
    None,
}

/// The tokens of a request, by what they cost.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub(crate) struct BilledTurn {
    pub read: usize,
    pub written: usize,
    pub plain: usize,
}

impl BilledTurn {
    /// All its tokens.
    pub(crate) fn all(self) -> usize {
        self.read + self.written + self.plain
    }

    /// What it costs, in hundredths of a plain token.
    pub(crate) fn price(self, rules: CacheRules) -> usize {
        rules.read * self.read + rules.write * self.written + PLAIN * self.plain
    }
}

/// What a request is made of: blocks of tokens, of which the first few stand before the conversation.
#[derive(Debug, Clone, Copy)]
pub(crate) struct BilledBlocks<'b> {
    pub tokens: &'b [usize],
    /// How many blocks are tools and system.
    pub head: usize,
    /// How many blocks, from the first on, stood in the request before, byte for byte.
    pub same: usize,
}

/// A prompt cache that has seen some requests of a conversation.
#[derive(Debug)]
pub(crate) struct PromptCache {
    rules: CacheRules,
    /// Where prefixes end that are kept, in blocks.
    kept: Vec<usize>,
}

impl PromptCache {
    pub(crate) fn new(rules: CacheRules) -> Self {
        Self { rules, kept: Vec::new() }
    }

    /// Takes the next request.
    pub(crate) fn send(&mut self, blocks: BilledBlocks<'_>) -> BilledTurn {
        let all = blocks.tokens.iter().sum();
        match self.rules.kind {
            CacheKind::None => BilledTurn { plain: all, ..BilledTurn::default() },
            CacheKind::Automatic => {
                let same: usize = blocks.tokens[..blocks.same].iter().sum();
                let read = if same < self.rules.least { 0 } else { same - same % self.rules.step };
                BilledTurn { read, written: 0, plain: all - read }
            }
            CacheKind::Marked => self.marked(blocks, all),
        }
    }

    fn marked(&mut self, blocks: BilledBlocks<'_>, all: usize) -> BilledTurn {
        let last = blocks.tokens.len();
        self.kept.retain(|&end| end <= blocks.same);
        let found = |mark: usize| {
            let near = |end: &&usize| **end <= mark && mark - **end < LOOK_BACK;
            self.kept.iter().filter(near).max().copied()
        };
        let hit = found(last).or_else(|| found(blocks.head)).unwrap_or(0);
        let read = blocks.tokens[..hit].iter().sum();
        for mark in [blocks.head, last] {
            let tokens: usize = blocks.tokens[..mark].iter().sum();
            if mark > 0 && tokens >= self.rules.least && !self.kept.contains(&mark) {
                self.kept.push(mark);
            }
        }
        if all < self.rules.least {
            return BilledTurn { plain: all, ..BilledTurn::default() };
        }
        BilledTurn { read, written: all - read, plain: 0 }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const ANTHROPIC: CacheRules =
        CacheRules { kind: CacheKind::Marked, read: 10, write: 125, least: 1_024, step: 1 };
    const OPENAI: CacheRules =
        CacheRules { kind: CacheKind::Automatic, read: 10, write: 100, least: 1_024, step: 128 };

    /// Sends requests one after the other; each is its blocks, how many are its head, how many stood before; and what
    /// must be read, written and plain of it.
    fn check(rules: CacheRules, requests: &[(&[usize], usize, usize, [usize; 3])]) {
        let mut cache = PromptCache::new(rules);
        for &(tokens, head, same, [read, written, plain]) in requests {
            let turn = cache.send(BilledBlocks { tokens, head, same });
            assert_eq!(turn, BilledTurn { read, written, plain }, "{tokens:?}");
        }
    }

    #[test]
    fn what_stood_before_a_mark_is_read_and_the_rest_is_written() {
        check(
            ANTHROPIC,
            &[
                (&[2_000, 100], 1, 0, [0, 2_100, 0]),
                (&[2_000, 100, 50, 300], 1, 2, [2_100, 350, 0]),
                (&[2_000, 100, 50, 300], 1, 4, [2_450, 0, 0]),
            ],
        );
        // 2,100 × 0.1 and 350 × 1.25.
        assert_eq!(BilledTurn { read: 2_100, written: 350, plain: 0 }.price(ANTHROPIC), 21_000 + 43_750);
    }

    #[test]
    fn a_block_that_changes_leaves_what_was_kept_before_it() {
        check(
            ANTHROPIC,
            &[
                (&[2_000, 100, 50], 1, 0, [0, 2_150, 0]),
                // The last block is another: only the mark behind the head is left.
                (&[2_000, 100, 60], 1, 2, [2_000, 160, 0]),
                // The head is another: nothing is left.
                (&[1_999, 100, 60], 1, 0, [0, 2_159, 0]),
            ],
        );
    }

    #[test]
    fn twenty_places_are_looked_back() {
        let request = |blocks: usize| [vec![2_000], vec![10; blocks]].concat();
        // The last mark stood behind block 2; nineteen more are near enough, twenty are not.
        check(ANTHROPIC, &[(&request(1), 1, 0, [0, 2_010, 0]), (&request(20), 1, 2, [2_010, 190, 0])]);
        check(
            ANTHROPIC,
            &[
                (&request(1), 1, 0, [0, 2_010, 0]),
                // Too far: the mark behind the head is found all the same.
                (&request(21), 1, 2, [2_000, 210, 0]),
                (&request(22), 1, 22, [2_210, 10, 0]),
            ],
        );
        // Without a head of its own nothing is found.
        check(ANTHROPIC, &[(&request(1), 0, 0, [0, 2_010, 0]), (&request(21), 0, 2, [0, 2_210, 0])]);
    }

    #[test]
    fn what_is_short_is_not_marked() {
        check(
            ANTHROPIC,
            &[
                (&[900, 100], 1, 0, [0, 0, 1_000]),
                // Now it is long enough to be written, but nothing was kept.
                (&[900, 100, 100], 1, 2, [0, 1_100, 0]),
                // The head alone is still too short: the mark behind the last block is what is found.
                (&[900, 100, 100, 10], 1, 3, [1_100, 10, 0]),
                (&[900, 70, 100], 1, 1, [0, 1_070, 0]),
            ],
        );
        let long = CacheRules { least: 4_096, ..ANTHROPIC };
        check(long, &[(&[2_000, 100], 1, 0, [0, 0, 2_100]), (&[2_000, 2_096], 1, 1, [0, 4_096, 0])]);
    }

    #[test]
    fn whole_steps_are_read_without_a_mark() {
        check(
            OPENAI,
            &[
                (&[2_000], 0, 0, [0, 0, 2_000]),
                // 2,000 is 15 steps of 128, and 80.
                (&[2_000, 500], 0, 1, [1_920, 0, 580]),
                (&[1_000, 500], 0, 1, [0, 0, 1_500]),
                (&[1_024, 500], 0, 1, [1_024, 0, 500]),
            ],
        );
        let gemini = CacheRules { least: 2_048, step: 1, ..OPENAI };
        check(gemini, &[(&[2_047, 10], 0, 1, [0, 0, 2_057]), (&[2_049, 10], 0, 1, [2_049, 0, 10])]);
    }

    #[test]
    fn without_a_cache_all_is_plain() {
        check(CacheRules { kind: CacheKind::None, ..OPENAI }, &[(&[5_000, 1], 1, 2, [0, 0, 5_001])]);
    }
}
