//! Settings of the store of original texts.

use std::time::Duration;

use http::HeaderName;
use tersely_store::{Lives, Remote, Store, StoreLimits, StorePlace, StoreSecret, StoreSettings};

/// These settings while they are being read; empty strings are unset.
#[derive(Clone)]
pub(crate) struct KeptSettings {
    pub addresses: Vec<String>,
    pub secret: String,
    pub header: String,
    pub original: Duration,
    pub deadline: Duration,
    pub bytes: usize,
    pub prefix: String,
}

/// The finished settings.
#[derive(Debug, Clone, Default)]
pub struct Keeping {
    pub store: StoreSettings,
    /// The request header that contains the tenant.
    pub header: Option<HeaderName>,
}

impl Default for KeptSettings {
    fn default() -> Self {
        let Remote { addresses, prefix, deadline, .. } = Remote::default();
        let (secret, header) = <(String, String)>::default();
        let (Lives { original, .. }, StoreLimits { bytes, .. }) = <(Lives, StoreLimits)>::default();
        Self { addresses, secret, header, original, deadline, bytes, prefix }
    }
}

impl KeptSettings {
    /// The finished settings. Secret and header were validated before they were stored here, so only empty ones fail to
    /// parse.
    pub(crate) fn finish(self) -> Keeping {
        let Self { addresses, secret, header, original, deadline, bytes, prefix } = self;
        let place = if addresses.is_empty() {
            StorePlace::Memory(StoreLimits { bytes, ..StoreLimits::default() })
        } else {
            StorePlace::Remote(Remote { addresses, prefix, deadline, ..Remote::default() })
        };
        let lives = Lives { original, ..Lives::default() };
        let secret = StoreSecret::new(secret.as_bytes()).ok();
        Keeping {
            store: StoreSettings { place, secret, lives, ..StoreSettings::default() },
            header: header.parse().ok(),
        }
    }
}

/// Checks that a store can be opened with these addresses, without connecting. They may contain a password, so no
/// message repeats them.
pub(crate) fn addresses(list: Vec<String>) -> Result<Vec<String>, String> {
    if !list.is_empty() {
        let secret = StoreSecret::random().map_err(|error| error.to_string())?;
        let place = StorePlace::Remote(Remote { addresses: list.clone(), ..Remote::default() });
        let opened = Store::open(&StoreSettings { place, secret: Some(secret), ..StoreSettings::default() });
        opened.map_err(|error| error.to_string())?;
    }
    Ok(list)
}
