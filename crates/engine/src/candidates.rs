//! Chooses the results that a remote compressor may shorten, and reads its answers.
//!
//! A compressor may answer differently each time. So the gateway asks it before the engine rewrites a body, and only
//! about results that are new; the answers come with the request. The engine itself makes no calls.

use std::borrow::Cow;

use sha2::{Digest, Sha256};
use tersely_core::{Loss, Mode, Plan, first_words, redact};
use tersely_wire::Slot;

use crate::memo::chain::part;
use crate::remote::answers::RemoteAnswer;
use crate::remote::strategy::{Fallback, RemotePlan, Strategy};
use crate::scope::Scope;
use crate::slot_call::call;

/// A result that a remote compressor may shorten.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Candidate {
    /// The index of the result in the body.
    pub at: usize,
    /// A hash of everything that a compressor would get.
    pub name: String,
    /// Whether the hash includes a call id. Only the provider and its client know that id, so nobody else can guess the
    /// hash.
    pub is_bound: bool,
    /// The request to a compressor; `None` once the model has seen the result.
    pub ask: Option<CompressorAsk>,
}

/// The request to a compressor. Secrets in it are masked.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct CompressorAsk {
    /// The tool that returned the result.
    pub tool: String,
    /// The result.
    pub text: String,
    /// The user's last question before the result; empty if questions are not sent.
    pub question: String,
}

/// Texts that may replace a result instead of our own stages, in order of preference, each with its stage.
pub(crate) type Substitutes<'w> = Vec<(&'static str, Cow<'w, str>)>;

/// The minimum and maximum size, in bytes, of a result that is sent to a compressor. Shorter results would save next to
/// nothing.
const MIN_RESULT_BYTES: usize = 1 << 10;
const MAX_RESULT_BYTES: usize = 1 << 20;

/// The maximum number of characters of the user's question that are sent.
const MAX_QUESTION_CHARS: usize = 2000;

/// Texts that may replace a result; `None` when our own stages compress it.
pub(crate) fn substitutes<'w>(
    scope: &Scope<'w>,
    at: usize,
    plan: &Plan,
    (slot, text): (&Slot<'_>, &str),
) -> Option<Substitutes<'w>> {
    let simple = || (SIMPLE, Cow::Owned(first_words(word_count(plan), &redact(text))));
    match &scope.settings.strategy {
        Strategy::Stages => None,
        Strategy::Simple => may_shorten(plan, slot, text).then(|| vec![simple()]),
        Strategy::Remote(remote) => {
            let answer = match scope.answers?.at(at)? {
                RemoteAnswer::Text(text) => Some((remote.stage, Cow::Borrowed(text.as_str()))),
                RemoteAnswer::Failed => None,
                RemoteAnswer::Whole => return Some(Vec::new()),
            };
            let fallback = (remote.fallback == Fallback::Simple).then(simple);
            Some(answer.into_iter().chain(fallback).collect())
        }
    }
}

const SIMPLE: &str = "simple";

/// The number of words that the simple strategy keeps: more if only long results are shortened.
fn word_count(plan: &Plan) -> usize {
    if plan.min_bytes == 0 { 10 } else { (plan.min_bytes / 10).clamp(5, 50) }
}

/// True when another compressor may shorten a result. It may not shorten text that an agent may edit, or an error,
/// which the agent must see in full.
fn may_shorten(plan: &Plan, slot: &Slot<'_>, text: &str) -> bool {
    let call = call(slot);
    plan.takes(text.len())
        && plan.loss == Loss::Detail
        && plan.mode >= Mode::Standard
        && !slot.is_error
        && !call.is_verbatim(text)
        && call.origin(text).is_masked()
}

/// The results that a compressor may shorten. `spoken` is the offset of the model's last message, `questions` are the
/// user messages with their offsets.
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
        if !(MIN_RESULT_BYTES..=MAX_RESULT_BYTES).contains(&text.len()) || !may_shorten(&plan, slot, &text) {
            return None;
        }
        let before = questions.partition_point(|(place, _)| *place < slot.span.start);
        let question = before.checked_sub(1).map_or("", |last| questions[last].1.as_str());
        let ask = || CompressorAsk {
            tool: slot.call.tool.to_string(),
            text: redact(&text).into_owned(),
            question: redact(question).chars().take(MAX_QUESTION_CHARS).collect(),
        };
        Some(Candidate {
            at,
            name: name(remote, slot, &text, question),
            is_bound: !slot.call.id.is_empty(),
            ask: (slot.span.start >= spoken).then(ask),
        })
    };
    slots.iter().enumerate().skip(scope.plain_results).filter_map(candidate).collect()
}

/// A hash of everything that a compressor gets for a result.
fn name(remote: &RemotePlan, slot: &Slot<'_>, text: &str, question: &str) -> String {
    let mut hash = Sha256::new();
    let call = &slot.call;
    let command = call.command.as_deref().unwrap_or_default();
    for field in [remote.stage, &remote.mark, &call.id, &call.tool, command, question, text] {
        part(&mut hash, field.as_bytes());
    }
    let first = hash.finalize().iter().take(16).fold(0u128, |all, byte| all << 8 | u128::from(*byte));
    format!("shadow_{first:032x}")
}
