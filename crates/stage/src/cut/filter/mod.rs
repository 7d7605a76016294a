//! Filters: cuts that users configure for the output of their own tools.
//!
//! A filter is a stage like any other: it proposes an edit, and the pipeline measures the edit, checks for lost
//! errors and keeps the original available. A filter never omits lines or fields that report a failure.

mod json;
mod lines;
mod path;
mod scope;

pub use json::FieldRules;
pub use lines::{LinePattern, LineRules};
pub use path::FieldPath;
pub use scope::FilterScope;

use crate::call::Call;
use crate::class::{CutClass, Omission};
use crate::plan::Mode;
use crate::stage::{Edit, Scene, Stage};
use crate::view::TextView;

/// A user's rules for what to omit from the results of some calls.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Filter {
    /// A short description of the omitted parts, for the reader of the rest.
    pub left_out: &'static str,
    /// The calls that the filter applies to. A call must match one of these scopes.
    pub scopes: Vec<FilterScope>,
    /// Rules for the lines of a text.
    pub lines: LineRules,
    /// Rules for the fields of a JSON document.
    pub fields: FieldRules,
}

impl Filter {
    /// The name that reports use for all filters.
    pub const STAGE: &'static str = "filter";

    /// True when the filter applies to the results of a call.
    #[must_use]
    pub fn is_for(&self, call: &Call<'_>) -> bool {
        self.scopes.iter().any(|scope| scope.covers(call))
    }

    /// The edit that the filter proposes for a text, regardless of the call; `None` when nothing changes.
    #[must_use]
    pub fn edit(&self, text: &str) -> Option<Edit> {
        let fields = if self.fields.is_empty() { None } else { self.fields.apply(text) };
        fields.or_else(|| self.lines.apply(self.left_out, text))
    }
}

impl Stage for Filter {
    fn name(&self) -> &'static str {
        Self::STAGE
    }

    fn mode(&self) -> Mode {
        Mode::Standard
    }

    /// In a JSON document the filter omits fields, not lines, and keeps those that report a failure itself.
    fn cuts_lines(&self) -> bool {
        self.fields.is_empty()
    }

    fn leaves(&self) -> &'static [Omission] {
        &[(CutClass::Noise, &["what a filter names"])]
    }

    fn apply(&self, scene: Scene<'_>, text: &TextView<'_>) -> Option<Edit> {
        if self.is_for(&scene.call) { self.edit(text) } else { None }
    }
}
