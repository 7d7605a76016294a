//! Stores originals by id until they expire.
//!
//! It knows memory and Valkey or Redis, and not why a text is stored. A text belongs to a tenant, and the tenant is
//! part of its key, so an id alone opens nothing. Whatever is wrong with the server, a call returns within its deadline
//! with an error, and the caller continues without the store.

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
