//! Everything that the product can be told, in the types of the crates that do it.

use super::kept::Keeping;

/// Everything that the product can be told.
#[derive(Debug, Clone, Default)]
pub(crate) struct AllSettings {
    pub engine: tersely_engine::EngineSettings,
    pub gateway: tersely_gateway::GatewaySettings,
    /// Where texts are kept that a later request may only name.
    pub keeping: Keeping,
    /// How much of conversations is remembered.
    pub memo: tersely_engine::Most,
}
