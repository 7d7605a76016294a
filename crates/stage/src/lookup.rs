//! Finds stages by the names used in marks and records.

use crate::clean::CLEAN;
use crate::form::{ANY, FORMS};
use crate::stage::Stage;

/// The form called `name`.
#[must_use]
pub fn form_named(name: &str) -> Option<&'static dyn Stage> {
    FORMS.iter().chain(ANY).copied().find(|stage| stage.name() == name)
}

/// True when each line that the stage called `name` writes has the same meaning wherever it appears.
#[must_use]
pub fn stands_alone(name: &str) -> bool {
    let mut stages = CLEAN.iter().chain(FORMS);
    stages.any(|stage| stage.name() == name && stage.lines_stand_alone())
}
