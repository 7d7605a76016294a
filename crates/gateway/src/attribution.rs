//! Carries whom a request is charged to from where it is authenticated to where it is reported.

use std::sync::{Arc, OnceLock};

use tersely_account::Attribution;

/// The attribution of a request, filled in once its tenant is known.
#[derive(Clone, Debug, Default)]
pub(crate) struct AttributionCell(Arc<OnceLock<Attribution>>);

impl AttributionCell {
    /// Sets whom the request is charged to. A request is authenticated once, so only the first value counts.
    pub(crate) fn set(&self, attribution: Attribution) {
        let _ = self.0.set(attribution);
    }

    /// Whom the request is charged to, as far as it is known.
    pub(crate) fn get(&self) -> Attribution {
        self.0.get().cloned().unwrap_or_default()
    }
}
