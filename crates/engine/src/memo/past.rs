//! A conversation so far, as the latest request showed it.

use std::ops::Range;
use std::sync::{Arc, Mutex, PoisonError};

use bytes::Bytes;
use tersely_account::TokenChange;
use tersely_core::tokens::common_start;
use tersely_wire::{Reading, Slot, SlotCall};

use crate::conversation::Conversation;
use crate::remote::answers::RemoteAnswers;
use crate::report::Report;
use crate::tools::retrieval::HiddenWay;

/// A conversation so far. Whether a request continues it is decided by comparing bytes, not hashes.
pub(crate) struct Past {
    /// The latest body, as received.
    pub(crate) came: Bytes,
    /// The body with its results compressed, in which `slots` says where they are.
    pub(crate) patched: Bytes,
    /// The body that was forwarded; usually the same as `patched`.
    pub(crate) sent: Bytes,
    /// The tokens of `came` and `sent`.
    pub(crate) tokens: TokenChange,
    /// The report on the latest request.
    pub(crate) report: Report,
    /// The tools that are hidden in the latest request.
    pub(crate) hidden: Option<HiddenWay>,
    /// How the conversation opens.
    pub(crate) opening: PastOpening,
    /// The results of the conversation.
    pub(crate) slots: Vec<PastSlot>,
    /// What was found out about the results.
    pub(crate) results: Arc<PastResults>,
}

/// The texts of the first message, and their hash.
#[derive(Debug, Clone, Default)]
pub(crate) struct PastOpening {
    pub(crate) texts: Vec<Range<usize>>,
    pub(crate) begun: Option<u64>,
}

/// A result of a conversation.
pub(crate) struct PastSlot {
    /// The range of the result in `came`.
    pub(crate) span: Range<usize>,
    /// The index of its message. It is part of the record, and decides whether the result may be changed at all.
    pub(crate) message: usize,
    pub(crate) call: Arc<SlotCall<'static>>,
    pub(crate) is_error: bool,
    /// A remote compressor's answer for the result.
    pub(crate) answer: Option<String>,
    /// The range in `patched` of what replaces the result; `None` if it was left unchanged.
    pub(crate) token: Option<Range<usize>>,
}

/// What was found out about the results of a conversation.
pub(crate) struct PastResults {
    /// The sum of the reports on all results.
    pub(crate) report: Report,
    /// What the next result depends on, until a request with new results takes it.
    conversation: Mutex<Option<Conversation>>,
    /// The approximate memory use of the conversation, in bytes.
    bytes: usize,
}

impl PastResults {
    /// The results of a request whose results are left alone.
    pub(crate) fn none() -> Self {
        Self { report: Report::default(), bytes: 0, conversation: Mutex::new(None) }
    }

    /// The results of a conversation up to here.
    pub(crate) fn new(report: Report, conversation: Conversation) -> Self {
        Self { report, bytes: conversation.bytes(), conversation: Mutex::new(Some(conversation)) }
    }

    /// Takes the conversation, to continue it.
    pub(crate) fn take_conversation(&self) -> Option<Conversation> {
        self.conversation.lock().unwrap_or_else(PoisonError::into_inner).take()
    }
}

impl Past {
    /// The number of bytes at the start that a request has in common with this conversation, if it continues it: it
    /// opens with the same text, and begins with the same results.
    pub(crate) fn continued_by(
        &self,
        reading: &Reading<'_>,
        answers: Option<&RemoteAnswers>,
    ) -> Option<usize> {
        let slots = reading.slots();
        if self.slots.len() > slots.len() {
            return None;
        }
        let first = reading.prompts().first().map(|prompt| prompt.token);
        if self.opening.texts.first().map(|span| &self.came[span.clone()]) != first {
            return None;
        }
        // An agent's conversations open with the same long prompt, and their first results tell them apart at less cost
        // than their bodies.
        let is_other = |(known, slot): (&PastSlot, &Slot<'_>)| {
            !known.is(&self.came, 0, slot, answer(answers, 0).as_deref())
        };
        if self.slots.first().zip(slots.first()).is_some_and(is_other) {
            return None;
        }
        // Results in the part where both bodies are equal need not be compared once more.
        let same = common_start(&self.came, reading.body());
        let mut pairs = self.slots.iter().zip(slots).enumerate();
        pairs
            .all(|(at, (known, slot))| known.is(&self.came, same, slot, answer(answers, at).as_deref()))
            .then_some(same)
    }

    /// The hash of the first message, if that of a request has the same texts.
    pub(crate) fn begun_hash(&self, first: &[&[u8]]) -> Option<u64> {
        let texts = self.opening.texts.iter().map(|span| &self.came[span.clone()]);
        self.opening.begun.filter(|_| texts.eq(first.iter().copied()))
    }

    /// What replaces each result.
    pub(crate) fn tokens(&self) -> Vec<Option<Bytes>> {
        let token = |slot: &PastSlot| Some(self.patched.slice(slot.token.clone()?));
        self.slots.iter().map(token).collect()
    }

    /// The approximate memory use, in bytes.
    pub(crate) fn bytes(&self) -> usize {
        let slot = |slot: &PastSlot| {
            let call = &slot.call;
            let texts = call.id.len() + call.tool.len() + call.command.as_ref().map_or(0, |it| it.len());
            size_of::<PastSlot>() + size_of::<SlotCall<'_>>() + texts
        };
        let bodies = [&self.came, &self.patched, &self.sent];
        let apart = |at: usize| bodies[..at].iter().all(|other| other.as_ptr() != bodies[at].as_ptr());
        let bodies: usize = (0..bodies.len()).filter(|at| apart(*at)).map(|at| bodies[at].len()).sum();
        let records = &self.results.report.record.results;
        bodies
            + self.slots.iter().map(slot).sum::<usize>()
            + records.iter().map(|result| result.bytes()).sum::<usize>()
            + self.results.bytes
    }
}

impl PastSlot {
    /// True when a slot has this result; the body `came` and that of the slot have the first `same` bytes in common.
    fn is(&self, came: &[u8], same: usize, slot: &Slot<'_>, answer: Option<&str>) -> bool {
        let is_same = self.span == slot.span && self.span.end <= same;
        self.is_error == slot.is_error
            && self.message == slot.message
            && *self.call == *slot.call
            && self.answer.as_deref() == answer
            && (is_same || &came[self.span.clone()] == slot.token)
    }
}

/// A remote compressor's answer for a result, as one text.
pub(crate) fn answer(answers: Option<&RemoteAnswers>, at: usize) -> Option<String> {
    answers.and_then(|answers| answers.at(at)).map(|answer| format!("{answer:?}"))
}
