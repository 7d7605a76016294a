//! What the memo knows about a request, and what it remembers of it.

use std::ops::Range;
use std::sync::Arc;

use bytes::Bytes;
use tersely_account::TokenChange;
use tersely_wire::hidden::ToolHiding;
use tersely_wire::{Insertion, Reading, Slot, SlotCall};

use crate::forward_body::ForwardBody;
use crate::memo::Recall;
use crate::memo::known_part::{ContinuedPast, KnownPart};
use crate::memo::past::{Past, PastOpening, PastResults, PastSlot, answer};
use crate::remote::answers::RemoteAnswers;
use crate::report::Report;
use crate::request::Request;
use crate::results::Results;
use crate::scope::Scope;
use crate::sent_body::{BodyEdit, SentBody};
use crate::session_hash::{first_message, opening_hash};
use crate::token_count::{count, count_after, count_edited, count_since};
use crate::tools::retrieval::{HiddenTools, HiddenWay};

/// What was made of a request.
pub(crate) struct RewriteParts<'m> {
    pub(crate) edits: &'m [BodyEdit],
    /// The body with these edits; `None` if there are none.
    pub(crate) patched: Option<Bytes>,
    pub(crate) sent: &'m SentBody<'m>,
    pub(crate) tokens: TokenChange,
    pub(crate) report: &'m Report,
    pub(crate) hidden: Option<&'m HiddenWay>,
}

/// Looks up the conversation of a request in which this tool is offered; `None` if there is no memo, or if it does not
/// know the request.
pub(crate) fn look_up(
    scope: &Scope<'_>,
    request: &Request<'_>,
    reading: &Reading<'_>,
    offered: Option<(&'static ToolHiding, Insertion)>,
) -> Option<KnownPart> {
    let recall = memo_of(scope, request).filter(|_| reading.error().is_none())?;
    let key = recall.key(scope, request.provider, request.path);
    let continued = recall.find(key, scope, reading)?;
    Some(KnownPart { reader: scope.model_reader, offered, continued })
}

/// A request, and what the memo knows about it.
pub(crate) struct MemoLookup<'r> {
    recall: Recall<'r>,
    key: u64,
    continued: Option<ContinuedPast>,
    reading: &'r Reading<'r>,
    shared: Option<&'r Bytes>,
    answers: Option<&'r RemoteAnswers>,
    /// True when the request names its session.
    is_named: bool,
}

impl<'r> MemoLookup<'r> {
    /// Looks up the conversation of a request; `None` if there is no memo, or if the request asks not to use it.
    pub(crate) fn of(scope: &Scope<'r>, request: &Request<'r>, reading: &'r Reading<'r>) -> Option<Self> {
        let recall = memo_of(scope, request)?;
        if reading.error().is_some() {
            return None;
        }
        let key = recall.key(scope, request.provider, request.path);
        let (shared, answers) = (request.shared, scope.answers.filter(|answers| !answers.is_empty()));
        // Answers of a remote compressor arrive after the conversation was looked up, and are part of it.
        let known = request.known.filter(|_| answers.is_none()).map(|known| &known.continued);
        let continued = match known.filter(|known| known.key == key) {
            Some(known) => Some(known.clone()),
            None => recall.find(key, scope, reading),
        };
        let is_named = scope.options.session.id.is_some();
        Some(Self { recall, key, continued, reading, shared, answers, is_named })
    }

    /// The conversation that the request continues.
    pub(crate) fn past(&self) -> Option<&Past> {
        self.continued.as_ref().map(|it| &*it.past)
    }

    /// The conversation that the request continues, and the number of bytes at the start that both have in common.
    pub(crate) fn shared_past(&self) -> Option<(&Past, usize)> {
        self.continued.as_ref().map(|it| (&*it.past, it.same))
    }

    /// What was sent for the same body before, if nothing has to be found out about it again. Named sessions count how
    /// often a result has changed.
    pub(crate) fn again<'b>(&self, reading: &Reading<'b>) -> Option<(ForwardBody<'b>, usize)> {
        let ContinuedPast { past, same, .. } = self.continued.as_ref()?;
        let is_same = *same == past.came.len() && *same == reading.body().len();
        if self.is_named || self.answers.is_some() || !is_same {
            return None;
        }
        self.recall.touch(past);
        let body = if past.sent.as_ptr() == past.came.as_ptr() {
            SentBody::Came(reading.body())
        } else {
            SentBody::New(past.sent.clone())
        };
        let mut report = past.report.clone();
        (report.record.reused, report.record.renewed) = (past.slots.len(), 0);
        let hidden = past.hidden.clone().map(|way| HiddenTools { way, kept: Vec::new() });
        Some((ForwardBody { body, report, hidden }, past.tokens.before))
    }

    /// Remembers the request.
    pub(crate) fn keep(&self, results: &Results, made: RewriteParts<'_>) {
        let RewriteParts { edits, patched, sent, tokens, report, hidden } = made;
        let came = self.came();
        let sent = if let SentBody::New(sent) = sent { sent.clone() } else { came.clone() };
        let opening = first_message(self.reading).iter().map(|prompt| prompt.span.clone()).collect();
        let past = Past {
            patched: patched.unwrap_or_else(|| came.clone()),
            came,
            sent,
            tokens,
            report: report.clone(),
            hidden: hidden.cloned(),
            opening: PastOpening { texts: opening, begun: opening_hash(self.reading, self.past()) },
            slots: self.slots(results, edits),
            results: results.past.clone().unwrap_or_else(|| Arc::new(PastResults::none())),
        };
        self.recall.keep(self.key, past, self.continued.as_ref().map(|it| &it.past));
    }

    /// The body as it came, copied only if the caller does not share it.
    fn came(&self) -> Bytes {
        let body = self.reading.body();
        let is_body = |shared: &&Bytes| shared.as_ptr() == body.as_ptr() && shared.len() == body.len();
        self.shared.filter(is_body).map_or_else(|| Bytes::copy_from_slice(body), Bytes::clone)
    }

    /// The results, and where they are in the body with its results compressed.
    fn slots(&self, results: &Results, edits: &[BodyEdit]) -> Vec<PastSlot> {
        let mut shift = Shift::new(edits);
        let known = self.past().map_or(&[][..], |past| &past.slots);
        let slot = |(at, (slot, token)): (usize, (&Slot<'_>, &Option<Bytes>))| {
            let call = known.get(at).filter(|known| *known.call == *slot.call);
            PastSlot {
                span: slot.span.clone(),
                message: slot.message,
                call: call.map_or_else(|| own(&slot.call), |known| Arc::clone(&known.call)),
                is_error: slot.is_error,
                answer: answer(self.answers, at),
                token: token.as_ref().map(|token| shift.place(slot.span.start, token.len())),
            }
        };
        self.reading.slots().iter().zip(&results.tokens).enumerate().map(slot).collect()
    }
}

/// The memo, unless the request asks not to use it.
pub(crate) fn memo_of<'r>(scope: &Scope<'_>, request: &Request<'r>) -> Option<Recall<'r>> {
    request.memo.filter(|_| scope.options.session.memo != Some(false))
}

fn own(call: &SlotCall<'_>) -> Arc<SlotCall<'static>> {
    Arc::new(call.clone().into_static())
}

/// Translates positions in a body to positions in the edited body, in order.
struct Shift<'e> {
    edits: std::slice::Iter<'e, BodyEdit>,
    next: Option<&'e BodyEdit>,
    added: usize,
    cut: usize,
}

impl<'e> Shift<'e> {
    fn new(edits: &'e [BodyEdit]) -> Self {
        let mut edits = edits.iter();
        Self { next: edits.next(), edits, added: 0, cut: 0 }
    }

    /// The range in the edited body of the `length` bytes that replace what was at `start`.
    fn place(&mut self, start: usize, length: usize) -> Range<usize> {
        while let Some((span, bytes)) = self.next.filter(|(span, _)| span.start < start) {
            self.added += bytes.len();
            self.cut += span.len();
            self.next = self.edits.next();
        }
        let start = start + self.added - self.cut;
        start..start + length
    }
}

/// The tokens of a body as it came and as it is sent. `edits` are all differences between the two, if they are known;
/// `past` is the conversation that it continues, with the number of bytes at the start that both have in common.
pub(crate) fn count_change(
    past: Option<(&Past, usize)>,
    came: &[u8],
    edits: Option<&[BodyEdit]>,
    sent: &[u8],
) -> TokenChange {
    let before = |past: &Past, same| count_after(same, (&past.came, past.tokens.before), came);
    match (past, edits) {
        (Some((past, same)), Some([])) => TokenChange::unchanged(before(past, same)),
        (Some((past, same)), _) => TokenChange {
            before: before(past, same),
            after: count_since((&past.sent, past.tokens.after), sent),
        },
        (None, Some([])) => TokenChange::unchanged(count(came)),
        (None, Some(edits)) => count_edited(came, edits, sent),
        (None, None) => TokenChange { before: count(came), after: count(sent) },
    }
}

#[cfg(test)]
mod tests {
    use tersely_testing::generate::Choices;
    use tersely_wire::{in_order, patch};

    use super::*;

    /// A result is found in the edited body where its replacement was written, however many edits come before it.
    #[test]
    fn a_place_in_the_edited_body_is_where_its_replacement_is() {
        for seed in 0..2000_u64 {
            let seed = &mut { seed };
            let body: Vec<u8> = (b'a'..=b'z').cycle().take(100).collect();
            let edit = |seed: &mut u64| {
                let (start, length) = (seed.pick(95), seed.pick(6));
                (start..start + length, Bytes::from(format!("<{}>", "x".repeat(seed.pick(9)))))
            };
            let edits: Vec<BodyEdit> = in_order((0..seed.pick(9)).map(|_| edit(seed)).collect());
            let patched = patch(&body, &edits);
            let mut shift = Shift::new(&edits);
            // Insertions are not results: a result is never empty.
            for (span, bytes) in edits.iter().filter(|(span, _)| !span.is_empty() && seed.pick(3) > 0) {
                let is_behind_insertion =
                    edits.iter().any(|(other, _)| other.is_empty() && other.start == span.start);
                if !is_behind_insertion {
                    assert_eq!(&patched[shift.place(span.start, bytes.len())], &bytes[..], "{edits:?}");
                }
            }
        }
    }
}
