//! Scores a result in each way, and adds up scores.

use std::ops::AddAssign;
use std::time::{Duration, Instant};

use serde_json::{Map, Value, json};
use tersely_core::{Call, Loss, Mode, O200k, Outcome, Plan, compress, lost_errors, restore};
use tersely_terminal::share::Share;

use super::foreign::{ForeignCount, VOCABULARIES};
use super::sight::{Needles, Sight};

/// The ways to compress, one per column: exact only, standard, aggressive.
pub(super) const WAYS: [(&str, Mode, Loss); 3] = [
    ("exact", Mode::Standard, Loss::None),
    ("standard", Mode::Standard, Loss::Detail),
    ("aggressive", Mode::Aggressive, Loss::Detail),
];

/// The index of the standard way, which gets extra measurements.
const STANDARD: usize = 1;

/// Families in which every error line must stay visible.
const TELLING: [&str; 4] = ["build", "ci", "logs", "traces"];

/// A file of the corpus.
pub(super) struct CorpusFile<'a> {
    pub(super) family: &'a str,
    pub(super) path: &'a str,
    pub(super) text: &'a str,
    pub(super) asked: &'a [Needles],
}

/// The score of one or more files.
#[derive(Debug, Default, Clone)]
pub(super) struct FamilyScore {
    pub(super) files: usize,
    bytes: usize,
    pub(super) sent: usize,
    /// The number of tokens in each way.
    pub(super) tokens: [usize; 3],
    /// The stages that each way applied to the last file.
    pub(super) stages: [String; 3],
    pub(super) questions: usize,
    /// The number of questions that can be answered, in each way.
    pub(super) sight: [Sight; 3],
    /// The number of error lines that the standard way hides.
    pub(super) errors: usize,
    /// The cost in other vocabularies, in the standard way.
    pub(super) foreign: [ForeignCount; VOCABULARIES.len()],
    /// The time spent in the standard way.
    time: Duration,
    /// The longest time for one file.
    pub(super) slowest: Duration,
    /// The files that got more expensive, or did not decode to the original.
    pub(super) broken: Vec<String>,
}

impl AddAssign<&Self> for FamilyScore {
    fn add_assign(&mut self, other: &Self) {
        self.files += other.files;
        self.bytes += other.bytes;
        self.sent += other.sent;
        self.questions += other.questions;
        self.errors += other.errors;
        self.time += other.time;
        self.slowest = self.slowest.max(other.slowest);
        for way in 0..WAYS.len() {
            self.tokens[way] += other.tokens[way];
            self.sight[way] += other.sight[way];
        }
        self.stages.clone_from(&other.stages);
        for (own, other) in self.foreign.iter_mut().zip(&other.foreign) {
            *own += other;
        }
        self.broken.extend_from_slice(&other.broken);
    }
}

impl FamilyScore {
    /// Scores one file with its call, in each way.
    pub(super) fn of(call: Call<'_>, file: &CorpusFile<'_>) -> Self {
        let CorpusFile { family, path, text, asked } = *file;
        let sent = O200k.count(text);
        let mut row = Self { files: 1, bytes: text.len(), sent, questions: asked.len(), ..Self::default() };
        for (way, (name, mode, loss)) in WAYS.into_iter().enumerate() {
            let plan = Plan { mode, loss, ..Plan::default() };
            let start = Instant::now();
            let outcome = compress(&plan, call, text);
            let time = start.elapsed();
            row.tokens[way] = O200k.count(&outcome.text);
            row.stages[way] = stages(&outcome);
            row.sight[way] = Sight::of(&outcome, asked);
            if row.tokens[way] > sent || !is_exact(&outcome, text) {
                row.broken.push(format!("{path} ({name})"));
            }
            if way == STANDARD {
                (row.time, row.slowest) = (time, time);
                row.foreign = ForeignCount::all(text, &outcome.text);
                row.errors = if TELLING.contains(&family) { errors_lost(&outcome, text) } else { 0 };
            }
        }
        row
    }

    /// The percentage saved in each way.
    pub(super) fn saved(&self) -> [f64; 3] {
        self.tokens.map(|tokens| Share::saved(self.sent, tokens).percent())
    }

    /// The speed in megabytes per second.
    pub(super) fn pace(&self) -> f64 {
        let micros = self.time.as_micros().max(1);
        u32::try_from(self.bytes).map_or(0.0, f64::from)
            / u32::try_from(micros).map_or(f64::INFINITY, f64::from)
    }

    pub(super) fn json(&self) -> Value {
        let mut object = Map::new();
        object.insert("files".into(), json!(self.files));
        object.insert("sent".into(), json!(self.sent));
        for (way, (name, ..)) in WAYS.into_iter().enumerate() {
            let saved = self.saved()[way];
            let Sight { read, letter, expanded } = self.sight[way];
            let tokens = self.tokens[way];
            let value = json!({
                "tokens": tokens, "saved": saved, "in_sight": read, "to_the_letter": letter, "expanded": expanded
            });
            object.insert(name.into(), value);
        }
        object.insert("questions".into(), json!(self.questions));
        object.insert("errors_out_of_sight".into(), json!(self.errors));
        object.insert("slowest_ms".into(), json!(self.slowest.as_secs_f64() * 1e3));
        for ((name, _), count) in VOCABULARIES.iter().zip(&self.foreign) {
            object.insert((*name).into(), count.json());
        }
        object.insert("megabytes_per_second".into(), json!(self.pace()));
        Value::Object(object)
    }
}

/// The stages that changed a text, in order; `-` if none did.
fn stages(outcome: &Outcome<'_>) -> String {
    let names: Vec<_> = outcome.ledger.steps.iter().map(|step| step.stage).collect();
    if names.is_empty() { "-".to_owned() } else { names.join("+") }
}

/// False if an outcome claims to be exact but is not. If secrets were masked, the text around them cannot be restored.
fn is_exact(outcome: &Outcome<'_>, text: &str) -> bool {
    outcome.ledger.loss() != Loss::None
        || outcome.redacted > 0
        || restore(&outcome.text).as_deref() == Some(text)
}

/// The number of error lines that a reader does not see, ignoring colours and secrets.
fn errors_lost(outcome: &Outcome<'_>, text: &str) -> usize {
    let plain = Plan { mode: Mode::Safe, loss: Loss::Form, ..Plan::default() };
    let before = compress(&plain, Call::default(), text);
    lost_errors(&before.text, &restore(&outcome.text).unwrap_or_default()).count()
}
