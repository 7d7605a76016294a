//! Recognises JSON records that report a failure.

use tersely_codec::{Text, Value};

use crate::signal;

/// True when a value, or any value nested in it, reports a failure.
pub(in crate::cut) fn reports_failure(value: &Value<'_>) -> bool {
    match value {
        Value::String(text) => has_signal(text),
        Value::Array(items) => items.iter().any(reports_failure),
        Value::Object(members) => members.iter().any(|(key, value)| member_reports_failure(key, value)),
        _ => false,
    }
}

/// True when a member of an object reports a failure, by its key or its value.
pub(in crate::cut) fn member_reports_failure(key: &Text<'_>, value: &Value<'_>) -> bool {
    let is = |words: &[&str]| words.iter().any(|word| key.as_str().eq_ignore_ascii_case(word));
    let named = match value {
        Value::String(text) if is(&STATES) => fails(text.as_str()),
        Value::String(text) => !text.as_str().is_empty() && is(&FAULTS),
        Value::Bool(false) => is(&SUCCESSES),
        Value::Bool(true) => is(&FAILURES),
        Value::Number(number) => &**number != "0" && is(&CODES),
        Value::Array(items) => !items.is_empty() && is(&FAULTS),
        Value::Object(members) => !members.is_empty() && is(&FAULTS),
        _ => false,
    };
    named || reports_failure(value)
}

/// Keys whose value is a status.
const STATES: [&str; 10] =
    ["status", "state", "level", "severity", "conclusion", "result", "outcome", "phase", "health", "reason"];

/// Keys that report a failure if their value is not empty.
const FAULTS: [&str; 6] = ["error", "errors", "exception", "failure", "failures", "stack_trace"];

const SUCCESSES: [&str; 4] = ["success", "ok", "passed", "succeeded"];

const FAILURES: [&str; 2] = ["failed", "is_error"];

const CODES: [&str; 4] = ["exit_code", "exitCode", "exit_status", "error_count"];

/// Values of a status that mean failure.
const BAD: [&str; 12] = [
    "fail",
    "error",
    "err",
    "crit",
    "fatal",
    "panic",
    "unhealthy",
    "timed",
    "timeout",
    "crash",
    "emerg",
    "alert",
];

fn fails(state: &str) -> bool {
    let state = state.as_bytes();
    BAD.iter().any(|bad| {
        state.windows(bad.len()).position(|part| part.eq_ignore_ascii_case(bad.as_bytes())).is_some_and(
            |at| {
                // `err` is a log level, but also part of other words.
                *bad != "err" || at == 0 && state.len() <= 4
            },
        )
    })
}

/// True when a line of a string contains an error signal.
fn has_signal(text: &Text<'_>) -> bool {
    // Escapes occur only between words, so signals can be found without decoding the string.
    let lines = text.as_str().split("\\n");
    lines.into_iter().any(|line| signal::find(line).is_some())
}
