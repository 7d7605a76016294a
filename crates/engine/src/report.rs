//! The report on one body: its record, and facts that only response headers and commands show.

use tersely_account::{Arm, RequestRecord, ShownName, StageSaving};
use tersely_core::prompt::Stats;
use tersely_core::{Ledger, O200k, Outcome, Reader};
use tersely_wire::WireError;

/// The stage name for the escaping of text that imitates our marks.
pub(crate) const ESCAPE: &str = "escape";

/// The report on the changes to a body.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Report {
    /// The record of the request.
    pub record: RequestRecord,
    /// The model that the request names, if its name can be shown.
    pub model: Option<ShownName>,
    /// The reader class assumed for results that no rule covers; `None` if no result can be changed.
    pub reader: Option<Reader>,
    /// How many of the request's tools the model is shown; `None` if it is shown all of them.
    pub tools: Option<ToolCount>,
    /// The number of results that exceed `max_bytes`: files, errors, and text that the model could not fetch back.
    pub over_limit: usize,
    /// The number of tool descriptions that were shortened.
    pub descriptions: usize,
    /// Counts of the JSON documents in user messages.
    pub prompts: Stats,
    /// Tokens that the masks saved; negative if they cost more. No other number here includes them.
    pub masked: i64,
    /// The first error in the body, if it could not be read to its end.
    pub unread: Option<WireError>,
}

/// How many tools a request has, and how many of them its model is shown.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct ToolCount {
    /// The number of tools that the model is shown.
    pub shown: usize,
    /// The number of tools in the request.
    pub all: usize,
}

impl Report {
    /// A report on one text, with the number of failures.
    pub(crate) fn of_slot(faults: usize) -> Self {
        Self { record: RequestRecord { slots: 1, faults, ..RequestRecord::default() }, ..Self::default() }
    }

    /// Records a text that is sent unchanged.
    pub(crate) fn leave(&mut self, text: &str) {
        let cost = O200k.count(text);
        self.record.result_tokens.before += cost;
        self.record.result_tokens.after += cost;
    }

    /// Records the outcome of a text. Masking comes first and is counted separately: its cost or gain is not a saving
    /// of compression.
    pub(crate) fn book(&mut self, text: &str, outcome: &Outcome<'_>) {
        let ledger = &outcome.ledger;
        self.record.result_tokens.before += ledger.before;
        self.record.result_tokens.after += ledger.after;
        if outcome.text == text {
            return;
        }
        if outcome.redacted > 0 {
            self.masked += difference(O200k.count(text), ledger.before);
        }
        self.record.changed += 1;
        self.record.redacted += outcome.redacted;
        self.stages_of(ledger);
    }

    /// Adds the report of a part of the same body.
    pub(crate) fn add(&mut self, part: &Self) {
        let (record, other) = (&mut self.record, &part.record);
        record.slots += other.slots;
        record.changed += other.changed;
        record.result_tokens += other.result_tokens;
        record.redacted += other.redacted;
        record.reused += other.reused;
        record.renewed += other.renewed;
        record.faults += other.faults;
        record.results.extend_from_slice(&other.results);
        for saving in &other.stages {
            record.save(*saving);
        }
        self.over_limit += part.over_limit;
        self.descriptions += part.descriptions;
        self.masked += part.masked;
        self.unread = self.unread.or(part.unread);
    }

    /// The report on a body of `tokens` tokens that is sent unchanged; `self` is the report on the compressed body.
    pub(crate) fn observed(self, arm: Arm, tokens: usize) -> Self {
        Self { record: self.record.observed(arm, tokens), unread: self.unread, ..Self::default() }
    }

    /// Sorts the stages by the tokens that they saved.
    pub(crate) fn close(&mut self) {
        self.record.stages.sort_by(|a, b| b.saved.cmp(&a.saved).then(a.stage.cmp(b.stage)));
    }

    /// Records each step. The escaping of text that imitates our marks is not a step of the ledger, so it is recorded
    /// separately.
    fn stages_of(&mut self, ledger: &Ledger) {
        if ledger.steps.is_empty() && ledger.before != ledger.after {
            self.save(ESCAPE, ledger.before, ledger.after);
        }
        for step in &ledger.steps {
            self.save(step.stage, step.before, step.after);
        }
    }

    fn save(&mut self, stage: &'static str, before: usize, after: usize) {
        self.record.save(StageSaving { stage, texts: 1, saved: difference(before, after) });
    }
}

fn difference(before: usize, after: usize) -> i64 {
    let whole = |tokens| i64::try_from(tokens).unwrap_or(i64::MAX);
    whole(before) - whole(after)
}
