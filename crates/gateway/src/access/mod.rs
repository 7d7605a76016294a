//! Access control: TLS, client certificates, and the keys of tenants.

mod authenticate;
mod certificate_names;
mod key;
mod list;
mod server_names;
mod tenant;
mod tls;

pub(crate) use authenticate::{KeyLocation, denied_at, identify};
pub(crate) use certificate_names::CertificateNames;
pub use key::{AccessKey, KeyHash};
pub use list::TenantList;
pub(crate) use server_names::{bare_host, is_loopback};
pub use tenant::{KnownTenant, MayAsk, TenantSettings};
pub use tls::{InboundTls, TlsFiles};
