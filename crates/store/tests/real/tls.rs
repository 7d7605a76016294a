//! A server with TLS: its certificate is checked against the system's trust store.

use std::env;
use std::process::Command;
use std::sync::Arc;

use tersely_store::StoreError;
use tokio::io::copy_bidirectional;
use tokio::net::{TcpListener, TcpStream};
use tokio_rustls::TlsAcceptor;
use tokio_rustls::rustls::ServerConfig;
use tokio_rustls::rustls::pki_types::PrivateKeyDer;

use crate::{alone, key, store};
use tersely_testing::valkey::ValkeyNode;

/// Says which port the child should use.
const PORT: &str = "TERSELY_TEST_TLS_PORT";

/// What the system trusts is read from the environment, so the client is a process of its own.
#[tokio::test(flavor = "multi_thread")]
async fn a_store_behind_tls_is_used_if_its_certificate_is_trusted() {
    if let Ok(port) = env::var(PORT) {
        return client(&port).await;
    }
    let _alone = alone().await;
    let node = ValkeyNode::start();
    let certified = rcgen::generate_simple_self_signed(["localhost".to_owned()]).unwrap();
    let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
    let port = listener.local_addr().unwrap().port();
    let proxy = tokio::spawn(forward(listener, acceptor(&certified), node.port));
    let refused = store(vec![format!("rediss://localhost:{port}")]);
    let error = refused.find(&key(&refused, "a", 1)).await.unwrap_err();
    assert!(matches!(&error, StoreError::Down(why) if why.contains("certificate")), "{error:?}");

    let folder = env::temp_dir().join(format!("tersely-tls-{}", std::process::id()));
    std::fs::create_dir_all(&folder).unwrap();
    std::fs::write(folder.join("ca.pem"), certified.cert.pem()).unwrap();
    let test = "tls::a_store_behind_tls_is_used_if_its_certificate_is_trusted";
    let mut child = Command::new(env::current_exe().unwrap());
    child.args([test, "--exact", "--nocapture"]);
    child.env("SSL_CERT_FILE", folder.join("ca.pem")).env(PORT, port.to_string());
    let done = tokio::task::block_in_place(|| child.output().unwrap());
    std::fs::remove_dir_all(folder).unwrap();
    assert!(done.status.success(), "{}", String::from_utf8_lossy(&done.stderr));
    assert_eq!(node.say("DBSIZE"), ":1", "it went through");
    proxy.abort();
}

async fn client(port: &str) {
    let store = store(vec![format!("rediss://localhost:{port}")]);
    store.keep(&key(&store, "a", 1), "text").await.unwrap();
    assert_eq!(store.find(&key(&store, "a", 1)).await.unwrap().as_deref(), Some("text"));
}

fn acceptor(certified: &rcgen::CertifiedKey<rcgen::KeyPair>) -> TlsAcceptor {
    let key = PrivateKeyDer::try_from(certified.signing_key.serialize_der()).unwrap();
    let config = ServerConfig::builder().with_no_client_auth();
    TlsAcceptor::from(Arc::new(config.with_single_cert(vec![certified.cert.der().clone()], key).unwrap()))
}

async fn forward(listener: TcpListener, acceptor: TlsAcceptor, port: u16) {
    while let Ok((stream, _)) = listener.accept().await {
        let acceptor = acceptor.clone();
        tokio::spawn(async move {
            let mut client = acceptor.accept(stream).await.ok()?;
            let mut server = TcpStream::connect(("127.0.0.1", port)).await.ok()?;
            copy_bidirectional(&mut client, &mut server).await.ok()
        });
    }
}
