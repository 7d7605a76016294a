//! Turns what happened to requests into numbers that people can read.
//!
//! No type here can hold a word of a request: only numbers, words of ours, and the names of models, tools and calls, which
//! are short and plain or not told at all. Whoever records something never waits for it to be written.

mod access;
mod bill;
mod cost;
mod event;
mod journal;
pub mod log;
mod metrics;
mod otel;
mod prices;
mod result;
mod shown;
mod side;
mod sink;
mod sums;
mod telemetry;
mod tokens;
mod trace;

pub use bill::{BilledCost, BilledTokens};
pub use cost::BilledRounds;
pub use event::{FetchSum, RequestEnd, RequestEvent, Verb, WouldHave};
pub use journal::{JournalSettings, journal};
pub use metrics::{NumbersForm, RunningStream};
pub use otel::{OtelBook, SpanIds};
pub use prices::{ModelPrice, PriceFault, PriceTable};
pub use result::{GroupSum, ResultEvent, ResultGroup, ResultPlace, ResultStatus, TextSize};
pub use shown::ShownName;
pub use side::{SideLook, SideNumbers, StoreNumbers};
pub use sink::{EventQueue, EventSink, QueueEnd};
pub use sums::{BillSums, EventSums};
pub use telemetry::Telemetry;
pub use tokens::TokenChange;
pub use trace::TraceContext;
