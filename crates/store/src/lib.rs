//! Keeps originals by reference until they expire.
//!
//! It knows memory and Valkey or Redis, and not why something was kept. A text belongs to a tenant, and the tenant is
//! part of the name it is kept under, so that an id alone opens nothing. Whatever is wrong with the place where texts
//! are kept, a call ends within its deadline and says so; whoever called goes on without.

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
