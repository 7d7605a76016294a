//! Stores originals by id until they expire.
//!
//! Texts are stored in memory, or in Valkey or Redis; the store does not know why a text is stored. A text belongs to
//! a tenant, and the tenant is part of the text's key, so an id alone gives no access. Whatever is wrong with the
//! server, a call returns an error within its deadline, and the caller continues without the store.

mod breaker;
mod counts;
mod error;
mod forget;
mod key;
mod link;
mod memory;
mod memory_lru;
mod remote;
mod seal;
mod secret;
mod settings;
mod store;

pub use breaker::Breaker;
pub use counts::StoreCounts;
pub use error::{SettingError, StoreError};
pub use key::{Id, Life, StoreKey, Tenant};
pub use secret::{StoreSecret, random_name};
pub use settings::{Lives, Remote, StoreLimits, StorePlace, StoreSettings};
pub use store::{Store, StoreWatch};
