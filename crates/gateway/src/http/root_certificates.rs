//! The trusted certificates: those of the system, and those in extra files.

use std::path::{Path, PathBuf};
use std::sync::Arc;

use rustls::pki_types::CertificateDer;
use rustls::pki_types::pem::PemObject;
use rustls::{ClientConfig, RootCertStore};

use crate::error::Error;

/// The TLS configuration for upstreams. Certificates in extra files are trusted in addition to the system's.
pub(crate) fn config(authorities: &[PathBuf]) -> Result<ClientConfig, Error> {
    let mut roots = RootCertStore::empty();
    roots.add_parsable_certificates(rustls_native_certs::load_native_certs().certs);
    for path in authorities {
        add(&mut roots, path)?;
    }
    let provider = Arc::new(rustls::crypto::ring::default_provider());
    let builder = ClientConfig::builder_with_provider(provider).with_safe_default_protocol_versions();
    let builder = builder.map_err(|error| Error::setting("cannot set up TLS").because(error))?;
    Ok(builder.with_root_certificates(roots).with_no_client_auth())
}

fn add(roots: &mut RootCertStore, path: &Path) -> Result<(), Error> {
    let fault = |what: &str| Error::setting(format!("{}: {what}", path.display()));
    let found =
        CertificateDer::pem_file_iter(path).map_err(|error| fault("cannot be read").because(error))?;
    let found: Vec<_> =
        found.collect::<Result<_, _>>().map_err(|error| fault("is not PEM").because(error))?;
    match roots.add_parsable_certificates(found) {
        (0, _) => Err(fault("contains no certificate")),
        _ => Ok(()),
    }
}
