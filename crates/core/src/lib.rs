//! A tool result in; a smaller one and an account of the change out.
//!
//! Pure: no clock, files, environment or randomness; what goes in decides what comes out.

pub mod auto;
mod budget;
mod call;
mod compress;
mod dictionary;
pub mod expand;
mod family;
mod fence;
mod footer;
mod loss;
mod mode;
mod numeral;
mod omit;
mod outcome;
mod plan;
pub mod prompt;
mod redaction;
mod reference;
mod restore;
mod room;
mod run;
pub mod schema;
mod session;
mod sight;
mod signal;
pub mod stage;
pub mod tokens;
mod wrap;

pub use call::{Call, Family, Origin, Tool};
pub use compress::compress;
pub use dictionary::Dictionary;
pub use family::FAMILIES;
pub use loss::Loss;
pub use mode::Mode;
pub use outcome::{Outcome, Step};
pub use plan::Plan;
pub use redaction::Redaction;
pub use reference::Original;
pub use restore::{as_text, is_marked, original_of, restore, restore_within};
pub use room::Room;
pub use session::History;
pub use signal::lost_errors;
pub use stage::dictionary::expand;
pub use stage::redact::{redact, secrets};
pub use tokens::{O200k, Tokens};
