//! A tool result in; a smaller one and an account of the change out.
//!
//! Pure: no clock, files, environment or randomness; what goes in decides what comes out.

pub mod auto;
mod call;
mod compress;
mod loss;
mod mark;
mod mode;
mod outcome;
mod plan;
mod signal;
pub mod stage;
pub mod tokens;
mod wrap;

pub use call::{COMMAND_KEYS, Call, Family, Tool};
pub use compress::{as_text, compress, is_marked, restore};
pub use loss::Loss;
pub use mode::Mode;
pub use outcome::{Outcome, Step};
pub use plan::Plan;
pub use stage::redact::redact;
pub use tokens::{O200k, Tokens};
