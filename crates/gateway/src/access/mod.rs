//! Access control: TLS, client certificates, and the keys of tenants.

mod authenticate;
mod certificate_names;
mod key;
mod list;
mod server_names;
mod tenant;
mod tenant_id;
mod tls;

pub(crate) use authenticate::{KeyLocation, KeyName, denied_at, identify};
pub(crate) use certificate_names::CertificateNames;
pub use key::{AccessKey, KeyHash, TenantKey};
pub use list::TenantList;
pub(crate) use server_names::{bare_host, is_loopback};
pub use tenant::{KnownTenant, MayAsk, TenantSettings};
pub(crate) use tenant_id::{TenantId, is_credential};
pub use tls::{InboundTls, TlsFiles};
