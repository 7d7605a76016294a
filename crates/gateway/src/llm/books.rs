//! Finishes the rewriting of a request: creates its verdict and its record, and determines where omitted text is
//! stored.

use std::sync::Arc;

use http::StatusCode;
use http::header::{HeaderName, HeaderValue};
use tersely_engine::{ForwardBody, HiddenTools, OptionError, SentBody};
use tersely_wire::{PromptContext, Reading};

use crate::llm::compressor::Consultation;
use crate::llm::entry::{RequestEntry, RequestSender};
use crate::llm::expansion::{Expansion, SentRequest, TenantShelf};
use crate::llm::rewrite::{Refusal, Replacement, Verdict};
use crate::llm::totals::TotalSums;
use crate::prompt_watch::{PromptSighting, PromptWatch};

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
}

impl Books {
    /// The verdict on a request after remote compressors have answered.
    pub(super) fn settled(self, mut sent: SentRequest, mut consulted: Consultation) -> Verdict {
        self.sums.compress(consulted.calls, consulted.tokens);
        sent.agreed = std::mem::take(&mut consulted.agreed);
        let body = sent.body.clone();
        let reading = sent.provider.read(&body);
        self.verdict(sent, &reading, &consulted).unwrap_or_else(refuse)
    }

    /// The verdict on a request, including its record.
    pub(super) fn verdict(
        self,
        sent: SentRequest,
        reading: &Reading<'_>,
        consulted: &Consultation,
    ) -> Result<Verdict, OptionError> {
        let ForwardBody { body, report, hidden } = sent.pass_on(reading)?;
        let mut entry =
            RequestEntry::new(self.sender, report, (!self.only_counts).then(|| Arc::clone(&self.sums)));
        if !self.only_counts {
            entry.watch(self.sighting(&sent, reading, &body));
        }
        if sent.plain > 0 {
            entry.note(PLAIN, HeaderValue::from(sent.plain));
        }
        if consulted.calls > 0 {
            entry.note(COMPRESSOR, HeaderValue::from(consulted.tokens));
        }
        let SentBody::New(body) = body else { return Ok(Verdict::Count(entry)) };
        let entry = Some(entry);
        let Some(HiddenTools { way, kept }) = hidden else {
            return Ok(Verdict::Replace(Replacement { body, entry, ..Replacement::default() }));
        };
        let expansion = Expansion::new(sent, way, self.sums, self.shelf);
        Ok(Verdict::Replace(Replacement {
            body,
            entry,
            kept,
            follow: Some(Box::new(expansion)),
            ..Replacement::default()
        }))
    }

    /// The hashes of the request as it came and as it is sent.
    fn sighting(
        &self,
        sent: &SentRequest,
        reading: &Reading<'_>,
        body: &SentBody<'_>,
    ) -> Option<PromptSighting> {
        let model = reading.model(&sent.path);
        let context = PromptContext { model: model.as_deref(), betas: self.betas };
        let sighting = PromptSighting::of(&self.watch, self.sender.whose, sent.provider, &context, reading)?;
        Some(match body {
            SentBody::Came(_) => sighting,
            SentBody::New(body) => sighting.with_sent(sent.provider, &context, reading, body),
        })
    }
}

/// The verdict on a request with invalid options.
pub(super) fn refuse(refused: OptionError) -> Verdict {
    Verdict::Refuse(Refusal { status: StatusCode::BAD_REQUEST, message: refused.message })
}
