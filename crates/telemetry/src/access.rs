//! Writes one log line per request.

use std::time::Duration;

use tersely_account::{Arm, ShownName, TokenChange};
use tracing::{info, warn};

use crate::event::{RequestEnd, RequestEvent};

/// Writes the log line of a request: a warning if we or the upstream were at fault, or if the request was not
/// compressed although it should have been; else at level info.
pub(crate) fn write(event: &RequestEvent, why: Option<&str>) {
    let loud = matches!(event.end, RequestEnd::Upstream | RequestEnd::Us)
        || event.status >= 500
        || event.missed.is_some();
    // `warn!` and `info!` are macros, so sharing their arguments takes another macro.
    macro_rules! line {
        ($level:ident) => {
            $level!(
                target: "tersely::request",
                id = format_args!("{:x}", event.id),
                method = event.verb.name(),
                provider = event.provider,
                tenant = event.attribution.tenant.as_ref().map(ShownName::as_str),
                model = event.model.as_ref().map(ShownName::as_str),
                status = event.status,
                end = event.end.name(),
                why,
                missed = event.missed,
                ms = milliseconds(event.took),
                upstream_ms = event.upstream.map(milliseconds),
                our_ms = event.ours.map(milliseconds),
                results = some(event.record.slots),
                changed = some(event.record.changed),
                tokens_before = told(event, event.record.total_tokens()).map(|tokens| tokens.before),
                tokens_after = told(event, event.record.total_tokens()).map(|tokens| tokens.after),
                arm = (event.record.arm != Arm::Applied).then(|| event.record.arm.name()),
                would_tokens_after = event.record.would.as_ref().and_then(|would| told(event, would.total_tokens())).map(|it| it.after),
                masked = some(event.record.redacted),
                faults = some(event.record.faults),
                "request"
            )
        };
    }
    if loud {
        line!(warn);
    } else {
        line!(info);
    }
}

/// The tokens to log: none if the request failed, because it saved nothing, or if they were not counted.
fn told(event: &RequestEvent, tokens: TokenChange) -> Option<TokenChange> {
    (event.is_success() && tokens != TokenChange::default()).then_some(tokens)
}

fn some(count: usize) -> Option<usize> {
    (count > 0).then_some(count)
}

/// Milliseconds with one decimal.
fn milliseconds(time: Duration) -> f64 {
    (time.as_secs_f64() * 10_000.0).round() / 10.0
}
