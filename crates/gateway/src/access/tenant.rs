//! A tenant: by what it is known, how much it may send, and what its requests may ask for.

use super::key::KeyHash;

/// What the settings say of a tenant.
#[derive(Clone, Debug, Eq, PartialEq)]
pub struct TenantSettings {
    /// Who it is, and what it may do.
    pub tenant: KnownTenant,
    /// The hashes of its keys.
    pub keys: Vec<KeyHash>,
    /// Names that its certificates may carry: DNS names or URIs.
    pub certificates: Vec<String>,
}

/// A tenant that was checked.
#[derive(Clone, Debug, Eq, PartialEq)]
pub struct KnownTenant {
    /// Its name.
    pub name: String,
    /// Requests in a second; 0: as many as the limits allow each tenant.
    pub rate: usize,
    /// What its requests may ask of us.
    pub may_ask: MayAsk,
}

impl KnownTenant {
    /// A tenant of which nothing else is said.
    #[must_use]
    pub fn new(name: impl Into<String>) -> Self {
        Self { name: name.into(), rate: 0, may_ask: MayAsk::All }
    }
}

/// What a tenant's requests may ask of us.
#[derive(Clone, Debug, Default, Eq, PartialEq)]
pub enum MayAsk {
    /// Whatever a request can ask.
    #[default]
    All,
    /// These, of [`MayAsk::NAMES`].
    Listed(Vec<&'static str>),
}

impl MayAsk {
    /// The object in a body in which it can ask for more than in headers.
    pub(crate) const OBJECT: &'static str = "_tersely";

    /// Where a request can ask something of us: headers, and the object in its body.
    pub const NAMES: [&'static str; 5] =
        ["x-tersely-mode", "x-tersely-bypass", "x-tersely-reader", "x-compression-threshold", Self::OBJECT];

    /// True when a request may ask there.
    pub(crate) fn allows(&self, name: &str) -> bool {
        match self {
            Self::All => true,
            Self::Listed(list) => list.contains(&name),
        }
    }
}
