//! The record of a request: once there is a response, reports and counts the changes to the request's body.
//!
//! A failed request saves nothing, however short its body was, because the client will send it again.

use std::sync::Arc;

use http::Response;
use http::header::{HeaderMap, HeaderName, HeaderValue};
use tersely_account::{Arm, RequestRecord, ShownName, stable_hash};
use tersely_core::prompt::Stats;
use tersely_engine::Report;

use crate::llm::totals::TotalSums;
use crate::prompt_watch::PromptSighting;
use crate::request_log::Known;

/// Response headers with information about the request.
const READER: HeaderName = HeaderName::from_static("x-tersely-reader");
const BEFORE: HeaderName = HeaderName::from_static("x-tersely-tokens-before");
const AFTER: HeaderName = HeaderName::from_static("x-tersely-tokens-after");
const TOOL: HeaderName = HeaderName::from_static("x-tersely-tokens-tool");
const WHOLE_BEFORE: HeaderName = HeaderName::from_static("x-tersely-request-tokens-before");
const WHOLE_AFTER: HeaderName = HeaderName::from_static("x-tersely-request-tokens-after");
const MEMO: HeaderName = HeaderName::from_static("x-tersely-memo");
const TOOLS: HeaderName = HeaderName::from_static("x-tersely-tools");
const PROMPTS: HeaderName = HeaderName::from_static("x-tersely-prompts");
const OVER_LIMIT: HeaderName = HeaderName::from_static("x-tersely-over-limit");
const STAGES: HeaderName = HeaderName::from_static("x-tersely-stages");
/// Response headers for a request in a trial: its group, and the token counts that compression would have given.
const ARM: HeaderName = HeaderName::from_static("x-tersely-arm");
const WOULD_AFTER: HeaderName = HeaderName::from_static("x-tersely-would-tokens-after");
const WOULD_WHOLE: HeaderName = HeaderName::from_static("x-tersely-would-request-tokens-after");
const WOULD_STAGES: HeaderName = HeaderName::from_static("x-tersely-would-stages");

/// The maximum number of stages listed in a response header.
const NAMED: usize = 8;

/// The record of a request.
#[derive(Debug)]
pub struct RequestEntry {
    report: Arc<Report>,
    /// The totals that the request counts towards; `None` for requests that only count tokens.
    sums: Option<Arc<TotalSums>>,
    sender: RequestSender,
    /// Headers to add to the response, whether it is a success or not.
    notes: HeaderMap,
    /// What is known of its prompt, to explain a miss of the cache.
    sighting: Option<PromptSighting>,
    state: State,
}

/// Hashes of a request's sender and of the session named in its headers.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct RequestSender {
    pub(crate) whose: u64,
    pub(crate) session: Option<u64>,
}

impl RequestSender {
    /// The sender with this identity, in a session with this hash.
    pub(crate) fn new(identity: &[u8], session: Option<u64>) -> Self {
        Self { whose: stable_hash(identity), session }
    }
}

#[derive(Clone, Copy, Debug, Eq, PartialEq)]
enum State {
    /// The request has not been sent yet, and may still be forwarded unchanged.
    Open,
    /// The request has been sent.
    Sent,
    /// The request has been answered with success.
    Answered,
}

impl RequestEntry {
    /// Creates the record of a request that has not been sent yet.
    pub(crate) fn new(sender: RequestSender, report: Report, sums: Option<Arc<TotalSums>>) -> Self {
        Self {
            report: Arc::new(report),
            sums,
            sender,
            notes: HeaderMap::new(),
            sighting: None,
            state: State::Open,
        }
    }

    /// Adds a header to the response, whether it is a success or not.
    pub(crate) fn note(&mut self, name: HeaderName, value: HeaderValue) {
        self.notes.insert(name, value);
    }

    /// Adds what is known of the request's prompt.
    pub(crate) fn watch(&mut self, sighting: Option<PromptSighting>) {
        self.sighting = sighting;
    }

    /// Replaces the report, because another body is sent.
    pub(crate) fn instead(mut self, report: Report) -> Self {
        self.report = Arc::new(report);
        self
    }

    /// Marks the request as sent; without a successful response it now counts as failed.
    pub(crate) fn sent(mut self) -> Self {
        self.state = State::Sent;
        self
    }

    /// The model that the request names, if its name can be shown.
    pub(crate) fn model(&self) -> Option<ShownName> {
        self.report.model.clone()
    }

    /// A hash that identifies the request's conversation.
    pub(crate) fn session(&self) -> Option<u64> {
        let session = self.sender.session.or(self.report.record.session);
        session.map(|session| stable_hash(&(self.sender.whose, session)))
    }

    /// Hashes of the request's sender and of the session's name.
    pub(crate) fn sender(&self) -> RequestSender {
        self.sender
    }

    /// Adds headers to the response; if the response is a success, also counts the request and reports the changes.
    pub(crate) fn answer<B>(mut self, known: &mut Known, response: &mut Response<B>) {
        response.headers_mut().extend(std::mem::take(&mut self.notes));
        if response.status().is_success() {
            self.state = State::Answered;
            known.prompt = self.sighting.take();
            if let Some(sums) = &self.sums {
                known.fresh = sums.add(self.sender.whose, &self.report);
                known.report = Some(Arc::clone(&self.report));
            }
            response.headers_mut().extend(told(&self.report));
        }
    }
}

/// Counts a request as failed if it was sent and did not get a successful response, for any reason.
impl Drop for RequestEntry {
    fn drop(&mut self) {
        if let (State::Sent, Some(sums)) = (self.state, &self.sums) {
            sums.fail();
        }
    }
}

/// Headers that report the changes to a body; empty if there was nothing to change.
fn told(report: &Report) -> HeaderMap {
    let mut headers = would(&report.record);
    let Stats { candidate_count, converted_count, original_bytes, compressed_bytes, .. } = report.prompts;
    if candidate_count > 0 {
        let prompts = format!(
            "convertedCount={converted_count}, candidateCount={candidate_count}, \
             originalBytes={original_bytes}, compressedBytes={compressed_bytes}"
        );
        headers.extend(HeaderValue::try_from(prompts).ok().map(|prompts| (PROMPTS, prompts)));
    }
    let record = &report.record;
    if record.slots == 0 && record.tool_tokens == 0 && candidate_count == 0 {
        return headers;
    }
    let whole = record.total_tokens();
    for (name, tokens) in [
        (BEFORE, record.result_tokens.before),
        (AFTER, record.result_tokens.after),
        (TOOL, record.tool_tokens),
        (WHOLE_BEFORE, whole.before),
        (WHOLE_AFTER, whole.after),
    ] {
        headers.insert(name, HeaderValue::from(tokens));
    }
    headers.extend(report.reader.map(|reader| (READER, HeaderValue::from_static(reader.name()))));
    if let Some(tools) = report.tools {
        let tools = format!("shown={}, all={}", tools.shown, tools.all);
        headers.extend(HeaderValue::try_from(tools).ok().map(|tools| (TOOLS, tools)));
    }
    if report.over_limit > 0 {
        headers.insert(OVER_LIMIT, HeaderValue::from(report.over_limit));
    }
    if record.reused + record.renewed > 0 {
        let memo = format!("reused={}, changed={}", record.reused, record.renewed);
        headers.extend(HeaderValue::try_from(memo).ok().map(|memo| (MEMO, memo)));
    }
    if let Some(stages) = HeaderValue::try_from(stages(record)).ok().filter(|stages| !stages.is_empty()) {
        headers.insert(STAGES, stages);
    }
    headers
}

/// Headers for a body that was sent unchanged: what we would have changed, and the session's trial group.
fn would(record: &RequestRecord) -> HeaderMap {
    let mut headers = HeaderMap::new();
    if record.arm != Arm::Applied {
        headers.insert(ARM, HeaderValue::from_static(record.arm.name()));
    }
    let Some(would) = &record.would else { return headers };
    headers.insert(WOULD_AFTER, HeaderValue::from(would.result_tokens.after));
    headers.insert(WOULD_WHOLE, HeaderValue::from(would.total_tokens().after));
    if let Some(stages) = HeaderValue::try_from(stages(would)).ok().filter(|stages| !stages.is_empty()) {
        headers.insert(WOULD_STAGES, stages);
    }
    headers
}

/// Lists the stages that saved the most, and sums up the others, so that the numbers add up to the total.
fn stages(record: &RequestRecord) -> String {
    let (named, others) = record.stages.split_at(record.stages.len().min(NAMED));
    let named = named.iter().map(|it| format!("{}={}", it.stage, it.saved));
    let others =
        (!others.is_empty()).then(|| format!("others={}", others.iter().map(|it| it.saved).sum::<i64>()));
    named.chain(others).collect::<Vec<_>>().join(", ")
}
