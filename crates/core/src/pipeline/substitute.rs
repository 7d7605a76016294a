//! Replaces a result with a text from another compressor, if that text is cheaper and hides no error. It is sent below
//! a reference to the original.
//!
//! The other compressor is not trusted. The decision depends only on the two texts and the plan, so replicas with the
//! same texts make the same decision.

use std::borrow::Cow;
use std::collections::HashSet;

use tersely_stage::signal::{all_kept, lost_errors};
use tersely_stage::{Call, Loss, Plan};

use crate::pipeline::compress::{compress, seal};
use crate::pipeline::ledger::Ledger;
use crate::pipeline::outcome::Outcome;
use crate::pipeline::reference::{EscapeScope, Original};
use crate::pipeline::{footer, reference};
use crate::tokens::O200k;

/// A text that another compressor offers as a substitute for a result.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct StandIn<'s> {
    /// The name of the compressor in reports.
    pub stage: &'static str,
    /// The text.
    pub text: &'s str,
}

/// The maximum cost of a substitute, as a percentage of the original. Saving less does not justify the risk of an extra
/// turn in which the model asks for the original.
const MAX_COST_PERCENT: usize = 95;

/// Returns the first substitute that saves enough and keeps every error, or else `text` in an exact form.
#[must_use]
pub fn replace<'a>(plan: &Plan, call: Call<'_>, text: &'a str, stand_ins: &[StandIn<'_>]) -> Outcome<'a> {
    let exact = compress(&Plan { loss: Loss::None, ..*plan }, call, text);
    if plan.loss < Loss::Detail || stand_ins.is_empty() {
        return exact;
    }
    let sealed = seal(plan, call, text).map_or(Cow::Borrowed(text), |(sealed, _)| Cow::Owned(sealed));
    let original = Original::of(sealed);
    let limit = (exact.ledger.before * MAX_COST_PERCENT / 100).min(exact.ledger.after.saturating_sub(1));
    let sent = |stand_in: &StandIn<'_>| {
        let sent = with_reference(&original, stand_in.text)?;
        Some((stand_in.stage, O200k.count_within(&sent, limit)?, sent))
    };
    let Some((stage, after, sent)) = stand_ins.iter().find_map(sent) else { return exact };
    let mut ledger = Ledger::of(exact.ledger.before);
    ledger.record(stage, after, Loss::Detail);
    Outcome { text: Cow::Owned(sent), redacted: exact.redacted, ledger, original: Some(original) }
}

/// A substitute below a reference to its original, if the substitute is not empty and hides no error.
fn with_reference(original: &Original<'_>, text: &str) -> Option<String> {
    let is_sound = !text.trim().is_empty() && all_kept(&original.text, text);
    let unsigned = footer::escape(text).map_or(Cow::Borrowed(text), Cow::Owned);
    let escaped = reference::escape(EscapeScope::Everywhere, &unsigned).map_or(unsigned, Cow::Owned);
    Some(original.refer(&escaped)).filter(|sent| is_sound && sent.len() <= original.text.len())
}

/// The first `words` words of a text, followed by every line that reports an error.
#[must_use]
pub fn first_words(words: usize, text: &str) -> String {
    let mut shown = text.split_whitespace().take(words).collect::<Vec<_>>().join(" ");
    shown.push_str("...");
    let mut seen = HashSet::new();
    let lost: Vec<_> = lost_errors(text, &shown).filter(|line| seen.insert(*line)).collect();
    for line in lost {
        shown.push('\n');
        shown.push_str(line);
    }
    shown
}

#[cfg(test)]
mod tests {
    use tersely_stage::Redaction;

    use super::*;

    /// A log with one error in it.
    fn log() -> String {
        let line =
            |n| format!("12:00:{:02} worker {n} took job {} from the queue\n", n % 60, n * 7919 % 1000);
        let lines: String = (0..60).map(line).collect();
        format!("{lines}error: disk full on /dev/sda{}\n", 1)
    }

    fn check(plan: &Plan, stands: &str) -> Outcome<'static> {
        let stands = StandIn { stage: "api", text: stands };
        replace(plan, Call::default(), &log(), &[stands]).into_owned()
    }

    /// True when the text that is sent decodes to the log.
    fn is_exact(outcome: &Outcome<'_>) -> bool {
        let text = crate::restore(&outcome.text).map_or_else(|| outcome.text.to_string(), Cow::into_owned);
        outcome.original.is_none() && text == log() && outcome.ledger.after <= outcome.ledger.before
    }

    #[test]
    fn what_is_shorter_and_keeps_every_error_is_used_under_the_name_of_the_original() {
        let outcome = check(&Plan::default(), "60 workers took jobs.\nerror: disk full on /dev/sda1");
        let original = outcome.original.as_ref().map(|it| (&*it.text, it.id.as_str()));
        let (text, id) = original.unwrap();
        assert_eq!(text, log());
        assert!(outcome.text.starts_with(&format!("<<<SHADOW:{id}>>>\n60 workers")), "{}", outcome.text);
        assert_eq!(outcome.ledger.after, O200k.count(&outcome.text));
        assert_eq!((outcome.ledger.before, outcome.ledger.steps[0].stage), (O200k.count(&log()), "api"));
    }

    #[test]
    fn whatever_else_somebody_says_the_text_itself_is_sent() {
        let longer = format!("{}{}", log(), log());
        for lie in ["", " \n", "60 workers took jobs.", "Error: disk is full", &longer, &log()] {
            assert!(is_exact(&check(&Plan::default(), lie)), "{lie}");
        }
        let form = Plan { loss: Loss::Form, ..Plan::default() };
        assert!(is_exact(&check(&form, "error: disk full on /dev/sda1")), "nobody could ask for the rest");
        assert!(is_exact(&replace(&Plan::default(), Call::default(), &log(), &[])));
    }

    #[test]
    fn the_first_that_is_of_use_is_used() {
        let stands = |stage, text| StandIn { stage, text };
        let all = [stands("api", "all is well"), stands("simple", "error: disk full on /dev/sda1")];
        let outcome = replace(&Plan::default(), Call::default(), &log(), &all).into_owned();
        assert_eq!(outcome.ledger.steps[0].stage, "simple");
    }

    #[test]
    fn nobody_writes_our_marks() {
        for mark in ["<<<SHADOW:shadow_ba7816bf8f01cfea414140de5dae2223>>>\n", "<<<TEXT1:"] {
            let outcome = check(&Plan::default(), &format!("{mark}x\nerror: disk full on /dev/sda1"));
            assert_eq!(outcome.text.matches("<<<SHADOW:").count(), 1, "{}", outcome.text);
        }
    }

    #[test]
    fn what_was_masked_stays_masked() {
        let text = format!("{}token: ghp_{}\n", log(), "a1B2".repeat(9));
        let stands = StandIn { stage: "api", text: "error: disk full on /dev/sda1" };
        for (redact, masked) in [(Redaction::Usual, 1), (Redaction::Off, 0)] {
            let plan = Plan { redact, ..Plan::default() };
            let outcome = replace(&plan, Call::default(), &text, &[stands]);
            let original = outcome.original.unwrap().text;
            assert_eq!((outcome.redacted, original.contains("ghp_")), (masked, masked == 0));
        }
    }

    #[test]
    fn the_first_words_come_with_every_error() {
        assert_eq!(first_words(3, "one\n two  three four"), "one two three...");
        assert_eq!(first_words(2, "a b c\nerror: x\nd\nerror: x\nerror: y"), "a b...\nerror: x\nerror: y");
        assert_eq!(first_words(9, ""), "...");
    }
}
