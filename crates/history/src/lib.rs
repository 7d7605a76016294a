//! Records requests in a file: daily totals permanently, single requests for some days.
//!
//! The history stores the numbers and names in events, plus the project, which is the name of a folder. Recording never
//! blocks the caller, and a problem with the file affects only the history.

mod amount;
mod breaks;
mod day_sums;
mod error;
mod holdout;
mod hours;
mod insert;
mod json;
mod limits;
mod migrations;
mod named;
mod names;
mod prompts;
mod purge;
mod read;
mod requests;
mod schema;
mod sheet;
mod showback;
mod sink;
mod state;
mod steps;
mod sums;
mod trial;
mod writer;

pub use breaks::{BreakTotal, SeenBreak};
pub use error::HistoryError;
pub use holdout::{HoldoutMeasure, HoldoutReport, MeasureKind};
pub use hours::{FailureSum, HourSums};
pub use limits::{SeenLimit, SessionLimit};
pub use named::NamedSession;
pub use prompts::SeenPrompt;
pub use purge::purge;
pub use read::{HistoryParts, HistoryPeriod, HistoryReader, HistoryView, Waits};
pub use requests::{SeenRequest, SeenResult, SeenSession};
pub use sheet::ShowbackSheet;
pub use showback::{CalendarMonth, DaySpan, ShowbackRow, SumsPart};
pub use sink::HistorySink;
pub use state::HistorySettings;
pub use steps::StepTotal;
pub use sums::{GroupSums, StageSums};
