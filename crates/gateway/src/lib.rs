//! The gateway: listens for requests, offers them to a rewriter, and forwards them.
//!
//! This is the only crate that opens listeners. It implements HTTP, TLS and each provider's error format, but not the
//! compression of bodies. If the rewriter fails in any way, the request is forwarded unchanged.

mod access;
mod admin;
mod admission;
mod api;
mod attribution;
mod bypass;
mod collector;
mod dashboard;
pub(crate) mod display;
mod error;
mod extproc;
mod http;
mod llm;
mod mcp;
mod prompt_watch;
mod record_cell;
mod request_log;
pub(crate) mod serve;
mod settings;
mod shared_engine;
mod shutdown;
mod upstream;
mod vendor;
mod worker_pool;

pub use access::{
    AccessKey, InboundTls, KeyHash, KnownTenant, MayAsk, TenantKey, TenantList, TenantSettings, TlsFiles,
};
pub use api::serve_api;
pub use bypass::BypassReason;
pub use collector::{Collector, CollectorSettings};
pub use display::{Display, HistorySource};
pub use error::{Error, Side};
pub use extproc::serve_processor;
pub use http::post::{PostedAnswer, Poster};
pub use http::probe::{fetch, probe};
pub use llm::{
    Clock, ColdWatch, CompressQuestion, Compressor, CompressorSettings, CompressorShape, EngineRewriter,
    Expansion, Head, Keeper, LoneAnswer, Pending, Refusal, Replacement, RequestEntry, RetrievalAnswer,
    Rewrite, Stages, Totals, Verdict, WaitingVerdict,
};
pub use mcp::{
    ListeningServer, McpClientSession, McpServer, McpServers, McpWork, Originals, Pipe, RestartSwitch,
    StartedServer, SteadyPipe, SteadyProcess, find_program, relay, serve_mcp, steady,
};
pub use serve::{bind, serve, serve_dashboard};
pub use settings::{
    AdminSettings, CompressApi, GatewayLimits, GatewaySettings, Origins, ProxyRoute, Timeouts, Websockets,
};
pub use shared_engine::SharedEngine;
pub use upstream::{Upstream, Upstreams};
pub use vendor::Vendor;
