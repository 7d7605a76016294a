//! What became of one body: its record, and what only the answer's headers and the commands report.

use tersely_account::{Arm, RequestRecord, StageSaving};
use tersely_core::prompt::Stats;
use tersely_core::{Ledger, O200k, Outcome, Reader};
use tersely_wire::WireError;

/// The stage name for text that imitates our markers and is escaped.
pub(crate) const ESCAPE: &str = "escape";

/// What was done to a body.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Report {
    /// The record of the request.
    pub record: RequestRecord,
    /// The reader assumed for results that no rule covers; nobody where none is changed.
    pub reader: Option<Reader>,
    /// How many of its tools the model is shown, where that is not all of them.
    pub tools: Option<ToolCount>,
    /// How many results are longer than `max_bytes` allows: files, text that could not be fetched back, and errors.
    pub over_limit: usize,
    /// Descriptions of tools that were shortened.
    pub descriptions: usize,
    /// What was done with JSON in the texts of users.
    pub prompts: Stats,
    /// Tokens that the masks saved, negative where they cost more; in no other number here.
    pub masked: i64,
    /// The first error in the body, if it could not be read to its end.
    pub unread: Option<WireError>,
}

/// How many tools a request has, and how many of them its model is shown.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct ToolCount {
    /// Shown.
    pub shown: usize,
    /// In the request.
    pub all: usize,
}

impl Report {
    /// A report of one text that may have failed.
    pub(crate) fn of_slot(faults: usize) -> Self {
        Self { record: RequestRecord { slots: 1, faults, ..RequestRecord::default() }, ..Self::default() }
    }

    /// Records a text that is sent unchanged.
    pub(crate) fn leave(&mut self, text: &str) {
        let cost = O200k.count(text);
        self.record.result_tokens.before += cost;
        self.record.result_tokens.after += cost;
    }

    /// Records the outcome of a text. Masks come first and are counted apart: what they cost or save is not a saving.
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

    /// The report of a body of so many tokens that is sent unchanged, where this is the report of the compressed one.
    pub(crate) fn observed(self, arm: Arm, tokens: usize) -> Self {
        Self { record: self.record.observed(arm, tokens), unread: self.unread, ..Self::default() }
    }

    /// Sorts the stages.
    pub(crate) fn close(&mut self) {
        self.record.stages.sort_by(|a, b| b.saved.cmp(&a.saved).then(a.stage.cmp(b.stage)));
    }

    /// Records each step. Escaping text that imitates our markers is not a step.
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
