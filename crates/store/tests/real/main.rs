//! Tests with real Valkey servers on loopback, working and failing.

#![cfg(unix)]
#![expect(
    clippy::expect_used,
    clippy::print_stdout,
    clippy::unwrap_used,
    reason = "a test fails loudly and says what it measured, its scenery too"
)]

mod cluster;
mod faults;
mod single;
mod tls;

use std::time::Duration;

use tersely_store::{Id, Life, Remote, Store, StoreKey, StorePlace, StoreSecret, StoreSettings};
use tokio::sync::{Mutex, MutexGuard};

/// Held by every test that measures time or starts servers, so that they do not disturb each other.
async fn alone() -> MutexGuard<'static, ()> {
    static ALONE: Mutex<()> = Mutex::const_new(());
    ALONE.lock().await
}

/// For tests of what happens when a server fails.
const DEADLINE: Duration = Duration::from_millis(200);

/// What a busy machine may add to a deadline.
const SLACK: Duration = Duration::from_millis(300);

/// Settings with a deadline that only a server that fails can miss.
fn settings(addresses: Vec<String>) -> StoreSettings {
    let remote = Remote { addresses, deadline: Duration::from_secs(10), ..Remote::default() };
    StoreSettings { place: StorePlace::Remote(remote), secret: Some(secret()), ..StoreSettings::default() }
}

fn secret() -> StoreSecret {
    StoreSecret::new(b"only for tests, and long enough").unwrap()
}

fn store(addresses: Vec<String>) -> Store {
    Store::open(&settings(addresses)).unwrap()
}

/// A store that gives up soon.
fn hasty(addresses: Vec<String>) -> Store {
    let remote = Remote { addresses, deadline: DEADLINE, ..Remote::default() };
    Store::open(&StoreSettings { place: StorePlace::Remote(remote), ..settings(Vec::new()) }).unwrap()
}

/// The original number `number` of the tenant called `who`.
fn key(store: &Store, who: &str, number: u64) -> StoreKey {
    let tenant = store.tenant(who.as_bytes()).unwrap();
    StoreKey { life: Life::Original, tenant, id: Id::parse(&format!("shadow_{number:032x}")).unwrap() }
}
