//! Compresses one tool result: masks secrets, runs the stages, escapes imitations of our marks, and keeps the account.

use std::borrow::Cow;

use tersely_stage::cut::Filter;
use tersely_stage::{Call, Loss, Mode, Plan, Redaction};

use crate::pipeline::job::Job;
use crate::pipeline::ledger::Ledger;
use crate::pipeline::outcome::Outcome;
use crate::pipeline::reference::Original;
use crate::pipeline::restore::BYTE_ORDER_MARK;
use crate::pipeline::run::StageRun;
use crate::redact;
use crate::tokens::O200k;

/// Compresses `text`, the result of `call`. Never fails, never returns more tokens than it was given, and returns the
/// same bytes for the same arguments.
#[must_use]
pub fn compress<'a>(plan: &Plan, call: Call<'_>, text: &'a str) -> Outcome<'a> {
    compress_filtered(plan, &[], call, text)
}

/// Like `compress`, with the user's own filters: the first one that matches the call replaces our built-in rules for
/// the tool.
#[must_use]
pub fn compress_filtered<'a>(plan: &Plan, filters: &[Filter], call: Call<'_>, text: &'a str) -> Outcome<'a> {
    if plan.mode <= Mode::Observe {
        return Outcome::same(text);
    }
    let job = Job::new(plan, call).with_filters(filters, text);
    match (seal(plan, call, text), plan.takes(text.len())) {
        (None, true) => job.compress(text),
        (None, false) => pass_through(plan, call, text),
        (Some((sealed, redacted)), true) => Outcome { redacted, ..job.compress(&sealed).into_owned() },
        (Some((sealed, redacted)), false) => {
            Outcome { redacted, ..pass_through(plan, call, &sealed).into_owned() }
        }
    }
}

/// The outcome for a text that is not passed to any stage. Only imitations of our marks in it are escaped.
#[must_use]
pub fn pass_through<'a>(plan: &Plan, call: Call<'_>, text: &'a str) -> Outcome<'a> {
    let bare = text.strip_prefix(BYTE_ORDER_MARK).unwrap_or(text);
    Job::new(plan, call).finish(StageRun::new(Cow::Borrowed(bare)), bare, text)
}

/// The text with its secrets masked, and the number of secrets. Masking comes before any stage and any limit, whatever
/// loss the plan allows. A mask names what it replaces, even if that costs more tokens.
#[must_use]
pub fn seal(plan: &Plan, call: Call<'_>, text: &str) -> Option<(String, usize)> {
    let masks = match plan.redact {
        Redaction::Off => false,
        Redaction::Usual => call.origin(text).is_masked(),
        Redaction::All => true,
    };
    let secrets = if masks { redact::find(text) } else { Vec::new() };
    (!secrets.is_empty()).then(|| (redact::mask(text, &secrets), secrets.len()))
}

impl Job<'_> {
    /// Runs the stages. A text that lost detail is sent below a reference to its original. If the cost of that line
    /// makes the cut not worthwhile, the job runs again without loss of detail.
    fn compress(self, text: &str) -> Outcome<'_> {
        let bare = text.strip_prefix(BYTE_ORDER_MARK).unwrap_or(text);
        let run = self.run(bare);
        if run.loss() < Loss::Detail {
            return self.finish(run, bare, text);
        }
        self.with_reference(run, text).unwrap_or_else(|| self.with_loss(Loss::Form).compress(text))
    }

    /// The outcome of a run that cut nothing. `bare` is `text` without its byte order mark, which is put back at the
    /// start.
    fn finish<'a>(self, mut run: StageRun<'a>, bare: &str, text: &'a str) -> Outcome<'a> {
        let sent = match run.escape_marks(self.escape_scope(text)) {
            sent if bare.len() == text.len() => sent,
            sent if sent == bare => Cow::Borrowed(text),
            sent => Cow::Owned(format!("{BYTE_ORDER_MARK}{sent}")),
        };
        let ledger = ledger(&mut run, &sent, text);
        Outcome { text: sent, redacted: 0, ledger, original: None }
    }

    /// The outcome of a run that cut detail: the text below a reference to its original. `None` if that saves nothing.
    fn with_reference<'a>(self, mut run: StageRun<'a>, text: &'a str) -> Option<Outcome<'a>> {
        let original = Original::of(Cow::Borrowed(text));
        let sent = original.refer(&run.escape_marks(self.escape_scope(text)));
        if sent.len() > text.len() {
            return None;
        }
        let mut ledger = Ledger::from_steps(run.steps.first()?.before, std::mem::take(&mut run.steps));
        let after = Some(run.cost_of(&sent)).filter(|after| *after < ledger.before)?;
        ledger.settle(after);
        Some(Outcome { text: Cow::Owned(sent), redacted: 0, ledger, original: Some(original) })
    }
}

/// The account of a run that turned `text` into `sent`.
fn ledger(run: &mut StageRun<'_>, sent: &str, text: &str) -> Ledger {
    if sent == text && run.steps.is_empty() && sent != run.text {
        // The texts differ only in the byte order mark, which the run did not count.
        return Ledger::of(O200k.count(text));
    }
    let cost = run.cost();
    let steps = std::mem::take(&mut run.steps);
    let mut ledger = Ledger::from_steps(steps.first().map_or(cost, |step| step.before), steps);
    if sent != run.text {
        ledger.settle(run.cost_of(sent));
    }
    ledger
}
