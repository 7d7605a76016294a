//! The playground: shows how a text would be compressed.

use std::sync::Arc;

use bytes::Bytes;
use http::StatusCode;
use serde_json::{Value, json};
use tersely_core::{Call, Mode, Plan, compress_filtered};
use tokio::sync::Semaphore;

use crate::error::Error;
use crate::shared_engine::SharedEngine;

/// The maximum number of concurrent trials; further trials wait.
const MAX_CONCURRENT_TRIALS: usize = 2;

/// Compresses texts with the gateway's settings.
pub(crate) struct Playground {
    engine: Option<SharedEngine>,
    places: Arc<Semaphore>,
}

/// A text to compress.
struct Trial {
    text: String,
    tool: String,
    command: Option<String>,
    mode: Option<Mode>,
}

impl Playground {
    pub(crate) fn new(engine: Option<SharedEngine>) -> Self {
        Self { engine, places: Arc::new(Semaphore::new(MAX_CONCURRENT_TRIALS)) }
    }

    /// Compresses the text, and returns the result and its steps as JSON.
    pub(crate) async fn try_out(&self, asked: Bytes) -> Result<Bytes, Error> {
        let trial = trial(&asked).ok_or_else(|| {
            Error::client(StatusCode::BAD_REQUEST, r#"send {"text": …, "tool": …, "command": …, "mode": …}"#)
        })?;
        let fault = |_| {
            Error::us(StatusCode::INTERNAL_SERVER_ERROR, "the text could not be compressed for this preview")
        };
        let place = Arc::clone(&self.places).acquire_owned().await.map_err(fault)?;
        let engine = self.engine.clone();
        let done = tokio::task::spawn_blocking(move || {
            let _place = place;
            Bytes::from(run_trial(engine.as_ref(), &trial).to_string())
        });
        done.await.map_err(|_| {
            Error::us(StatusCode::INTERNAL_SERVER_ERROR, "the text could not be compressed for this preview")
        })
    }
}

fn trial(asked: &[u8]) -> Option<Trial> {
    let asked: Value = serde_json::from_slice(asked).ok()?;
    let word = |name: &str| asked.get(name).and_then(Value::as_str).filter(|word| !word.is_empty());
    let mode = match word("mode") {
        Some(word) => Some(word.parse().ok()?),
        None => None,
    };
    Some(Trial {
        text: asked.get("text")?.as_str()?.to_owned(),
        tool: word("tool").unwrap_or_default().to_owned(),
        command: word("command").map(str::to_owned),
        mode,
    })
}

fn run_trial(engine: Option<&SharedEngine>, trial: &Trial) -> Value {
    let engine = engine.map(SharedEngine::get);
    let (plan, filters) = engine.as_ref().map_or_else(
        || (Plan::default(), Arc::default()),
        |engine| (engine.settings().plan, Arc::clone(&engine.settings().filters)),
    );
    let plan = Plan { mode: trial.mode.unwrap_or(plan.mode), ..plan };
    let call = Call { tool: &trial.tool, command: trial.command.as_deref(), ..Call::default() };
    let outcome = compress_filtered(&plan, &filters, call, &trial.text);
    let steps = outcome.ledger.steps.iter().map(|step| {
        json!({ "stage": step.stage, "before": step.before, "after": step.after, "loss": step.loss.name() })
    });
    json!({
        "text": outcome.text,
        "mode": plan.mode.name(),
        "before": outcome.ledger.before,
        "after": outcome.ledger.after,
        "loss": outcome.ledger.loss().name(),
        "masked": outcome.redacted,
        "steps": steps.collect::<Vec<_>>(),
    })
}
