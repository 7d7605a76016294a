//! Everything that the product can be told, in the types of the crates that do it.

use std::path::{Path, PathBuf};

use super::observability::SeenParts;
use super::store::Keeping;

/// Everything that the product can be told.
#[derive(Debug, Clone, Default)]
pub struct AllSettings {
    /// How results are treated.
    pub engine: tersely_engine::EngineSettings,
    /// The listener, upstreams, limits and timeouts.
    pub gateway: tersely_gateway::GatewaySettings,
    /// The files by which TLS is spoken with those who come in, if it is.
    pub tls: Option<tersely_gateway::TlsFiles>,
    /// Where texts are kept that a later request may only name.
    pub keeping: Keeping,
    /// Which filters are looked for.
    pub filtering: Filtering,
    /// The servers that are served to MCP clients.
    pub servers: tersely_gateway::McpServers,
    /// The compressor elsewhere, if results are sent to one.
    pub compressor: Option<tersely_gateway::CompressorSettings>,
    /// What is seen of a gateway.
    pub seen: SeenParts,
    /// The collector that spans and metrics are sent to, if they are.
    pub collector: Option<tersely_gateway::CollectorSettings>,
    /// How much of conversations is remembered.
    pub memo: tersely_engine::MemoLimits,
}

/// Which filters are looked for.
#[derive(Debug, Clone)]
pub struct Filtering {
    pub enabled: bool,
    /// The folder of the user's filters; empty: the one beside their settings.
    pub named: String,
}

impl Default for Filtering {
    fn default() -> Self {
        Self { enabled: true, named: String::new() }
    }
}

impl Filtering {
    /// The folder of the user's filters, if `config` is the one of their settings.
    pub fn folder(&self, config: Option<&Path>) -> Option<PathBuf> {
        if self.named.is_empty() { Some(config?.join("filters")) } else { Some(PathBuf::from(&self.named)) }
    }
}
