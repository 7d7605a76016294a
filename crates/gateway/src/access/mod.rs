//! Who may come in: a certificate to show, certificates to ask for, and the keys of tenants.

mod enter;
mod key;
mod list;
mod lock;
mod names;
mod tenant;

pub(crate) use enter::{AskedKey, denied_at, identify};
pub use key::{AccessKey, KeyHash};
pub use list::TenantList;
pub use lock::{InboundTls, TlsFiles};
pub(crate) use names::CertificateNames;
pub use tenant::{KnownTenant, MayAsk, TenantSettings};
