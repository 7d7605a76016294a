//! The account of one body: what was found, what it cost, what it costs now.

use std::sync::Arc;

use tersely_core::prompt::Stats;
use tersely_core::{Ledger, O200k, Outcome, Reader};
use tersely_proof::Arm;
use tersely_wire::WireError;

use crate::account::result::{ESCAPE, ResultNote};
use crate::account::tokens::ResultTally;

/// What was done to a body.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Report {
    /// Whether what was made of the body is what is sent.
    pub arm: Arm,
    /// What would have become of the body, where it is sent as it came. Then all else here tells of a body that nothing was
    /// done to.
    pub would: Option<Arc<Report>>,
    /// Who was taken for the reader of results of which no rule speaks; nobody where none is changed.
    pub reader: Option<Reader>,
    /// The texts of tool results that were found.
    pub slots: usize,
    /// How many of them were changed.
    pub changed: usize,
    /// Tokens of all of them as they came, with their secrets masked.
    pub before: usize,
    /// Tokens of all of them as they are sent.
    pub after: usize,
    /// Tokens of the tools that were added, by which the model can fetch back what was left out, and find what it is not
    /// shown.
    pub tool: usize,
    /// How many of its tools the model is shown, where that is not all of them.
    pub tools: Option<ToolCount>,
    /// Tokens of the whole body, read as text. Nothing where nothing is ever done, so that it need not be counted.
    pub whole: Option<ResultTally>,
    /// What became of each result.
    pub results: Vec<Arc<ResultNote>>,
    /// A hash of what tells its conversation from others of its client: the name that it was given, or what the user said
    /// first. Nothing where neither is there.
    pub session: Option<u64>,
    /// Words of the client's own, for records: few, short, and without secrets.
    pub words: Vec<(String, String)>,
    /// How many of them are longer than `max_bytes` allows: files, and what could not be fetched back or is all errors.
    pub over_limit: usize,
    /// The stages that acted, the most saving first.
    pub stages: Vec<Saving>,
    /// Descriptions of tools that were written shorter.
    pub descriptions: usize,
    /// What was done with JSON in the texts of users.
    pub prompts: Stats,
    /// Secrets that were masked.
    pub redacted: usize,
    /// Tokens that the masks spared, less than none where they cost more; in no other number here.
    pub masked: i64,
    /// Results of which it was remembered what they become.
    pub reused: usize,
    /// Results of a named session whose text or settings are not what they were before.
    pub renewed: usize,
    /// What we could not do: texts that could not be read or that we failed at, or the body as a whole. Each was
    /// left as it came.
    pub faults: usize,
    /// Where the body stopped making sense, if it did.
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

/// What a stage did.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Saving {
    /// The stage.
    pub stage: &'static str,
    /// How many texts it changed.
    pub texts: usize,
    /// Tokens that it saved; less than none where a stage made room for another.
    pub saved: i64,
}

impl Report {
    /// Books a text that stays as it came.
    pub(crate) fn leave(&mut self, text: &str) {
        let cost = O200k.count(text);
        self.before += cost;
        self.after += cost;
    }

    /// Books what became of a text. Masks come first and are counted apart: what they cost or spare is no saving.
    pub(crate) fn book(&mut self, text: &str, outcome: &Outcome<'_>) {
        let ledger = &outcome.ledger;
        self.before += ledger.before;
        self.after += ledger.after;
        if outcome.text == text {
            return;
        }
        if outcome.redacted > 0 {
            self.masked += difference(O200k.count(text), ledger.before);
        }
        self.changed += 1;
        self.redacted += outcome.redacted;
        self.stages_of(ledger);
    }

    /// Adds what was done to a part of the same body.
    pub(crate) fn add(&mut self, part: &Self) {
        self.slots += part.slots;
        self.changed += part.changed;
        self.over_limit += part.over_limit;
        self.before += part.before;
        self.after += part.after;
        self.descriptions += part.descriptions;
        self.redacted += part.redacted;
        self.masked += part.masked;
        self.reused += part.reused;
        self.renewed += part.renewed;
        self.faults += part.faults;
        self.unread = self.unread.or(part.unread);
        self.results.extend_from_slice(&part.results);
        for stage in &part.stages {
            self.save(stage.stage, stage.texts, stage.saved);
        }
    }

    /// The account of a body that has so many tokens and is sent as it came, where this is the account of what was made of
    /// it.
    pub(crate) fn unsent(mut self, arm: Arm, tokens: usize) -> Self {
        self.arm = arm;
        Self {
            arm,
            slots: self.slots,
            before: self.before,
            after: self.before,
            whole: Some(ResultTally { before: tokens, after: tokens }),
            results: self.results.iter().map(|note| Arc::new(note.unsent())).collect(),
            session: self.session,
            faults: self.faults,
            unread: self.unread,
            would: Some(Arc::new(self)),
            ..Self::default()
        }
    }

    /// Puts the stages in order.
    pub(crate) fn close(&mut self) {
        self.stages.sort_by(|a, b| b.saved.cmp(&a.saved).then(a.stage.cmp(b.stage)));
    }

    /// Books each step. What looked like our own work was written otherwise by no stage.
    fn stages_of(&mut self, ledger: &Ledger) {
        if ledger.steps.is_empty() && ledger.before != ledger.after {
            self.save(ESCAPE, 1, difference(ledger.before, ledger.after));
        }
        for step in &ledger.steps {
            self.save(step.stage, 1, difference(step.before, step.after));
        }
    }

    fn save(&mut self, stage: &'static str, texts: usize, saved: i64) {
        if let Some(known) = self.stages.iter_mut().find(|known| known.stage == stage) {
            known.texts += texts;
            known.saved += saved;
        } else {
            self.stages.push(Saving { stage, texts, saved });
        }
    }
}

fn difference(before: usize, after: usize) -> i64 {
    let whole = |tokens| i64::try_from(tokens).unwrap_or(i64::MAX);
    whole(before) - whole(after)
}
