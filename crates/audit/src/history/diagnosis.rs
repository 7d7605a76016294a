//! Reads what providers themselves say about a cached prompt, from answers that a history contains.

use serde_json::Value;
use tersely_account::CacheDiagnosis;
use tersely_wire::usage::{DIAGNOSES, cache_diagnosis};

/// The provider's diagnosis in an answer; `None` if it found no difference or was not asked.
pub(crate) fn diagnosis(answer: &Value) -> Option<CacheDiagnosis> {
    DIAGNOSES.iter().find_map(|name| cache_diagnosis(name, &answer[*name]))
}
