//! Front doors: requests come in here, are offered to a rewriter, and go on to where they were meant for.
//!
//! The only crate that listens. It knows HTTP and TLS, and whose error is in which shape; it does not know how a body
//! is made smaller. Whatever the rewriter does wrong, the request goes on as it came.

mod access;
mod admin;
mod api;
mod arrival;
mod bench;
mod board;
mod caller;
mod client;
mod coding;
mod collector;
mod dial;
mod display;
mod error;
mod extproc;
mod front;
mod greet;
mod handles;
mod held;
mod hop;
mod host;
mod idle;
mod lead;
mod life;
mod llm;
mod mcp;
mod missed;
mod outgoing;
mod post;
mod probe;
mod program;
mod pulse;
mod reply;
mod seats;
mod serve;
mod settings;
mod startable;
mod tap;
mod tls;
mod undo;
mod upgrade;
mod upstream;
mod vendor;
mod visit;

pub use access::{AccessKey, InboundTls, KeyHash, KnownTenant, MayAsk, TenantList, TenantSettings, TlsFiles};
pub use api::serve_api;
pub use collector::{Collector, CollectorSettings};
pub use display::{Display, HistorySource, Inside};
pub use error::{Error, Side};
pub use extproc::serve_processor;
pub use llm::{
    CompressQuestion, Compressor, CompressorSettings, CompressorShape, Follow, Head, Keeper, Live,
    LoneAnswer, Pending, Refusal, Replacement, RequestEntry, Rewrite, Round, Sought, Stages, Totals, Verdict,
    WaitingVerdict,
};
pub use mcp::{
    ListeningServer, McpDoor, McpServer, McpServers, McpWork, Originals, Pipe, StartedServer, relay,
    serve_mcp,
};
pub use missed::Missed;
pub use post::{PostedAnswer, Poster};
pub use probe::{fetch, probe};
pub use serve::{bind, serve, serve_board};
pub use settings::{
    AdminSettings, CompressApi, GatewayLimits, GatewaySettings, Origins, ProxyRoute, Timeouts, Websockets,
};
pub use startable::startable;
pub use upstream::{Upstream, Upstreams};
pub use vendor::Vendor;
