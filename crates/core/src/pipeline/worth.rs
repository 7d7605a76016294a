//! How long a text is shown whole, and when leaving something out is worth the chance that it is asked for.
//!
//! All sums are in the price of a token of plain input. A token that is not sent is not written into the provider's cache,
//! and not read again in the turns that follow:
//!
//! ```text
//! worth of a token left out   = WRITE + READ × TURNS       = 1.25 + 0.1 × 31 = 4.35
//! price of a turn that asks   = FETCH                      = 12,000
//! least that a cut must save  = FETCH / CHANCE / 4.35      = 275 of content, 91 in aggressive mode
//! ```
//!
//! Nobody asks for noise, so leaving it out is worth it as soon as what stands for it costs less, by what its reader pays
//! for another layout ([`LEAST`]).

use tersely_stage::{CutClass, Mode};

use crate::pipeline::run::LEAST;

/// Writing a token into a prompt cache, in hundredths.
const WRITE: usize = 125;

/// Reading it from there.
const READ: usize = 10;

/// Turns that follow a result, on average.
const TURNS: usize = 31;

/// What a turn costs that does nothing but ask for what was left out: the context is read once more, the call is written,
/// and what comes back stays.
const FETCH: usize = 12_000;

/// How often content that was left out is asked for: once in so many cuts.
const CHANCE: usize = 10;

/// The same in aggressive mode, where whoever chose it does not mind.
const CHANCE_AGGRESSIVE: usize = 30;

/// What the line costs that names an original.
pub(super) const REFERENCE: usize = 32;

/// Up to so many tokens, in its exact form, a text is shown whole but for what is of a lower class.
#[must_use]
pub const fn shown_whole(mode: Mode, class: CutClass) -> usize {
    match (mode, class) {
        (Mode::Aggressive, _) | (_, CutClass::Noise) => 0,
        (_, CutClass::Further) => 1_500,
        (_, CutClass::Content) => 4_000,
    }
}

/// About how many of a text's bytes stay where content is left out, if its exact form costs so much: half of what would be
/// shown whole.
pub(super) const fn room(mode: Mode, bytes: usize, cost: usize) -> usize {
    let tokens = match mode {
        Mode::Aggressive => 1_000,
        _ => shown_whole(mode, CutClass::Content) / 2,
    };
    if cost <= tokens { bytes } else { bytes / cost * tokens + bytes % cost * tokens / cost }
}

/// True when it is worth it to send what costs `brief` in place of what costs `whole`, and so to leave out what is of a
/// class.
pub(super) const fn pays(mode: Mode, class: CutClass, whole: usize, brief: usize) -> bool {
    whole >= brief + REFERENCE + least(mode, class)
}

/// The least that is worth it, in tokens.
const fn least(mode: Mode, class: CutClass) -> usize {
    let chance = match (mode, class) {
        (_, CutClass::Noise) => return LEAST,
        (Mode::Aggressive, _) => CHANCE_AGGRESSIVE,
        _ => CHANCE,
    };
    FETCH * 100 / chance / (WRITE + READ * TURNS)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_arithmetic_is_what_the_page_says() {
        assert_eq!(least(Mode::Standard, CutClass::Content), 275);
        assert_eq!(least(Mode::Aggressive, CutClass::Content), 91);
        assert!(pays(Mode::Standard, CutClass::Noise, 100, 44));
        assert!(!pays(Mode::Standard, CutClass::Noise, 100, 45));
    }
}
