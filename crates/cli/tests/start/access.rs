//! Tests `tersely serve` with a certificate and tenants that change while it runs.

use std::fs;
use std::io::{Read, Write};
use std::net::TcpStream;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::{Duration, Instant};

use rcgen::{BasicConstraints, CertificateParams, IsCa, Issuer, KeyPair};
use rustls::pki_types::CertificateDer;
use rustls::{ClientConfig, ClientConnection, RootCertStore, StreamOwned};

use crate::stage::{Running, start, upstream};

/// The SHA-256 of "one" and of "two".
const ONE: &str = "7692c3ad3540bb803c020b3aee66cd8887123234ea0c6e7143c0add73ff431ed";
const TWO: &str = "3fc4ccfe745870e2c0d99f71f30ff0656c8dedd41cc1d7d3d376b0dbe685e2f3";

/// A certificate authority, and the folder for the gateway's certificates.
struct Scene {
    params: CertificateParams,
    key: KeyPair,
    root: CertificateDer<'static>,
    folder: PathBuf,
}

impl Scene {
    fn new(name: &str) -> Self {
        let mut params = CertificateParams::new([]).expect("parameters");
        params.is_ca = IsCa::Ca(BasicConstraints::Unconstrained);
        let key = KeyPair::generate().expect("a key");
        let root = params.self_signed(&key).expect("a certificate").der().clone();
        let folder = Path::new(env!("CARGO_TARGET_TMPDIR")).join("access").join(name);
        fs::create_dir_all(&folder).expect("a folder");
        Self { params, key, root, folder }
    }

    /// Writes a new certificate and its key.
    fn certify(&self) -> Vec<u8> {
        let own = KeyPair::generate().expect("a key");
        let params = CertificateParams::new(["localhost".to_owned()]).expect("parameters");
        let leaf =
            params.signed_by(&own, &Issuer::from_params(&self.params, &self.key)).expect("a certificate");
        fs::write(self.folder.join("key.pem"), own.serialize_pem()).expect("a file");
        fs::write(self.folder.join("cert.pem"), leaf.pem()).expect("a file");
        leaf.der().to_vec()
    }

    /// Writes the settings, with one key.
    fn list(&self, hash: &str) -> String {
        let file = self.folder.join("tersely.toml");
        let text = format!(
            "[tls]\ncert = 'cert.pem'\nkey = 'key.pem'\n[[tenants]]\nname = 'a'\nkeys = ['{hash}']\n"
        );
        fs::write(&file, text).expect("a file");
        file.display().to_string()
    }

    /// Sends a request with a key; returns the status line and the server's certificate.
    fn ask(&self, address: &str, key: &str) -> (String, Vec<u8>) {
        let mut roots = RootCertStore::empty();
        roots.add(self.root.clone()).expect("a root");
        let provider = Arc::new(rustls::crypto::ring::default_provider());
        let config = ClientConfig::builder_with_provider(provider).with_safe_default_protocol_versions();
        let config = config.expect("versions").with_root_certificates(roots).with_no_client_auth();
        let name = "localhost".try_into().expect("a name");
        let client = ClientConnection::new(Arc::new(config), name).expect("a client");
        let mut stream = StreamOwned::new(client, TcpStream::connect(address).expect("a gateway"));
        let head = format!(
            "GET /v1/models HTTP/1.1\r\nhost: localhost\r\nx-tersely-key: {key}\r\nconnection: close\r\n\r\n"
        );
        stream.write_all(head.as_bytes()).expect("a request");
        let mut answer = Vec::new();
        stream.read_to_end(&mut answer).expect("an answer");
        let line = String::from_utf8_lossy(&answer).lines().next().unwrap_or_default().to_owned();
        (line, stream.conn.peer_certificates().expect("a certificate")[0].to_vec())
    }
}

/// Reads its output until these words appear.
fn says(served: &Running, words: &str) {
    let until = Instant::now() + Duration::from_mins(1);
    while Instant::now() < until {
        if served.line().contains(words) {
            return;
        }
    }
    panic!("{words:?} was not said");
}

/// Behaviour 23.6: changed files are reloaded, and invalid ones are reported.
#[test]
fn certificates_and_keys_change_without_a_restart() {
    let scene = Scene::new("renewed");
    let (upstream, _seen) = upstream(Duration::ZERO);
    let (first, config) = (scene.certify(), scene.list(ONE));
    let to = format!("http://{upstream}");
    let served = start(&["serve", "--listen", "127.0.0.1:0", "--config", &config, "--upstream", &to], &[]);
    let hello = served.line();
    let (_, address) = hello.split_once("https://").unwrap_or_else(|| panic!("{hello}"));
    let address = address.split(',').next().unwrap_or_default().to_owned();
    says(&served, "requests need a tenant's key in the x-tersely-key header");
    let ask = |key: &str| scene.ask(&address, key);
    let (ok, refused) = ("HTTP/1.1 200 OK", "HTTP/1.1 401 Unauthorized");
    assert_eq!(ask("one"), (ok.to_owned(), first.clone()));
    assert_eq!(ask("two").0, refused);
    scene.list(TWO);
    says(&served, "applied the new settings");
    let until = Instant::now() + Duration::from_secs(5);
    while ask("two").0 != ok && Instant::now() < until {}
    assert_eq!((ask("one").0.as_str(), ask("two").0.as_str()), (refused, ok));
    let second = scene.certify();
    says(&served, "loaded the new certificate files; they apply to new connections");
    let shown = ask("two").1;
    assert!(shown == second && shown != first, "the new one is shown");
    fs::write(scene.folder.join("cert.pem"), "").expect("a file");
    says(&served, "cannot use the new certificate files, keeping the old ones: tls.cert: ");
    assert_eq!(ask("two"), (ok.to_owned(), second));
    fs::write(scene.folder.join("tersely.toml"), "").expect("a file");
    says(&served, "the new settings list no tenants; keeping the old tenants");
    assert_eq!((ask("one").0.as_str(), ask("").0.as_str()), (refused, refused));
}

/// Behaviour 23.6: invalid files at the start are fatal, with the file and the reason.
#[test]
fn a_gateway_without_its_key_does_not_start() {
    let scene = Scene::new("unusable");
    scene.certify();
    let config = scene.list(ONE);
    fs::write(scene.folder.join("key.pem"), "no key").expect("a file");
    let mut served = start(&["serve", "--listen", "127.0.0.1:0", "--config", &config], &[]);
    let line = served.line();
    assert!(line.contains("tls.key: ") && line.contains("contains no PEM private key"), "{line}");
    assert_eq!(served.code(), Some(2));
}
