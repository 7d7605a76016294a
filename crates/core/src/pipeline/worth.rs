//! Decides up to what length a text is shown whole, and how much a cut must save: the model may ask for the text that
//! was cut, which costs a turn.
//!
//! The unit is the price of one token of plain input. A token that is not sent is neither written into the provider's
//! cache nor read from it in the turns that follow:
//!
//! ```text
//! value of a token that is cut  = cache write + cache read × turns  = 1.25 + 0.1 × 31 = 4.35
//! price of a turn that fetches  = FETCH_TURN_TOKENS                 = 12,000
//! tokens that a cut must save   = 12,000 / CUTS_PER_FETCH / 4.35    = 275 of content, 91 in aggressive mode
//! ```
//!
//! Models do not ask for noise, so cutting noise is worthwhile as soon as it saves [`MIN_SAVED_TOKENS`], the price of
//! an unfamiliar layout.

use tersely_stage::{CutClass, Mode};

use crate::pipeline::run::MIN_SAVED_TOKENS;

/// Price of writing a token into the prompt cache, as a percentage of plain input.
const CACHE_WRITE_PERCENT: usize = 125;

/// Price of reading a token from the prompt cache, as a percentage of plain input.
const CACHE_READ_PERCENT: usize = 10;

/// The average number of turns after a result.
const TURNS_AFTER: usize = 31;

/// Price of a turn that only fetches text that was cut: the model reads the context once more and writes the call, and
/// the answer stays in the context.
const FETCH_TURN_TOKENS: usize = 12_000;

/// Assumed number of content cuts for each one that the model fetches back.
const CUTS_PER_FETCH: usize = 10;

/// `CUTS_PER_FETCH` in aggressive mode, whose users accept more fetches for more savings.
const CUTS_PER_FETCH_AGGRESSIVE: usize = 30;

/// Tokens of the reference line.
const REFERENCE_TOKENS: usize = 32;

/// The number of tokens, in its exact form, up to which a text keeps all detail of `class`; lower classes may still be
/// cut.
#[must_use]
pub const fn max_whole_tokens(mode: Mode, class: CutClass) -> usize {
    match (mode, class) {
        (Mode::Aggressive, _) | (_, CutClass::Noise) => 0,
        (_, CutClass::Further) => 1_500,
        (_, CutClass::Content) => 4_000,
    }
}

/// The approximate number of bytes to keep of a text whose content is cut, if its exact form costs `cost` tokens: about
/// half of the length that would be shown whole.
pub(super) const fn content_bytes(mode: Mode, bytes: usize, cost: usize) -> usize {
    let tokens = match mode {
        Mode::Aggressive => 1_000,
        _ => max_whole_tokens(mode, CutClass::Content) / 2,
    };
    if cost <= tokens { bytes } else { bytes / cost * tokens + bytes % cost * tokens / cost }
}

/// True when cutting detail of `class` is worthwhile, given that the text then costs `brief` tokens instead of `whole`.
pub(super) const fn pays(mode: Mode, class: CutClass, whole: usize, brief: usize) -> bool {
    whole >= brief + REFERENCE_TOKENS + min_saved_tokens(mode, class)
}

/// The number of tokens that a cut must save to be worthwhile.
const fn min_saved_tokens(mode: Mode, class: CutClass) -> usize {
    let cuts = match (mode, class) {
        (_, CutClass::Noise) => return MIN_SAVED_TOKENS,
        (Mode::Aggressive, _) => CUTS_PER_FETCH_AGGRESSIVE,
        _ => CUTS_PER_FETCH,
    };
    FETCH_TURN_TOKENS * 100 / cuts / (CACHE_WRITE_PERCENT + CACHE_READ_PERCENT * TURNS_AFTER)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_arithmetic_is_what_the_page_says() {
        assert_eq!(min_saved_tokens(Mode::Standard, CutClass::Content), 275);
        assert_eq!(min_saved_tokens(Mode::Aggressive, CutClass::Content), 91);
        assert!(pays(Mode::Standard, CutClass::Noise, 100, 44));
        assert!(!pays(Mode::Standard, CutClass::Noise, 100, 45));
    }
}
