//! Says which sessions are left as they came, and what the difference between them and the others proves.
//!
//! Both are functions of what they are given: no clock, no randomness, no state.

mod arm;
mod betting;
mod compare;
mod confidence_sequence;
mod holdout;
mod share;
mod stable;

pub use arm::Arm;
pub use betting::Bets;
pub use compare::{BURN_IN, Comparison, GroupMean, LEAST, SessionValue, ValueScale, compare};
pub use confidence_sequence::{LEVEL, MeanGap, gap, threshold};
pub use holdout::Holdout;
pub use share::HoldoutShare;
pub use stable::stable_hash;
