//! All settings, in the types of the crates that use them.

use std::path::{Path, PathBuf};

use super::observability::SeenParts;
use super::store::Keeping;

/// All settings.
#[derive(Debug, Clone, Default)]
pub struct AllSettings {
    /// How tool results are compressed.
    pub engine: tersely_engine::EngineSettings,
    /// The listener, upstreams, limits and timeouts.
    pub gateway: tersely_gateway::GatewaySettings,
    /// Certificate and key files for inbound TLS, if any.
    pub tls: Option<tersely_gateway::TlsFiles>,
    /// The store of original texts.
    pub keeping: Keeping,
    /// Where to look for filters.
    pub filtering: Filtering,
    /// The servers that are served to MCP clients.
    pub servers: tersely_gateway::McpServers,
    /// The external compressor, if results are sent to one.
    pub compressor: Option<tersely_gateway::CompressorSettings>,
    /// Settings of the log, the event file, the history and the prices.
    pub seen: SeenParts,
    /// The collector that receives spans and metrics, if one is configured.
    pub collector: Option<tersely_gateway::CollectorSettings>,
    /// Limits of the per-conversation memo.
    pub memo: tersely_engine::MemoLimits,
}

/// Where to look for filters.
#[derive(Debug, Clone)]
pub struct Filtering {
    pub enabled: bool,
    /// The folder of the user's filters; if empty, `filters` in the user's configuration folder.
    pub named: String,
}

impl Default for Filtering {
    fn default() -> Self {
        Self { enabled: true, named: String::new() }
    }
}

impl Filtering {
    /// The folder of the user's filters. `config` is the user's configuration folder.
    pub fn folder(&self, config: Option<&Path>) -> Option<PathBuf> {
        if self.named.is_empty() { Some(config?.join("filters")) } else { Some(PathBuf::from(&self.named)) }
    }
}
