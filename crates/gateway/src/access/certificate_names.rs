//! The names in a client's certificate.

use std::sync::Arc;

use rustls::pki_types::CertificateDer;
use webpki::EndEntityCert;

/// The names in a client's certificate from a trusted authority: URIs first, then DNS names.
#[derive(Clone, Debug, Eq, PartialEq)]
pub(crate) struct CertificateNames(Arc<[String]>);

impl CertificateNames {
    /// The names of a certificate; empty if it has none.
    pub(crate) fn of(certificate: &CertificateDer<'_>) -> Self {
        let Ok(certificate) = EndEntityCert::try_from(certificate) else { return Self(Arc::default()) };
        let names = certificate.valid_uri_names().chain(certificate.valid_dns_names());
        // Names with spaces or control characters are ignored, whoever signed them.
        let names = names.filter(|name| name.bytes().all(|byte| byte.is_ascii_graphic()));
        Self(names.map(str::to_owned).collect())
    }

    /// All of them.
    pub(crate) fn all(&self) -> &[String] {
        &self.0
    }
}
