//! Keeps what became of requests in a file: by day for good, one by one for some days.
//!
//! It holds what events hold, numbers and names, and the project, which is the name of a folder. Whoever records
//! something never waits for the file, and whatever is wrong with it, only the history suffers.

mod amount;
mod error;
mod holdout;
mod insert;
mod json;
mod migrations;
mod names;
mod purge;
mod read;
mod requests;
mod schema;
mod sink;
mod state;
mod sums;
mod trial;
mod writer;

pub use error::HistoryError;
pub use holdout::{HoldoutMeasure, HoldoutReport, MeasureKind};
pub use purge::purge;
pub use read::{HistoryParts, HistoryPeriod, HistoryReader, HistoryView, Waits};
pub use requests::{SeenRequest, SeenResult, SeenSession};
pub use sink::HistorySink;
pub use state::HistorySettings;
pub use sums::{GroupSums, StageSums};
