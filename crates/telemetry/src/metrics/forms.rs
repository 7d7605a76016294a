//! Metrics of answers that were written in a form that the client asked for: STC, TOON or terse.

use std::sync::atomic::AtomicU64;

use prometheus_client::encoding::EncodeLabelSet;
use prometheus_client::metrics::counter::Counter;
use prometheus_client::metrics::family::Family;
use prometheus_client::registry::Registry;
use tersely_account::FormSum;

use crate::event::RequestEvent;
use crate::metrics::family::{CounterFamily, counted, wide};

/// Microseconds in a second.
const MILLION: f64 = 1e6;

#[derive(Clone, Debug, EncodeLabelSet, Eq, Hash, PartialEq)]
struct ByForm {
    form: &'static str,
}

#[derive(Clone, Debug, EncodeLabelSet, Eq, Hash, PartialEq)]
struct ByOutcome {
    form: &'static str,
    outcome: &'static str,
}

/// Metrics of forms.
pub(crate) struct FormMetrics {
    texts: CounterFamily<ByOutcome>,
    before: CounterFamily<ByForm>,
    after: CounterFamily<ByForm>,
    seconds: Family<ByForm, Counter<f64, AtomicU64>>,
}

impl FormMetrics {
    pub(crate) fn new(to: &mut Registry) -> Self {
        Self {
            texts: counted(
                to,
                "form_texts",
                "JSON texts that clients requested in a form, by outcome; kept: sent as JSON",
            ),
            before: counted(to, "form_bytes_before", "Bytes of converted JSON, as received"),
            after: counted(to, "form_bytes_after", "Bytes of converted JSON, as sent"),
            seconds: counted(to, "form_seconds", "Time spent converting JSON to this form"),
        }
    }

    pub(crate) fn add(&self, event: &RequestEvent) {
        for FormSum { form, texts, converted, bytes: [before, after], micros } in &event.record.forms {
            let outcomes = [("converted", *converted), ("kept", texts - converted)];
            for (outcome, count) in outcomes.into_iter().filter(|(_, count)| *count > 0) {
                self.texts.get_or_create(&ByOutcome { form, outcome }).inc_by(wide(count));
            }
            self.before.get_or_create(&ByForm { form }).inc_by(*before);
            self.after.get_or_create(&ByForm { form }).inc_by(*after);
            self.seconds.get_or_create(&ByForm { form }).inc_by(seconds(*micros));
        }
    }
}

#[expect(clippy::cast_precision_loss, reason = "a duration, which is far below 2^53 microseconds")]
fn seconds(micros: u64) -> f64 {
    micros as f64 / MILLION
}
