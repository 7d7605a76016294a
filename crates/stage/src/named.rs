//! Finds stages by their names, as marks and records have them.

use crate::clean::CLEAN;
use crate::form::{ANY, FORMS};
use crate::stage::Stage;

/// The form called `name`.
#[must_use]
pub fn form_named(name: &str) -> Option<&'static dyn Stage> {
    FORMS.iter().chain(ANY).copied().find(|stage| stage.name() == name)
}

/// True when lines of a text that the stage called `name` wrote mean the same wherever they stand.
#[must_use]
pub fn stands_alone(name: &str) -> bool {
    let mut stages = CLEAN.iter().chain(FORMS);
    stages.any(|stage| stage.name() == name && stage.lines_stand_alone())
}
