//! Turns what happened to requests into numbers that people can read.
//!
//! No type here can hold a word of a request: only numbers, words of ours, and the names of models, tools and calls, which
//! are short and plain or not told at all. Whoever records something never waits for it to be written.

mod access;
mod event;
mod journal;
pub mod log;
mod metrics;
mod otel;
mod prices;
mod side;
mod sink;
mod sums;
mod telemetry;
mod trace;

pub use event::{RequestEnd, RequestEvent, Verb};
pub use journal::{JournalSettings, journal};
pub use metrics::{NumbersForm, RunningStream};
pub use otel::{OtelBook, SpanIds};
pub use prices::{PriceFault, read_prices};
pub use side::{SideLook, SideNumbers, StoreNumbers};
pub use sink::{EventQueue, EventSink, QueueEnd};
pub use sums::{BillSums, EventSums};
pub use telemetry::Telemetry;
pub use trace::TraceContext;
