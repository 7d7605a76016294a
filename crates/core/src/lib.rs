//! Compresses tool results: a text in; a smaller text and an account of the change out.
//!
//! Pure: no clock, files, environment or randomness. The output depends on the arguments alone.

pub mod about;
pub mod auto;
pub mod discover;
pub mod expand;
mod fence;
mod json_form;
mod pipeline;
pub mod prompt;
mod redact;
pub mod schema;
mod session;
pub mod tokens;

pub use json_form::encode_json;
pub use pipeline::clear::clear;
pub use pipeline::compress::{compress, compress_filtered, pass_through, seal};
pub use pipeline::ledger::{Ledger, Step};
pub use pipeline::outcome::Outcome;
pub use pipeline::reference::Original;
pub use pipeline::restore::{as_text, is_marked, original_of, restore, restore_within};
pub use pipeline::substitute::{StandIn, first_words, replace};
pub use pipeline::worth::max_whole_tokens;
pub use redact::{redact, secrets};
pub use session::Session;
pub use tersely_codec::Form;
pub use tersely_stage::cut::{
    FAMILIES, FieldPath, FieldRules, Filter, FilterScope, LinePattern, LineRules, is_exceeded,
};
pub use tersely_stage::form::expand;
pub use tersely_stage::signal::lost_errors;
pub use tersely_stage::{
    Call, CutClass, DictionaryMethod, Edit, Family, Loss, Mode, Origin, Plan, Reader, Redaction, Room,
    ToolKind, fits_pattern,
};
pub use tokens::O200k;
