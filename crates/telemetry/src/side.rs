//! What is known of a gateway beside its requests.

use std::time::Duration;

/// What is known of a gateway beside its requests, when somebody looks.
#[derive(Clone, Copy, Debug, Default)]
pub struct SideNumbers {
    /// What became of the calls to its store, if it has one.
    pub store: Option<StoreNumbers>,
    /// Calls of a compressor elsewhere.
    pub compressor_calls: u64,
    /// Tokens that they cost.
    pub compressor_tokens: u64,
}

/// What became of the calls to a store.
#[derive(Clone, Copy, Debug, Default)]
pub struct StoreNumbers {
    /// False while it is left alone because it failed.
    pub is_up: bool,
    /// Texts that were asked for and found.
    pub hits: u64,
    /// Texts that were asked for and were not there.
    pub misses: u64,
    /// Texts that were kept.
    pub kept: u64,
    /// Calls that came to nothing.
    pub failures: u64,
    /// Texts that were found and could not be opened; misses too.
    pub spoiled: u64,
    /// What all calls took.
    pub took: Duration,
}

/// Asks for them.
pub type SideLook = Box<dyn Fn() -> SideNumbers + Send + Sync>;
