//! A tenant: how it is recognized, its rate, and the options that it may use.

use super::key::TenantKey;

/// The settings of a tenant.
#[derive(Clone, Debug, Eq, PartialEq)]
pub struct TenantSettings {
    /// The tenant's name and permissions.
    pub tenant: KnownTenant,
    /// The tenant's keys, of which only hashes are stored.
    pub keys: Vec<TenantKey>,
    /// Names in the tenant's certificates: DNS names or URIs.
    pub certificates: Vec<String>,
}

/// An authenticated tenant.
#[derive(Clone, Debug, Eq, PartialEq)]
pub struct KnownTenant {
    /// The tenant's name.
    pub name: String,
    /// The maximum number of requests per second; 0 means that the limit for all tenants applies.
    pub rate: usize,
    /// The options that the tenant's requests may use.
    pub may_ask: MayAsk,
}

impl KnownTenant {
    /// A tenant with default permissions.
    #[must_use]
    pub fn new(name: impl Into<String>) -> Self {
        Self { name: name.into(), rate: 0, may_ask: MayAsk::All }
    }
}

/// The options that a tenant's requests may use.
#[derive(Clone, Debug, Default, Eq, PartialEq)]
pub enum MayAsk {
    /// All options.
    #[default]
    All,
    /// Only these options, out of [`MayAsk::NAMES`].
    Listed(Vec<&'static str>),
}

impl MayAsk {
    /// The name of the object in a body that contains options.
    pub(crate) const OBJECT: &'static str = "_tersely";

    /// The names of all options: headers, and the object in the body.
    pub const NAMES: [&'static str; 5] =
        ["x-tersely-mode", "x-tersely-bypass", "x-tersely-reader", "x-compression-threshold", Self::OBJECT];

    /// True if a request may use this option.
    pub(crate) fn allows(&self, name: &str) -> bool {
        match self {
            Self::All => true,
            Self::Listed(list) => list.contains(&name),
        }
    }
}
