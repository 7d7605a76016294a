//! Finishes the rewriting of a request: creates its verdict and its record, and determines where omitted text is
//! stored.

use std::sync::Arc;

use http::StatusCode;
use http::header::{HeaderName, HeaderValue};
use tersely_engine::{ClearPoint, ForwardBody, HiddenTools, KnownPart, OptionError, SentBody};
use tersely_wire::{PromptContext, Reading, cache_ttl};

use crate::access::TenantId;
use crate::llm::cold::{ColdRequest, ColdWatch};
use crate::llm::compressor::Consultation;
use crate::llm::entry::{RequestEntry, RequestSender};
use crate::llm::expansion::{Expansion, NewClearing, SentRequest, TenantShelf};
use crate::llm::rewrite::{Refusal, Replacement, Verdict};
use crate::llm::totals::TotalSums;
use crate::prompt_watch::{OnEnd, PromptSighting, PromptWatch};

/// Response header: the number of results sent unchanged because the rewrite of an earlier request was late.
const PLAIN: HeaderName = HeaderName::from_static("x-tersely-unshortened");

/// Response header: the token cost of remote compressors.
const COMPRESSOR: HeaderName = HeaderName::from_static("x-tersely-tokens-compressor");

/// The totals that a request counts towards, and the store for its omitted text.
pub(super) struct Books {
    pub(super) sums: Arc<TotalSums>,
    pub(super) shelf: Option<TenantShelf>,
    pub(super) sender: RequestSender,
    /// True for requests that only count tokens.
    pub(super) only_counts: bool,
    pub(super) watch: Arc<PromptWatch>,
    /// A hash of the beta features that the request asks for.
    pub(super) betas: u64,
    /// The hashes of the request as it came.
    pub(super) sighting: Option<PromptSighting>,
    /// What the memo was found to know about the request.
    pub(super) known: Option<KnownPart>,
    /// The conversation, if it may be cleared.
    pub(super) cold: Option<ColdRequest>,
}

impl Books {
    /// The verdict on a request after remote compressors have answered.
    pub(super) fn settled(self, mut sent: SentRequest, mut consulted: Consultation) -> Verdict {
        self.sums.compress(consulted.calls, consulted.tokens, consulted.outcomes);
        sent.agreed = std::mem::take(&mut consulted.agreed);
        let body = sent.body.clone();
        let reading = sent.provider.read(&body);
        self.verdict(sent, &reading, &consulted).unwrap_or_else(refuse)
    }

    /// Looks up where the conversation of a request was cleared.
    pub(super) fn look_up(
        mut self,
        watch: &Arc<ColdWatch>,
        mut sent: SentRequest,
        reading: &Reading<'_>,
        whose: &TenantId,
    ) -> (SentRequest, Self) {
        self.sighting = self.sight(&sent, reading);
        self.cold = self.sighting.as_ref().and_then(|sighting| {
            let model = reading.model(&sent.path);
            ColdRequest::of(watch, sighting.came(), whose, model.as_deref(), cache_ttl(reading))
        });
        sent.clearings = self.points();
        (sent, self)
    }

    /// The same, after the store was asked where the conversation was cleared, if other replicas may know.
    pub(super) async fn found(self) -> Self {
        let cold = match self.cold {
            Some(cold) if cold.is_elsewhere() => Some(cold.find().await),
            cold => cold,
        };
        Self { cold, ..self }
    }

    /// The verdict on a request, including its record.
    pub(super) fn verdict(
        mut self,
        mut sent: SentRequest,
        reading: &Reading<'_>,
        consulted: &Consultation,
    ) -> Result<Verdict, OptionError> {
        sent.clearings = self.points();
        let passed = sent.pass_on(reading, self.known.take().as_ref())?;
        if let Some(cold) = self.cold.as_ref().filter(|_| !self.only_counts) {
            cold.begin();
        }
        let (ForwardBody { body, mut report, hidden }, clearing) = self.clear(&mut sent, reading, passed)?;
        report.record.remote = consulted.outcomes;
        let cleared = report.record.cleared_results();
        let mut entry =
            RequestEntry::new(self.sender, report, (!self.only_counts).then(|| Arc::clone(&self.sums)));
        if !self.only_counts {
            entry.watch(self.sighting(&sent, reading, (&body, cleared)));
        }
        if sent.plain > 0 {
            entry.note(PLAIN, HeaderValue::from(sent.plain));
        }
        if consulted.calls > 0 {
            entry.note(COMPRESSOR, HeaderValue::from(consulted.tokens));
        }
        let SentBody::New(body) = body else {
            // What is only measured is cleared in the account alone.
            if let Some(NewClearing { cold, point }) = clearing {
                cold.remember(point);
            }
            return Ok(Verdict::Count(entry));
        };
        let entry = Some(entry);
        let Some(HiddenTools { way, kept }) = hidden else {
            return Ok(Verdict::Replace(Replacement { body, entry, ..Replacement::default() }));
        };
        let expansion = Expansion::new(sent, way, self.sums, self.shelf).clearing(clearing);
        Ok(Verdict::Replace(Replacement {
            body,
            entry,
            kept,
            follow: Some(Box::new(expansion)),
            ..Replacement::default()
        }))
    }

    /// Where the conversation was cleared.
    pub(super) fn points(&self) -> Vec<ClearPoint> {
        self.cold.as_ref().map(|cold| cold.points().to_vec()).unwrap_or_default()
    }

    /// True when the provider's cache is gone, so that old results may be cleared.
    pub(super) fn is_cold(&self) -> bool {
        self.cold.as_ref().is_some_and(ColdRequest::is_cold)
    }

    /// Clears the conversation if the provider's cache is gone and that pays.
    fn clear<'b>(
        &self,
        sent: &mut SentRequest,
        reading: &Reading<'b>,
        passed: ForwardBody<'b>,
    ) -> Result<(ForwardBody<'b>, Option<NewClearing>), OptionError> {
        let made = |passed: &ForwardBody<'_>| {
            let record = &passed.report.record;
            record.would.as_deref().unwrap_or(record).clone()
        };
        let Some(cold) = self.cold.as_ref().filter(|cold| cold.is_cold() && !self.only_counts) else {
            return Ok((passed, None));
        };
        let before = made(&passed);
        let Some(point) = cold.point(before.total_tokens().after) else { return Ok((passed, None)) };
        sent.clearings.push(point);
        let cleared = sent.pass_on(reading, None)?;
        if cold.pays(&before, &made(&cleared)) {
            return Ok((cleared, Some(NewClearing { cold: cold.clone(), point })));
        }
        sent.clearings.pop();
        Ok((passed, None))
    }

    /// The hashes of the request as it came.
    pub(super) fn sight(&self, sent: &SentRequest, reading: &Reading<'_>) -> Option<PromptSighting> {
        let model = reading.model(&sent.path);
        let context = PromptContext { model: model.as_deref(), betas: self.betas };
        PromptSighting::of(&self.watch, self.sender.whose, sent.provider, &context, reading)
    }

    /// The hashes of the request as it came and as it is sent.
    fn sighting(
        &mut self,
        sent: &SentRequest,
        reading: &Reading<'_>,
        (body, cleared): (&SentBody<'_>, usize),
    ) -> Option<PromptSighting> {
        let model = reading.model(&sent.path);
        let context = PromptContext { model: model.as_deref(), betas: self.betas };
        let on_end = self.cold.take().map(|cold| Arc::new(move || cold.end()) as OnEnd);
        let sighting = self.sighting.take().or_else(|| self.sight(sent, reading))?.with_end(on_end);
        Some(match body {
            SentBody::Came(_) => sighting,
            SentBody::New(body) => sighting.with_sent(sent.provider, &context, reading, (body, cleared)),
        })
    }
}

/// The verdict on a request with invalid options.
pub(super) fn refuse(refused: OptionError) -> Verdict {
    Verdict::Refuse(Refusal { status: StatusCode::BAD_REQUEST, message: refused.message })
}
