//! Says which sessions are left as they came, and what the difference between them and the others proves.
//!
//! Both are functions of what they are given: no clock, no randomness, no state.

mod arm;
mod capital;
mod compare;
mod holdout;
mod rule;
mod share;
mod stable;

pub use arm::Arm;
pub use capital::Bets;
pub use compare::{BURN_IN, Compared, GroupMean, LEAST, SessionValue, ValueScale, compare};
pub use holdout::Holdout;
pub use rule::{LEVEL, MeanGap, gap, threshold};
pub use share::HoldoutShare;
pub use stable::stable_hash;
