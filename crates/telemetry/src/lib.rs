//! Reports what happened to requests: logs, metrics, traces and event files.
//!
//! No type here can contain text of a request: only numbers, our own words, and the names of models, tools and calls,
//! which are left out unless they are short and plain. Recording never blocks the caller.

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
