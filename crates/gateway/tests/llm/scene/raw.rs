//! A client that writes raw bytes.

use std::net::SocketAddr;
use std::time::Duration;

use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::net::TcpStream;
use tokio::time::timeout;

/// A raw connection.
pub(crate) struct Raw {
    stream: TcpStream,
    pub(crate) read: Vec<u8>,
}

impl Raw {
    pub(crate) async fn open(address: SocketAddr) -> Self {
        Self { stream: TcpStream::connect(address).await.expect("a connection"), read: Vec::new() }
    }

    pub(crate) async fn write(&mut self, text: impl AsRef<[u8]>) {
        self.stream.write_all(text.as_ref()).await.expect("a connection that takes bytes");
    }

    /// Writes; false if the peer has closed the connection.
    pub(crate) async fn try_write(&mut self, text: impl AsRef<[u8]>) -> bool {
        self.stream.write_all(text.as_ref()).await.is_ok()
    }

    /// Reads until `words` have arrived, and returns everything so far.
    pub(crate) async fn until(&mut self, words: &str) -> String {
        while !self.text().contains(words) {
            assert!(self.more().await, "{words:?} should come; came: {}", self.text());
        }
        self.text()
    }

    /// True if something arrives within a short time.
    pub(crate) async fn has_come(&mut self) -> bool {
        timeout(Duration::from_millis(50), self.stream.readable()).await.is_ok()
    }

    /// Reads until the peer closes.
    pub(crate) async fn end(&mut self) -> String {
        while self.more().await {}
        self.text()
    }

    pub(crate) fn text(&self) -> String {
        String::from_utf8_lossy(&self.read).into_owned()
    }

    /// False at the end of the connection.
    async fn more(&mut self) -> bool {
        let mut piece = [0; 4096];
        let read = timeout(Duration::from_mins(1), self.stream.read(&mut piece)).await.expect("in time");
        let length = read.unwrap_or(0);
        self.read.extend_from_slice(&piece[..length]);
        length > 0
    }
}
