//! The door for models: an agent's requests to a provider's API.

mod check;
mod door;
mod gate;
mod live;
mod local;
mod offer;
mod provider;
mod rewrite;
mod run;
mod shape;

pub(crate) use door::enter;
pub(crate) use gate::Gate;
pub use live::{Live, Totals};
pub use provider::Provider;
pub use rewrite::{Head, Missed, Refusal, Replacement, Rewrite, Verdict};
