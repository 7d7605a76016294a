//! Compresses messages that are not forwarded, and what else we see no response of.

use std::sync::Arc;

use tersely_core::{Loss, Plan, Redaction};
use tersely_engine::{
    Engine, EngineSettings, ExpandOffer, ForwardBody, OptionError, PlanOverride, Request, RequestOptions,
    SchemaMode, Strategy,
};

use crate::llm::compress::{CompressQuestion, LoneAnswer};
use crate::llm::engine_rewriter::EngineRewriter;
use crate::llm::entry::{RequestEntry, RequestSender};
use crate::llm::expansion::TenantMemo;
use crate::llm::request_options::{read_options, session};
use crate::llm::rewrite::Head;

impl EngineRewriter {
    /// Compresses messages that are not forwarded. Text is omitted only if it can be stored for the caller. In that
    /// case the memo is not used, because it does not contain the omitted texts.
    pub(super) fn answer(
        &self,
        head: &Head<'_>,
        question: &CompressQuestion,
        most: Loss,
    ) -> Result<LoneAnswer, OptionError> {
        let whose = self.whose(head)?;
        let retrieves = question.retrieves && self.shelf(&whose).is_some();
        let engine = self.engine();
        let offers = retrieves && engine.settings().expand != ExpandOffer::Never;
        let engine = results_only(&engine, if offers { ExpandOffer::Always } else { ExpandOffer::Never });
        let memo = if retrieves { None } else { self.memory(&whose) };
        let request = Request {
            tenant: head.tenant_name(),
            asked: read_options(head.headers)?.or(without_masks()),
            most,
            frozen: question.frozen,
            memo: memo.as_ref().map(TenantMemo::recall),
            ..Request::new(question.provider, head.uri.path())
        };
        let body = question.as_sent().body(question.provider);
        let ForwardBody { body, report, hidden } = engine.pass(&request, &body)?;
        let kept = hidden.map(|hidden| hidden.kept).unwrap_or_default();
        let sender = RequestSender::new(whose.identity(), session(head.headers));
        let entry = RequestEntry::new(sender, report.clone(), Some(Arc::clone(&self.sums)));
        Ok(LoneAnswer::new(body.into_owned(), &report, kept, entry))
    }
}

/// Engine settings for a request whose response we do not see: no remote compressor and no tool discovery. `expand`
/// determines whether omitted text can be fetched.
pub(super) fn request_only(engine: &Engine, expand: ExpandOffer) -> EngineSettings {
    EngineSettings { expand, strategy: Strategy::Stages, discovery: None, ..engine.settings().clone() }
}

/// An engine for messages that are not forwarded: it changes only tool results.
fn results_only(engine: &Engine, expand: ExpandOffer) -> Engine {
    let settings = request_only(engine, expand);
    let settings = EngineSettings { schema: SchemaMode::Disabled, prompts: None, ..settings };
    engine.derived(&format!("results only, {expand:?}"), settings)
}

/// Options that turn off the masking of secrets unless the settings or the request explicitly ask for it: we do not see
/// the response, so masked secrets could not be restored.
pub(super) fn without_masks() -> RequestOptions {
    let change = PlanOverride::of(&["redact_secrets"], Plan { redact: Redaction::Off, ..Plan::default() });
    RequestOptions { change, ..RequestOptions::default() }
}
