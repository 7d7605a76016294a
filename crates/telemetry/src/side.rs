//! Numbers of a gateway that no single request has.

use std::time::Duration;

/// Numbers of a gateway that no single request has, read at each scrape.
#[derive(Clone, Copy, Debug, Default)]
pub struct SideNumbers {
    /// Calls to the store, if there is one.
    pub store: Option<StoreNumbers>,
    /// Calls to a remote compressor.
    pub compressor_calls: u64,
    /// Tokens that those calls cost.
    pub compressor_tokens: u64,
}

/// Calls to a store.
#[derive(Clone, Copy, Debug, Default)]
pub struct StoreNumbers {
    /// False while its circuit breaker is open.
    pub is_up: bool,
    /// Lookups that found a text.
    pub hits: u64,
    /// Lookups that found nothing.
    pub misses: u64,
    /// Texts stored.
    pub kept: u64,
    /// Failed calls.
    pub failures: u64,
    /// Texts found but not decryptable; they count as misses too.
    pub spoiled: u64,
    /// Total duration of all calls.
    pub took: Duration,
}

/// Reads the current numbers.
pub type SideLook = Box<dyn Fn() -> SideNumbers + Send + Sync>;
