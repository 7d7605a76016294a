//! Answers one call of a hook.

use std::fs::{self, File};
use std::io::Read as _;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::Arc;
use std::time::Instant;

use tersely_account::{TokenChange, session_name, stable_hash};
use tersely_core::{Loss, O200k};
use tersely_engine::{Engine, HookAnswer};
use tersely_history::HistorySink;
use tersely_telemetry::{EventSink as _, RequestEnd, RequestEvent, Verb};
use tersely_wire::hook::{HookCall, OutputFile};

use crate::kept_texts::KeptTexts;

/// The maximum length of what a client tells its hook, in bytes.
pub const MAX_INPUT_BYTES: u64 = 32 << 20;

/// The longest output in a file of the client that is read, in bytes.
const MAX_FILE_BYTES: u64 = 8 << 20;

/// How many bytes of an output in a file the client shows to the model.
const PREVIEW_BYTES: usize = 2_000;

/// Answers the calls of a hook.
pub struct HookAnswerer {
    engine: Engine,
    most: Loss,
    kept: Option<KeptTexts>,
    history: Option<HistorySink>,
}

/// An answer, and the record that is written once the client has it.
#[derive(Default)]
pub struct Answered {
    /// The answer; empty if the result stays as it is.
    pub bytes: Vec<u8>,
    event: Option<Arc<RequestEvent>>,
}

impl HookAnswerer {
    /// An answerer with this engine, which loses at most this. Detail is cut only if there is a place for it.
    #[must_use]
    pub fn new(engine: Engine, most: Loss, kept: Option<KeptTexts>, history: Option<HistorySink>) -> Self {
        let most = if kept.is_some() { most } else { most.min(Loss::Form) };
        Self { engine, most, kept, history }
    }

    /// The answer to what a client told its hook. After a failure it is empty.
    #[must_use]
    pub fn answer(&self, told: &[u8]) -> Answered {
        catch_unwind(AssertUnwindSafe(|| self.answer_call(told))).ok().flatten().unwrap_or_default()
    }

    /// Records an answer.
    pub fn record(&self, answered: &Answered) {
        if let (Some(history), Some(event)) = (&self.history, &answered.event) {
            history.hear(event);
        }
    }

    /// The history, to wait for it at the end.
    #[must_use]
    pub fn history(&self) -> Option<&HistorySink> {
        self.history.as_ref()
    }

    /// Removes kept texts that are old.
    pub fn prune(&self) {
        if let Some(kept) = &self.kept {
            kept.prune();
        }
    }

    fn answer_call(&self, told: &[u8]) -> Option<Answered> {
        let begun = Instant::now();
        let call = HookCall::read(told)?;
        let HookAnswer { answer, record, .. } = match &call.file {
            Some(file) => self.answer_file(&call, file)?,
            None => self.compress(&call),
        };
        if record.slots == 0 {
            return None;
        }
        let named = call.session.as_ref().map(|name| session_name(name.as_bytes()));
        let event = RequestEvent {
            provider: Some("hook"),
            client: Some(call.client()),
            named,
            session: named.map(|name| stable_hash(&("hook", name))),
            status: 200,
            end: RequestEnd::Answered,
            took: begun.elapsed(),
            ours: Some(begun.elapsed()),
            record,
            ..RequestEvent::new(0, Verb::of("POST"))
        };
        Some(Answered { bytes: answer.unwrap_or_default(), event: Some(Arc::new(event)) })
    }

    /// Compresses a result. If the texts that were cut cannot be kept, nothing is cut.
    fn compress(&self, call: &HookCall<'_>) -> HookAnswer {
        let fetch = |id: &str| {
            format!("[Cut. All of it: run `tersely show {id}`, or a part: `tersely show {id} 10-40`]")
        };
        let answer = self.engine.hook(call, self.most, fetch);
        let is_kept = answer.kept.is_empty()
            || self.kept.as_ref().is_some_and(|place| place.keep(&answer.kept).is_ok());
        if is_kept { answer } else { self.engine.hook(call, Loss::Form, fetch) }
    }

    /// The whole of an output that the client wrote to a file, if it takes no more tokens than the beginning of it that
    /// the client would show.
    fn answer_file(&self, call: &HookCall<'_>, file: &OutputFile) -> Option<HookAnswer> {
        let output = read_output(file)?;
        let whole = call.with_whole(&output)?;
        let mut answer = self.compress(&HookCall::read(&whole)?);
        let shown = O200k.count(&output[..output.floor_char_boundary(PREVIEW_BYTES)]);
        let after = answer.record.result_tokens.after;
        answer.answer.as_ref().filter(|_| after <= shown)?;
        // What the client would have cut by itself is no saving of ours.
        answer.record.result_tokens = TokenChange { before: shown, after };
        answer.record.request_tokens = Some(answer.record.result_tokens);
        Some(answer)
    }
}

/// The text in a file, if it is what the client says.
fn read_output(file: &OutputFile) -> Option<String> {
    let is_fit = |about: &fs::Metadata| about.is_file() && about.len() == file.bytes;
    if file.bytes > MAX_FILE_BYTES || !fs::metadata(&file.path).is_ok_and(|about| is_fit(&about)) {
        return None;
    }
    let mut output = String::new();
    File::open(&file.path).ok()?.take(MAX_FILE_BYTES).read_to_string(&mut output).ok()?;
    (output.len() as u64 == file.bytes).then_some(output)
}
