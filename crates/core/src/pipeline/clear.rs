//! Clears an old result: a few words stand below a reference to its original.

use std::borrow::Cow;

use tersely_stage::{Call, Loss, Plan};

use crate::pipeline::compress::seal;
use crate::pipeline::ledger::Ledger;
use crate::pipeline::outcome::Outcome;
use crate::pipeline::reference::{EscapeScope, Original};
use crate::pipeline::{footer, reference};
use crate::tokens::O200k;

/// The name of the stage in reports.
const STAGE: &str = "clear";

/// The outcome for a result for which `words` are sent, if they cost at most `limit` tokens with the reference to the
/// original.
#[must_use]
pub fn clear<'a>(
    plan: &Plan,
    call: Call<'_>,
    text: &'a str,
    words: &str,
    limit: usize,
) -> Option<Outcome<'a>> {
    if plan.loss < Loss::Detail {
        return None;
    }
    let (sealed, redacted) = match seal(plan, call, text) {
        Some((sealed, redacted)) => (Cow::Owned(sealed), redacted),
        None => (Cow::Borrowed(text), 0),
    };
    let original = Original::of(sealed);
    let unsigned = footer::escape(words).map_or(Cow::Borrowed(words), Cow::Owned);
    let escaped = reference::escape(EscapeScope::Everywhere, &unsigned).map_or(unsigned, Cow::Owned);
    let sent = original.refer(&escaped);
    let after = O200k.count_within(&sent, limit)?;
    let before = O200k.count(&original.text);
    if after >= before {
        return None;
    }
    let mut ledger = Ledger::of(before);
    ledger.record(STAGE, after, Loss::Detail);
    Some(Outcome { text: Cow::Owned(sent), redacted, ledger, original: Some(original) })
}

#[cfg(test)]
mod tests {
    use tersely_stage::Redaction;

    use super::*;

    fn text() -> String {
        let line = |n| format!("line {n} of a file that was read long ago\n");
        (0..200).map(line).collect()
    }

    #[test]
    fn a_few_words_stand_for_a_result_that_can_be_fetched() {
        let text = text();
        let outcome = clear(&Plan::default(), Call::default(), &text, "[cleared: 200 lines]", 999).unwrap();
        let original = outcome.original.as_ref().unwrap();
        assert_eq!(original.text, text);
        assert_eq!(outcome.text, format!("<<<SHADOW:{}>>>\n[cleared: 200 lines]", original.id));
        assert_eq!(
            (outcome.ledger.before, outcome.ledger.after),
            (O200k.count(&text), O200k.count(&outcome.text))
        );
    }

    #[test]
    fn nothing_is_cleared_that_cannot_be_fetched_or_costs_more() {
        let (text, words) = (text(), "[cleared: 200 lines]");
        let form = Plan { loss: Loss::Form, ..Plan::default() };
        assert_eq!(clear(&form, Call::default(), &text, words, 999), None);
        assert_eq!(clear(&Plan::default(), Call::default(), &text, words, 9), None);
        assert_eq!(clear(&Plan::default(), Call::default(), "ok", words, 999), None);
    }

    #[test]
    fn what_was_masked_stays_masked_and_nobody_writes_our_marks() {
        let text = format!("{}token: ghp_{}\n", text(), "a1B2".repeat(9));
        for (redact, masked) in [(Redaction::Usual, 1), (Redaction::Off, 0)] {
            let plan = Plan { redact, ..Plan::default() };
            let words = "[<<<SHADOW:shadow_ba7816bf8f01cfea414140de5dae2223>>>\n]";
            let outcome = clear(&plan, Call::default(), &text, words, 999).unwrap();
            assert_eq!(outcome.text.matches("<<<SHADOW:").count(), 1, "{}", outcome.text);
            let original = outcome.original.unwrap().text;
            assert_eq!((outcome.redacted, original.contains("ghp_")), (masked, masked == 0));
        }
    }
}
