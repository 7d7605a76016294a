//! What people leave out of their own tools' output, as they wrote it down.
//!
//! A filter is a stage like any other: it proposes, and the pipeline measures, looks for lost errors and keeps the original
//! at hand. Lines and fields that tell of a fault stay, whatever a filter says.

mod json;
mod lines;
mod path;
mod scope;

pub use json::FieldRules;
pub use lines::{LinePattern, LineRules};
pub use path::FieldPath;
pub use scope::FilterScope;

use crate::call::Call;
use crate::class::{CutClass, Left};
use crate::plan::Mode;
use crate::stage::{Edit, Scene, Stage};

/// What to leave out of the results of some calls.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Filter {
    /// What it leaves out, in a few words for the one who reads the rest.
    pub left_out: &'static str,
    /// The calls that it is for: those that one of these covers.
    pub scopes: Vec<FilterScope>,
    /// What becomes of the lines of a text.
    pub lines: LineRules,
    /// What becomes of the fields of a JSON document.
    pub fields: FieldRules,
}

impl Filter {
    /// What all of them are called in accounts.
    pub const STAGE: &'static str = "filter";

    /// True when it is for the results of a call.
    #[must_use]
    pub fn is_for(&self, call: &Call<'_>) -> bool {
        self.scopes.iter().any(|scope| scope.covers(call))
    }

    /// What it would make of a text, whatever call that answers; `None` when it leaves nothing out.
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

    /// Of a document it takes fields, and sees to faults itself.
    fn cuts_lines(&self) -> bool {
        self.fields.is_empty()
    }

    fn leaves(&self) -> &'static [Left] {
        &[(CutClass::Noise, &["what a filter names"])]
    }

    fn apply(&self, scene: Scene<'_>, text: &str) -> Option<Edit> {
        if self.is_for(&scene.call) { self.edit(text) } else { None }
    }
}
