//! `tersely compress --body`: compresses a request body as the gateway would.

use std::borrow::Cow;
use std::process::ExitCode;

use serde_json::json;
use tersely_account::TokenChange;
use tersely_core::{Loss, Plan, Reader};
use tersely_engine::{Engine, EngineSettings, ForwardBody, Report, Request, seal};
use tersely_terminal::fault::{CommandFault, NO, Stop};
use tersely_terminal::share::Share;
use tersely_terminal::{input, output, progress, table};
use tersely_wire::{MaskedBody, PROVIDERS, Provider};

use super::args::CompressArgs;
use super::usual;
use crate::command::provider::{self, OPENAI};

/// Compresses the given body with the gateway's engine.
pub(crate) fn run(args: &CompressArgs) -> Result<ExitCode, Stop> {
    let (name, body) = input::bytes(args.file.as_ref())?;
    let MaskedBody { body, count } = mask_secrets(args, &name, &body)?;
    let provider = provider(args.provider.as_deref(), &name, &body)?;
    let request = Request::new(provider, "");
    let engine = engine(args)?;
    let spinner = progress::working("compressing", body.len());
    let passed = engine.pass(&request, &body);
    spinner.finish_and_clear();
    let hint = "fix the `_tersely` field in the body";
    let ForwardBody { body, mut report, .. } =
        passed.map_err(|refused| CommandFault::unable(format!("{name}: {refused}"), hint))?;
    report.record.redacted += count;
    if args.account.explain {
        output::note(&explain(args, provider, &report))?;
    }
    if args.account.json {
        output::result(&account(provider, &report, &body))?;
    } else {
        output::bytes(&body)?;
    }
    exit_code(&name, &report)
}

/// The body with its secrets masked, if the flag is set.
fn mask_secrets<'b>(args: &CompressArgs, name: &str, body: &'b [u8]) -> Result<MaskedBody<'b>, CommandFault> {
    if !args.redact_secrets {
        return Ok(MaskedBody { body: Cow::Borrowed(body), count: 0 });
    }
    let hint = "omit --redact-secrets, or provide a JSON body";
    seal(body).map_err(|error| CommandFault::unable(format!("{name}: cannot mask secrets: {error}"), hint))
}

fn engine(args: &CompressArgs) -> Result<Engine, Stop> {
    let (loss, redact) = (args.loss.unwrap_or(Loss::Detail), args.redaction());
    let plan = Plan { mode: args.mode, loss, redact, reader: args.reader, ..Plan::default() };
    let EngineSettings { filters, expand, .. } = usual()?;
    Ok(Engine::new(EngineSettings { plan, filters, expand, ..EngineSettings::default() }))
}

/// The given provider, or else the provider whose tool results are in the body.
fn provider(wish: Option<&str>, file: &str, body: &[u8]) -> Result<&'static Provider, CommandFault> {
    provider::of(wish, body).ok_or_else(|| {
        let message = format!("{file}: cannot detect the API, because the body contains no tool results");
        let known = PROVIDERS.map(Provider::name).join(", ");
        CommandFault::unable(message, format!("set --provider to one of {known}, {OPENAI}"))
    })
}

/// Reports a body that could not be fully parsed; the gateway would send it unchanged.
fn exit_code(name: &str, report: &Report) -> Result<ExitCode, Stop> {
    let Some(error) = report.unread else { return Ok(ExitCode::SUCCESS) };
    output::note(&format!("{name}: {error}; the body would be sent unchanged"))?;
    Ok(ExitCode::from(NO))
}

/// A table with a row for each stage, and the total.
fn explain(args: &CompressArgs, provider: &Provider, report: &Report) -> String {
    let how = if args.provider.is_some() { "as specified" } else { "detected from the tool results" };
    let head = ["stage", "texts", "saved", ""].map(str::to_owned).to_vec();
    let mut rows = vec![head];
    for stage in &report.record.stages {
        rows.push(vec![stage.stage.to_owned(), stage.texts.to_string(), stage.saved.to_string()]);
    }
    let record = &report.record;
    let TokenChange { before, after } = record.result_tokens;
    let saved: i64 = record.stages.iter().map(|stage| stage.saved).sum();
    let saved = vec![record.changed.to_string(), saved.to_string(), Share::saved(before, after).to_string()];
    rows.push([vec!["all".to_owned()], saved].concat());
    let mut lines = vec![
        format!("provider: {}, {how}; reader: {}", provider.name(), reader(report)),
        table::align("lrrr", &rows),
        format!("texts in tool results: {}; tokens: {before} before, {after} after", record.slots),
    ];
    lines.extend(
        (record.tool_tokens > 0).then(|| format!("tokens of the added tool: {}", record.tool_tokens)),
    );
    lines.extend(record.request_tokens.map(|TokenChange { before, after }| {
        let share = Share::saved(before, after);
        format!("tokens in the whole body: {before} before, {after} after, {share} saved")
    }));
    lines.extend((record.redacted > 0).then(|| format!("secrets masked: {}", record.redacted)));
    lines.extend(
        (record.faults > 0).then(|| format!("texts left unchanged because of an error: {}", record.faults)),
    );
    lines.join("\n")
}

/// The model tier that was chosen.
fn reader(report: &Report) -> &'static str {
    report.reader.map_or("none", Reader::name)
}

fn account(provider: &Provider, report: &Report, body: &[u8]) -> String {
    let record = &report.record;
    let stages = record.stages.iter();
    let stages = stages.map(|it| json!({ "stage": it.stage, "texts": it.texts, "saved": it.saved }));
    let stages: Vec<_> = stages.collect();
    json!({
        "provider": provider.name(), "reader": reader(report), "slots": record.slots, "changed": record.changed,
        "before": record.result_tokens.before, "after": record.result_tokens.after, "tool": record.tool_tokens,
        "whole": record.request_tokens.map(|whole| json!({ "before": whole.before, "after": whole.after })),
        "redacted": record.redacted,
        "faults": record.faults, "stages": stages, "body": String::from_utf8_lossy(body)
    })
    .to_string()
}
