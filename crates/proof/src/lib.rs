//! Statistics for holdout trials: what the difference between two groups of sessions proves.
//!
//! The crate uses no clock, no randomness and no state.

mod betting;
mod compare;
mod confidence_sequence;

pub use betting::Bets;
pub use compare::{BURN_IN, Comparison, GroupMean, MIN_SESSIONS, SessionValue, ValueScale, compare};
pub use confidence_sequence::{LEVEL, MeanGap, gap, threshold};
