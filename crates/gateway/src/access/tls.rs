//! TLS for clients: the certificate that we present, and the authorities whose client certificates we accept.
//!
//! The files can be read again while connections are open; an open connection keeps its configuration.

use std::fmt;
use std::fs::File;
use std::io::{self, Read};
use std::path::{Path, PathBuf};
use std::sync::{Arc, PoisonError, RwLock};

use ring::digest::{Context, SHA256};
use rustls::pki_types::pem::PemObject;
use rustls::pki_types::{CertificateDer, PrivateKeyDer};
use rustls::server::{NoServerSessionStorage, WebPkiClientVerifier};
use rustls::{ConfigBuilder, RootCertStore, ServerConfig, WantsVerifier};
use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::net::TcpStream;
use tokio_rustls::TlsAcceptor;
use tokio_rustls::server::TlsStream;

use super::certificate_names::CertificateNames;
use crate::error::Error;

/// The maximum size of a certificate file.
const MAX_FILE_BYTES: u64 = 4 << 20;

/// The supported ALPN protocols, the preferred one first.
const ALPN_PROTOCOLS: [&[u8]; 2] = [b"h2", b"http/1.1"];

/// The maximum number of bytes to read from a plain HTTP request, so that its client receives the response.
const MAX_DRAINED_BYTES: u64 = 64 << 10;

/// The response to a client that sends plain HTTP to a TLS listener.
const PLAIN_HTTP_RESPONSE: &str = "HTTP/1.1 400 Bad Request\r\nserver: tersely\r\ncontent-type: text/plain\r\nconnection: close\r\n\r\n\
                     tersely: this address speaks TLS; begin the URL with https://\n";

/// The files with certificates and keys, all in PEM format.
#[derive(Clone, Debug, Default, Eq, PartialEq)]
pub struct TlsFiles {
    /// The certificate and its intermediate certificates.
    pub cert: Vec<PathBuf>,
    /// The private key of the certificate.
    pub key: Vec<PathBuf>,
    /// The authorities that must have issued the client certificates; if empty, clients need no certificate.
    pub client_ca: Vec<PathBuf>,
}

/// TLS for clients. Clones share the configuration.
#[derive(Clone)]
pub struct InboundTls(Arc<TlsState>);

struct TlsState {
    files: TlsFiles,
    now: RwLock<TlsNow>,
}

struct TlsNow {
    config: Arc<ServerConfig>,
    /// A hash of the contents that were last read, whether or not they were usable.
    print: Vec<u8>,
}

/// Shows only the file paths, because a key is a secret.
impl fmt::Debug for InboundTls {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.0.files.fmt(f)
    }
}

/// The contents of each file, or the error from reading it.
struct FileBytes([Vec<(PathBuf, io::Result<Vec<u8>>)>; 3]);

impl InboundTls {
    /// Reads the files.
    ///
    /// # Errors
    /// Fails if a file cannot be read, or its contents are invalid.
    pub fn open(files: TlsFiles) -> Result<Self, Error> {
        let read = FileBytes::read(&files);
        let now = RwLock::new(TlsNow { config: Arc::new(config(&read)?), print: read.fingerprint() });
        Ok(Self(Arc::new(TlsState { files, now })))
    }

    /// Reads the files again and returns true if they have changed; new connections then use the new contents. Blocks
    /// while reading.
    ///
    /// # Errors
    /// Fails if the files have changed and are not usable. Each change is reported only once, and the previous
    /// configuration is kept.
    pub fn renew(&self) -> Result<bool, Error> {
        let read = FileBytes::read(&self.0.files);
        let print = read.fingerprint();
        let mut now = self.0.now.write().unwrap_or_else(PoisonError::into_inner);
        if now.print == print {
            return Ok(false);
        }
        now.print = print;
        now.config = Arc::new(config(&read)?);
        Ok(true)
    }

    /// True if clients must present a certificate.
    #[must_use]
    pub fn asks_clients(&self) -> bool {
        !self.0.files.client_ca.is_empty()
    }

    /// Performs the TLS handshake with a client, and returns the names in its certificate.
    pub(crate) async fn accept(
        &self,
        mut stream: TcpStream,
    ) -> io::Result<(TlsStream<TcpStream>, Option<CertificateNames>)> {
        let mut first = [0];
        stream.peek(&mut first).await?;
        // A plain HTTP request begins with the capital letters of its method; a TLS handshake does not begin with a
        // letter.
        if first[0].is_ascii_uppercase() {
            reply_plain(&mut stream).await?;
            return Err(io::ErrorKind::InvalidData.into());
        }
        let config = Arc::clone(&self.0.now.read().unwrap_or_else(PoisonError::into_inner).config);
        let stream = TlsAcceptor::from(config).accept(stream).await?;
        let shown = stream.get_ref().1.peer_certificates().and_then(|chain| chain.first());
        let names = shown.map(CertificateNames::of);
        Ok((stream, names))
    }
}

/// Tells a client to use TLS. Also reads its request, because otherwise the response could be lost.
async fn reply_plain(stream: &mut TcpStream) -> io::Result<()> {
    stream.write_all(PLAIN_HTTP_RESPONSE.as_bytes()).await?;
    stream.shutdown().await?;
    tokio::io::copy(&mut stream.take(MAX_DRAINED_BYTES), &mut tokio::io::sink()).await?;
    Ok(())
}

impl FileBytes {
    fn read(files: &TlsFiles) -> Self {
        let one = |path: &PathBuf| (path.clone(), bytes(path));
        Self([&files.cert, &files.key, &files.client_ca].map(|paths| paths.iter().map(one).collect()))
    }

    fn fingerprint(&self) -> Vec<u8> {
        let mut print = Context::new(&SHA256);
        for (_, read) in self.0.iter().flatten() {
            let why = read.as_ref().err().map(ToString::to_string).unwrap_or_default();
            let bytes = read.as_ref().map_or(&b""[..], |bytes| bytes);
            for part in [why.as_bytes(), bytes] {
                print.update(&part.len().to_be_bytes());
                print.update(part);
            }
        }
        print.finish().as_ref().to_vec()
    }
}

/// Reads a file, but at most one byte more than the limit.
fn bytes(path: &Path) -> io::Result<Vec<u8>> {
    let mut bytes = Vec::new();
    File::open(path)?.take(MAX_FILE_BYTES + 1).read_to_end(&mut bytes)?;
    if bytes.len() as u64 > MAX_FILE_BYTES { Err(io::Error::other("larger than 4 MiB")) } else { Ok(bytes) }
}

fn config(read: &FileBytes) -> Result<ServerConfig, Error> {
    let FileBytes([cert, key, authorities]) = read;
    let provider = Arc::new(rustls::crypto::ring::default_provider());
    let builder =
        ServerConfig::builder_with_provider(Arc::clone(&provider)).with_safe_default_protocol_versions();
    let builder = builder.map_err(|error| Error::setting("cannot set up TLS").because(error))?;
    let builder = match authorities.as_slice() {
        [] => builder.with_no_client_auth(),
        files => {
            let roots = Arc::new(roots(files)?);
            let verifier = WebPkiClientVerifier::builder_with_provider(roots, provider).build();
            let verifier =
                verifier.map_err(|error| fault("tls.client_ca", &error.to_string()).because(error))?;
            ConfigBuilder::<ServerConfig, WantsVerifier>::with_client_cert_verifier(builder, verifier)
        }
    };
    let fits = builder.with_single_cert(certificates("tls.cert", cert)?, private_key(key)?);
    let mut config = fits.map_err(|error| match error {
        rustls::Error::InconsistentKeys(_) => {
            fault("tls.key", "is not the key of the certificate in tls.cert")
        }
        other => fault("tls.cert", &other.to_string()),
    })?;
    config.alpn_protocols = ALPN_PROTOCOLS.map(<[u8]>::to_vec).to_vec();
    if !authorities.is_empty() {
        // Sessions are not resumed, so that client certificates, which may have expired, are checked on each
        // connection.
        config.session_storage = Arc::new(NoServerSessionStorage {});
        config.send_tls13_tickets = 0;
    }
    Ok(config)
}

fn roots(files: &[(PathBuf, io::Result<Vec<u8>>)]) -> Result<RootCertStore, Error> {
    let mut roots = RootCertStore::empty();
    for certificate in certificates("tls.client_ca", files)? {
        roots.add(certificate).map_err(|error| fault("tls.client_ca", &error.to_string()))?;
    }
    Ok(roots)
}

fn certificates(
    setting: &str,
    files: &[(PathBuf, io::Result<Vec<u8>>)],
) -> Result<Vec<CertificateDer<'static>>, Error> {
    let mut all = Vec::new();
    for file in files {
        let found: Result<Vec<_>, _> = CertificateDer::pem_slice_iter(content(setting, file)?).collect();
        let found = found.map_err(|error| of_file(setting, &file.0, &format!("is not PEM: {error}")))?;
        if found.is_empty() {
            return Err(of_file(setting, &file.0, "contains no certificate"));
        }
        all.extend(found);
    }
    Ok(all)
}

fn private_key(files: &[(PathBuf, io::Result<Vec<u8>>)]) -> Result<PrivateKeyDer<'static>, Error> {
    let [file] = files else { return Err(fault("tls.key", "must name exactly one file")) };
    let found = PrivateKeyDer::from_pem_slice(content("tls.key", file)?);
    found.map_err(|_| of_file("tls.key", &file.0, "contains no PEM private key, or the key has a password"))
}

fn content<'f>(setting: &str, file: &'f (PathBuf, io::Result<Vec<u8>>)) -> Result<&'f [u8], Error> {
    let unread = |error: &io::Error| of_file(setting, &file.0, &format!("cannot be read: {error}"));
    file.1.as_deref().map_err(unread)
}

fn of_file(setting: &str, path: &Path, what: &str) -> Error {
    Error::setting(format!("{setting}: {}: {what}", path.display()))
}

fn fault(setting: &str, what: &str) -> Error {
    Error::setting(format!("{setting}: {what}"))
}
