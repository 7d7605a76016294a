//! Numbers of a gateway that do not belong to a single request.

use std::time::Duration;

use tersely_account::RemoteSums;

/// Numbers of a gateway that do not belong to a single request, read at each scrape.
#[derive(Clone, Copy, Debug, Default)]
pub struct SideNumbers {
    /// Calls to the store, if there is one.
    pub store: Option<StoreNumbers>,
    /// Calls to a remote compressor.
    pub compressor_calls: u64,
    /// Tokens that those calls cost.
    pub compressor_tokens: u64,
    /// What became of the results that it was to shorten.
    pub compressor: RemoteSums,
}

/// Calls to a store.
#[derive(Clone, Copy, Debug, Default)]
pub struct StoreNumbers {
    /// False while the store's circuit breaker is open.
    pub is_up: bool,
    /// Number of lookups that found a text.
    pub hits: u64,
    /// Number of lookups that found nothing.
    pub misses: u64,
    /// Number of texts stored.
    pub kept: u64,
    /// Number of failed calls.
    pub failures: u64,
    /// Number of texts that were found but could not be decrypted; they also count as misses.
    pub spoiled: u64,
    /// Total duration of all calls.
    pub took: Duration,
}

/// Reads the current numbers.
pub type SideLook = Box<dyn Fn() -> SideNumbers + Send + Sync>;
