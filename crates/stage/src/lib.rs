//! Transforms that write a tool result in fewer tokens; each declares what it loses.
//!
//! All transforms are pure: they use no clock, files, environment or randomness, so the output depends only on the
//! arguments. A stage only proposes an edit; the caller measures, checks and accepts it.

mod call;
mod class;
pub mod clean;
pub mod cut;
pub mod form;
mod lines;
mod lookup;
mod omit;
mod pattern;
mod plan;
mod prefix;
#[cfg(test)]
mod proof;
mod read;
mod room;
pub mod signal;
mod stage;
mod view;

pub use call::{Call, Family, Origin, ToolKind};
pub use class::{CutClass, Omission};
pub use lookup::{form_named, stands_alone};
pub use pattern::fits_pattern;
pub use plan::{DictionaryMethod, Loss, Mode, Plan, Reader, Redaction};
pub use room::Room;
pub use stage::{Edit, Scene, Stage};
pub use view::{TextFacts, TextView};
