//! Filters: what users omit from the output of their own tools.
//!
//! A filter is a stage like any other: it proposes, and the pipeline measures, checks for lost errors and keeps the
//! original available. Lines and fields that report a failure stay, whatever a filter says.

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

/// What to omit from the results of some calls.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Filter {
    /// What it omits, in a few words for the reader of the rest.
    pub left_out: &'static str,
    /// The calls that it applies to: those that one of these covers.
    pub scopes: Vec<FilterScope>,
    /// Rules for the lines of a text.
    pub lines: LineRules,
    /// Rules for the fields of a JSON document.
    pub fields: FieldRules,
}

impl Filter {
    /// The name of all filters in reports.
    pub const STAGE: &'static str = "filter";

    /// True when it applies to the results of a call.
    #[must_use]
    pub fn is_for(&self, call: &Call<'_>) -> bool {
        self.scopes.iter().any(|scope| scope.covers(call))
    }

    /// The edit that it proposes for a text of any call; `None` when it omits nothing.
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

    /// For a document it omits fields, and takes care of failures itself.
    fn cuts_lines(&self) -> bool {
        self.fields.is_empty()
    }

    fn leaves(&self) -> &'static [Omission] {
        &[(CutClass::Noise, &["what a filter names"])]
    }

    fn apply(&self, scene: Scene<'_>, text: &str) -> Option<Edit> {
        if self.is_for(&scene.call) { self.edit(text) } else { None }
    }
}
