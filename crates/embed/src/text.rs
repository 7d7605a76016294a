//! Compresses one text: a tool's result without its conversation.

use serde_json::{Value, json};
use tersely_codec::{Form, detect};
use tersely_core::{Call, Loss, Outcome, Plan, Reader, as_text, compress, is_marked};
use tersely_engine::{KnownReaders, reader_of};

use crate::options::CallOptions;
use crate::reply::CallReply;

/// The text in fewer tokens, or unchanged. Only layout is lost unless the options say otherwise: what is omitted here
/// cannot be fetched back.
pub(crate) fn compress_text(options: &CallOptions, text: &str) -> CallReply {
    let names = &options.names;
    let plan = Plan { reader: reader(options), ..options.plan(Loss::Form) };
    let tool = names.tool.as_deref().unwrap_or_default();
    let call = Call { tool, command: names.command.as_deref(), ..Call::default() };
    let outcome = compress(&plan, call, text);
    let about = account(&outcome).to_string();
    if options.switches.observe {
        return CallReply { about, payload: text.as_bytes().to_vec() };
    }
    CallReply { about, payload: readable(&outcome).into_bytes() }
}

fn reader(options: &CallOptions) -> Reader {
    let named = || reader_of(&KnownReaders::default(), "", options.names.model.as_deref());
    if options.reader == Reader::Auto { named() } else { options.reader }
}

/// The text that can be restored: one that only looks like a form of ours gets a mark that says so.
fn readable(outcome: &Outcome<'_>) -> String {
    if is_marked(&outcome.text) {
        return outcome.text.to_string();
    }
    match detect(outcome.text.trim_end_matches(['\r', '\n'])) {
        None | Some((Form::Json, _)) => outcome.text.to_string(),
        Some(_) => as_text(&outcome.text),
    }
}

fn account(outcome: &Outcome<'_>) -> Value {
    let ledger = &outcome.ledger;
    let loss = match ledger.loss() {
        Loss::None if outcome.redacted > 0 => "masked",
        loss => loss.name(),
    };
    let stage = |stage: &str, before: usize, after: usize| {
        let signed = |tokens| i64::try_from(tokens).unwrap_or(i64::MAX);
        json!({ "stage": stage, "texts": 1, "saved": signed(before) - signed(after) })
    };
    let stages: Vec<_> = ledger.steps.iter().map(|it| stage(it.stage, it.before, it.after)).collect();
    json!({
        "before": ledger.before, "after": ledger.after, "loss": loss, "redacted": outcome.redacted, "stages": stages,
    })
}
