//! `tersely compress`: compresses a tool result.

mod args;
mod body;

use std::process::ExitCode;

use serde_json::json;
use tersely_codec::{Form, detect};
use tersely_core::{Call, Loss, Outcome, Plan, as_text, compress_filtered, is_marked};
use tersely_engine::EngineSettings;
use tersely_settings::{self as settings, Flags, SettingSources};
use tersely_terminal::fault::Stop;
use tersely_terminal::input::Raw;
use tersely_terminal::share::Share;
use tersely_terminal::{input, output, progress, table};

use crate::command::decode::without_newline;

pub(crate) use args::CompressArgs;

/// Compresses the given file.
pub(crate) fn run(args: &CompressArgs) -> Result<ExitCode, Stop> {
    if args.body {
        return body::run(args);
    }
    let input = match input::raw(args.file.as_ref())? {
        Raw::Text(input) => input,
        Raw::Bytes(fault, _) if args.account.json => return Err(fault.into()),
        Raw::Bytes(fault, bytes) => {
            output::note(&format!("note: {}; passed through unchanged", fault.message))?;
            output::bytes(bytes)?;
            return Ok(ExitCode::SUCCESS);
        }
    };
    let loss = args.loss.unwrap_or_default();
    let redact = args.redaction();
    let (mode, dictionary, reader) = (args.mode, args.dictionary, args.reader());
    let plan = Plan { mode, loss, dictionary, redact, reader, ..Plan::default() };
    let tool = args.tool.as_deref().unwrap_or_default();
    let call = Call { tool, command: args.command.as_deref(), ..Call::default() };
    let spinner = progress::working("compressing", input.text.len());
    let filters = usual()?.filters;
    let outcome = compress_filtered(&plan, &filters, call, &input.text);
    spinner.finish_and_clear();
    if args.account.explain {
        output::note(&explain(&outcome))?;
    }
    let text = readable(&outcome);
    if args.account.json {
        output::result(&report(&outcome, &text))?;
    } else {
        output::bytes(&text)?;
    }
    Ok(ExitCode::SUCCESS)
}

/// The engine settings that a gateway on this machine would use without flags.
fn usual() -> Result<EngineSettings, Stop> {
    let loaded = settings::load_telling(&SettingSources::new(&Flags::default()))?;
    Ok(loaded.settings.engine)
}

/// The text that `tersely decode` can restore.
///
/// If an unchanged text looks like one of our forms, `decode` would decode it, so a mark is added.
fn readable(outcome: &Outcome<'_>) -> String {
    if is_marked(&outcome.text) {
        return outcome.text.to_string();
    }
    match detect(without_newline(&outcome.text)) {
        None | Some((Form::Json, _)) => outcome.text.to_string(),
        Some(_) => as_text(&outcome.text),
    }
}

/// A table with a row for each change, and the total.
fn explain(outcome: &Outcome<'_>) -> String {
    let head = ["stage", "before", "after", "saved", "loss"].map(str::to_owned).to_vec();
    let mut rows = vec![head];
    for step in &outcome.ledger.steps {
        rows.push(row(step.stage, step.before, step.after, step.loss.name()));
    }
    rows.push(row("all", outcome.ledger.before, outcome.ledger.after, loss(outcome)));
    let masked = match outcome.redacted {
        0 => String::new(),
        secrets => format!("\nsecrets masked: {secrets}"),
    };
    table::align("lrrrl", &rows) + &masked
}

/// The loss of the whole compression. Masking counts as a loss even if no stage loses anything.
fn loss(outcome: &Outcome<'_>) -> &'static str {
    match outcome.ledger.loss() {
        Loss::None if outcome.redacted > 0 => "masked",
        loss => loss.name(),
    }
}

fn row(name: &str, before: usize, after: usize, loss: &str) -> Vec<String> {
    let saved = Share::saved(before, after).to_string();
    vec![name.to_owned(), before.to_string(), after.to_string(), saved, loss.to_owned()]
}

fn report(outcome: &Outcome<'_>, text: &str) -> String {
    let steps = outcome.ledger.steps.iter().map(|step| {
        json!({ "stage": step.stage, "before": step.before, "after": step.after, "loss": step.loss.name() })
    });
    let steps: Vec<_> = steps.collect();
    let (before, after) = (outcome.ledger.before, outcome.ledger.after);
    let loss = loss(outcome);
    let redacted = outcome.redacted;
    let original = outcome.original.as_ref().map(|original| &original.id);
    json!({
        "text": text, "before": before, "after": after, "loss": loss, "redacted": redacted,
        "original": original, "steps": steps
    })
    .to_string()
}
