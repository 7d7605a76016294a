//! Compresses a whole request body, as `tersely compress --body` does without a settings file.

use std::borrow::Cow;

use serde_json::{Map, Value, json};
use tersely_account::TokenChange;
use tersely_core::{Loss, Reader, Redaction};
use tersely_engine::{
    Answers, Engine, EngineSettings, ExpandOffer, ForwardBody, KeptOriginal, Report, Request, RestoreError,
    TOOL, restore, seal,
};
use tersely_wire::hidden::HiddenAsk;
use tersely_wire::{MaskedBody, Provider, guess_provider};

use crate::error::EmbedError;
use crate::options::CallOptions;
use crate::reply::CallReply;

/// A body that was compressed.
pub(crate) struct SmallBody {
    pub(crate) body: Vec<u8>,
    pub(crate) report: Report,
    /// The texts that were omitted from it.
    pub(crate) kept: Vec<KeptOriginal>,
}

/// An engine for these options.
pub(crate) fn engine(options: &CallOptions, usual: Loss, expand: ExpandOffer) -> Engine {
    Engine::new(EngineSettings { plan: options.plan(usual), expand, ..EngineSettings::default() })
}

/// The request in fewer tokens. A body without tool results comes back unchanged.
pub(crate) fn compress_request(options: &CallOptions, body: &[u8]) -> Result<CallReply, EmbedError> {
    let Some(provider) = options.provider.or_else(|| guess_provider(body)) else {
        return Ok(CallReply {
            about: about(None, &Report::default(), &[]).to_string(),
            payload: body.to_vec(),
        });
    };
    let engine = engine(options, Loss::Detail, ExpandOffer::Auto);
    let small = shrink(&engine, &Request::new(provider, ""), options, body)?;
    let about = about(Some(provider), &small.report, &small.kept).to_string();
    let payload = if options.switches.observe { body.to_vec() } else { small.body };
    Ok(CallReply { about, payload })
}

/// Compresses a body with an engine. Secrets are masked in all of it, if that was asked for.
pub(crate) fn shrink(
    engine: &Engine,
    request: &Request<'_>,
    options: &CallOptions,
    body: &[u8],
) -> Result<SmallBody, EmbedError> {
    let MaskedBody { body, count } = mask(options, body)?;
    let passed = engine.pass(request, &body);
    let ForwardBody { body, mut report, hidden } =
        passed.map_err(|refused| EmbedError::argument("_tersely", refused))?;
    report.record.redacted += count;
    let kept = hidden.map(|hidden| hidden.kept).unwrap_or_default();
    Ok(SmallBody { body: body.into_owned(), report, kept })
}

fn mask<'b>(options: &CallOptions, body: &'b [u8]) -> Result<MaskedBody<'b>, EmbedError> {
    if options.redact != Redaction::All {
        return Ok(MaskedBody { body: Cow::Borrowed(body), count: 0 });
    }
    seal(body).map_err(|error| EmbedError::argument("redact_secrets", format!("cannot mask: {error}")))
}

/// The body as it was before it was compressed.
pub(crate) fn restore_request(provider: &'static Provider, body: &[u8]) -> Result<Vec<u8>, EmbedError> {
    restore(provider, body).map_err(|why| {
        let hint = match why {
            RestoreError::Partial(_) => "; loss=\"none\" leaves nothing out",
            RestoreError::Body(_) | RestoreError::Damaged(_) => "",
        };
        EmbedError::Content(format!("{why}{hint}"))
    })
}

/// What the model gets for a call of the tool: the omitted text, a part of it, or a sentence that says why not.
pub(crate) fn expand(options: &CallOptions, kept: Vec<KeptOriginal>) -> Result<String, EmbedError> {
    let id = options.names.id.clone();
    let id = id.ok_or_else(|| EmbedError::argument("id", "must be the id behind <<<SHADOW:"))?;
    let mut input = Map::from_iter([("id".to_owned(), Value::from(id))]);
    input.extend(options.names.part.clone().map(|part| ("part".to_owned(), Value::from(part))));
    let input = Value::from(input).to_string();
    let ask = HiddenAsk { id: String::new(), tool: TOOL.name.to_owned(), input };
    Ok(Answers::new(kept).answer(usize::MAX, &[ask]).pop().unwrap_or_default())
}

/// The account of a body, as JSON.
pub(crate) fn about(provider: Option<&'static Provider>, report: &Report, kept: &[KeptOriginal]) -> Value {
    let record = &report.record;
    let TokenChange { before, after } = record.result_tokens;
    let stages = record.stages.iter();
    let stages = stages.map(|it| json!({ "stage": it.stage, "texts": it.texts, "saved": it.saved }));
    let stages: Vec<_> = stages.collect();
    let ids: Vec<_> = kept.iter().map(|kept| kept.id.as_str()).collect();
    json!({
        "provider": provider.map(Provider::name), "reader": report.reader.map(Reader::name),
        "texts": record.slots, "changed": record.changed, "before": before, "after": after,
        "tool": record.tool_tokens,
        "whole": record.request_tokens.map(|whole| json!({ "before": whole.before, "after": whole.after })),
        "redacted": record.redacted, "faults": record.faults, "stages": stages, "omitted": ids,
        "unread": report.unread.map(|error| error.to_string()),
    })
}
