//! A private certificate authority, its certificates, and clients that trust it.

use std::net::SocketAddr;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::{fs, io};

use rcgen::{BasicConstraints, CertificateParams, IsCa, Issuer, KeyPair, SanType, date_time_ymd};
use rustls::pki_types::{CertificateDer, PrivateKeyDer, ServerName};
use rustls::version::{TLS12, TLS13};
use rustls::{ClientConfig, RootCertStore, SupportedProtocolVersion};
use tersely_gateway::TlsFiles;
use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::net::TcpStream;
use tokio_rustls::TlsConnector;
use tokio_rustls::client::TlsStream;

/// An authority with a directory for its certificates.
pub(crate) struct Authority {
    params: CertificateParams,
    key: KeyPair,
    root: CertificateDer<'static>,
    pub(crate) folder: PathBuf,
}

/// A certificate and its key.
pub(crate) struct Identity {
    certificate: CertificateDer<'static>,
    key: Vec<u8>,
}

/// A client that trusts an authority.
pub(crate) struct Visitor<'a> {
    pub(crate) authority: &'a Authority,
    pub(crate) version: &'static SupportedProtocolVersion,
    pub(crate) protocols: &'a [&'a str],
    pub(crate) shows: Option<&'a Identity>,
}

impl Authority {
    pub(crate) fn new(name: &str) -> Self {
        let mut params = CertificateParams::new([]).unwrap();
        params.is_ca = IsCa::Ca(BasicConstraints::Unconstrained);
        let key = KeyPair::generate().unwrap();
        let root = params.self_signed(&key).unwrap();
        let folder = Path::new(env!("CARGO_TARGET_TMPDIR")).join("pki").join(name);
        fs::create_dir_all(&folder).unwrap();
        fs::write(folder.join("ca.pem"), root.pem()).unwrap();
        Self { params, key, root: root.der().clone(), folder }
    }

    /// Writes a new certificate for `localhost` and this machine, and its key.
    pub(crate) fn renew(&self) -> CertificateDer<'static> {
        let own = KeyPair::generate().unwrap();
        let params = CertificateParams::new(["localhost".to_owned(), "127.0.0.1".to_owned()]).unwrap();
        let leaf = params.signed_by(&own, &Issuer::from_params(&self.params, &self.key)).unwrap();
        fs::write(self.folder.join("cert.pem"), leaf.pem()).unwrap();
        fs::write(self.folder.join("key.pem"), own.serialize_pem()).unwrap();
        leaf.der().clone()
    }

    /// The files of a gateway, with client certificates of this authority required if asked for.
    pub(crate) fn files(&self, asks: bool) -> TlsFiles {
        let file = |name: &str| vec![self.folder.join(name)];
        TlsFiles {
            cert: file("cert.pem"),
            key: file("key.pem"),
            client_ca: if asks { file("ca.pem") } else { Vec::new() },
        }
    }

    /// A client certificate with this name, valid in these years.
    pub(crate) fn client(&self, name: &str, years: (i32, i32)) -> Identity {
        let mut params = CertificateParams::new([]).unwrap();
        params.subject_alt_names = vec![if name.contains("://") {
            SanType::URI(name.try_into().unwrap())
        } else {
            SanType::DnsName(name.try_into().unwrap())
        }];
        (params.not_before, params.not_after) = (date_time_ymd(years.0, 1, 1), date_time_ymd(years.1, 1, 1));
        let own = KeyPair::generate().unwrap();
        let leaf = params.signed_by(&own, &Issuer::from_params(&self.params, &self.key)).unwrap();
        Identity { certificate: leaf.der().clone(), key: own.serialize_der() }
    }
}

impl<'a> Visitor<'a> {
    /// A default client.
    pub(crate) fn of(authority: &'a Authority) -> Self {
        Self { authority, version: &TLS13, protocols: &[], shows: None }
    }

    /// The same, with a certificate.
    pub(crate) fn showing(self, identity: &'a Identity) -> Self {
        Self { shows: Some(identity), ..self }
    }

    /// The same, with TLS 1.2.
    pub(crate) fn older(self) -> Self {
        Self { version: &TLS12, ..self }
    }

    pub(crate) async fn connect(&self, address: SocketAddr) -> io::Result<TlsStream<TcpStream>> {
        let mut roots = RootCertStore::empty();
        roots.add(self.authority.root.clone()).unwrap();
        let provider = Arc::new(rustls::crypto::ring::default_provider());
        let builder = ClientConfig::builder_with_provider(provider);
        let builder = builder.with_protocol_versions(&[self.version]).unwrap().with_root_certificates(roots);
        let mut config = match self.shows {
            None => builder.with_no_client_auth(),
            Some(Identity { certificate, key }) => {
                let key = PrivateKeyDer::try_from(key.clone()).unwrap();
                builder.with_client_auth_cert(vec![certificate.clone()], key).unwrap()
            }
        };
        config.alpn_protocols = self.protocols.iter().map(|name| name.as_bytes().to_vec()).collect();
        let name = ServerName::try_from("localhost").unwrap();
        TlsConnector::from(Arc::new(config)).connect(name, TcpStream::connect(address).await?).await
    }

    /// Sends a head over HTTP/1.1 and returns the whole response; empty if the handshake is refused.
    pub(crate) async fn ask(&self, address: SocketAddr, head: &str) -> io::Result<String> {
        let mut stream = self.connect(address).await?;
        let request = format!("{head}\r\nhost: localhost\r\nconnection: close\r\n\r\n");
        stream.write_all(request.as_bytes()).await?;
        let mut answer = Vec::new();
        stream.read_to_end(&mut answer).await?;
        Ok(String::from_utf8_lossy(&answer).into_owned())
    }
}
