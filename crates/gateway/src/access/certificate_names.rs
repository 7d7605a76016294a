//! The names in a client's certificate.

use std::sync::Arc;

use rustls::pki_types::CertificateDer;
use webpki::EndEntityCert;

/// The names in a client certificate that a trusted authority issued: URIs first, then DNS names.
#[derive(Clone, Debug, Eq, PartialEq)]
pub(crate) struct CertificateNames(Arc<[String]>);

impl CertificateNames {
    /// The names in a certificate; empty if it contains none.
    pub(crate) fn of(certificate: &CertificateDer<'_>) -> Self {
        let Ok(certificate) = EndEntityCert::try_from(certificate) else { return Self(Arc::default()) };
        let names = certificate.valid_uri_names().chain(certificate.valid_dns_names());
        // Names with spaces or control characters are ignored, even if a trusted authority signed them.
        let names = names.filter(|name| name.bytes().all(|byte| byte.is_ascii_graphic()));
        Self(names.map(str::to_owned).collect())
    }

    /// All the names.
    pub(crate) fn all(&self) -> &[String] {
        &self.0
    }
}
