//! What others say of results, and what they may be asked.
//!
//! A compressor may say something else each time, so it is asked before a body is passed, about what is new in it alone,
//! and what it said comes with the request: the engine itself asks nobody.

use std::borrow::Cow;

use sha2::{Digest, Sha256};
use tersely_core::{Loss, Mode, Plan, first_words, redact};
use tersely_wire::Slot;

use crate::conversation::call;
use crate::memo::chain::part;
use crate::remote::agreed::RemoteAnswer;
use crate::remote::strategy::{Fallback, RemotePlan, Strategy};
use crate::scope::Scope;

/// A result that a compressor may shorten.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Candidate {
    /// Which of the results of its body it is, from 0 on.
    pub at: usize,
    /// A name for it that covers all that a compressor would be told.
    pub name: String,
    /// Whether the name holds what only the provider and its client know, so that nobody else comes by it.
    pub is_bound: bool,
    /// What to ask a compressor; nothing once the model has seen the result.
    pub ask: Option<CompressorAsk>,
}

/// What a compressor is asked. Secrets are masked.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct CompressorAsk {
    /// The tool whose result it is.
    pub tool: String,
    /// The result.
    pub text: String,
    /// What the user asked for before; empty where that is not told.
    pub question: String,
}

/// What somebody else says in the place of our own stages, what is heard first before the rest, and who says it.
pub(crate) type OtherWords<'w> = Vec<(&'static str, Cow<'w, str>)>;

/// Results that are not sent anywhere: shorter ones, of which an answer would save next to nothing, and longer ones.
const SMALLEST: usize = 1 << 10;
const LARGEST: usize = 1 << 20;

/// How much of a question is told, in characters.
const QUESTION: usize = 2000;

/// What somebody else says of a result; `None` when it is for our own stages.
pub(crate) fn words<'w>(
    scope: &Scope<'w>,
    at: usize,
    plan: &Plan,
    (slot, text): (&Slot<'_>, &str),
) -> Option<OtherWords<'w>> {
    let simple = || (SIMPLE, Cow::Owned(first_words(many(plan), &redact(text))));
    match &scope.settings.strategy {
        Strategy::Stages => None,
        Strategy::Simple => may_shorten(plan, slot, text).then(|| vec![simple()]),
        Strategy::Remote(remote) => {
            let said = match scope.agreed?.at(at)? {
                RemoteAnswer::Said(said) => Some((remote.stage, Cow::Borrowed(said.as_str()))),
                RemoteAnswer::Failed => None,
                RemoteAnswer::Whole => return Some(Vec::new()),
            };
            let fallback = (remote.fallback == Fallback::Simple).then(simple);
            Some(said.into_iter().chain(fallback).collect())
        }
    }
}

const SIMPLE: &str = "simple";

/// How many words stand for a text: more where only long ones are shortened.
fn many(plan: &Plan) -> usize {
    if plan.min_bytes == 0 { 10 } else { (plan.min_bytes / 10).clamp(5, 50) }
}

/// True when somebody else may shorten a result: nothing that an agent may edit, and no failure, which it must see whole.
fn may_shorten(plan: &Plan, slot: &Slot<'_>, text: &str) -> bool {
    let call = call(slot);
    plan.takes(text.len())
        && plan.loss == Loss::Detail
        && plan.mode >= Mode::Standard
        && !slot.is_error
        && !call.is_verbatim(text)
        && call.origin(text).is_masked()
}

/// The results that the scope lets a compressor shorten; `spoken` is where the model spoke last, `questions` are what users
/// said, each with its place.
pub(crate) fn candidates(
    scope: &Scope<'_>,
    slots: &[Slot<'_>],
    spoken: usize,
    questions: &[(usize, String)],
) -> Vec<Candidate> {
    let Strategy::Remote(remote) = &scope.settings.strategy else { return Vec::new() };
    let candidate = |(at, slot): (usize, &Slot<'_>)| {
        let plan = scope.plan(&slot.call.tool).filter(|_| !scope.skips(&slot.call.tool))?;
        let text = slot.text()?;
        if !(SMALLEST..=LARGEST).contains(&text.len()) || !may_shorten(&plan, slot, &text) {
            return None;
        }
        let before = questions.partition_point(|(place, _)| *place < slot.span.start);
        let question = before.checked_sub(1).map_or("", |last| questions[last].1.as_str());
        let ask = || CompressorAsk {
            tool: slot.call.tool.to_string(),
            text: redact(&text).into_owned(),
            question: redact(question).chars().take(QUESTION).collect(),
        };
        Some(Candidate {
            at,
            name: name(remote, slot, &text, question),
            is_bound: !slot.call.id.is_empty(),
            ask: (slot.span.start >= spoken).then(ask),
        })
    };
    slots.iter().enumerate().skip(scope.plain).filter_map(candidate).collect()
}

/// A name for what a compressor is asked of a result.
fn name(remote: &RemotePlan, slot: &Slot<'_>, text: &str, question: &str) -> String {
    let mut hash = Sha256::new();
    let call = &slot.call;
    let command = call.command.as_deref().unwrap_or_default();
    for told in [remote.stage, &remote.mark, &call.id, &call.tool, command, question, text] {
        part(&mut hash, told.as_bytes());
    }
    let first = hash.finalize().iter().take(16).fold(0u128, |all, byte| all << 8 | u128::from(*byte));
    format!("shadow_{first:032x}")
}
