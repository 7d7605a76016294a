//! Performs the TLS handshake, if TLS is configured, and detects the HTTP version.
//!
//! Without TLS, the version can only be detected from the first bytes: an HTTP/2 client starts with the preface.

use std::io;
use std::pin::Pin;
use std::task::{Context, Poll};

use bytes::{Buf, Bytes};
use tokio::io::{AsyncRead, AsyncReadExt, AsyncWrite, ReadBuf};
use tokio::net::TcpStream;
use tokio_rustls::server::TlsStream;
use tokio_util::either::Either;

use crate::access::{CertificateNames, InboundTls};

/// The first bytes of an HTTP/2 connection.
const PREFACE: &[u8; 24] = b"PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n";

/// An HTTP version.
#[derive(Clone, Copy, Debug, Eq, PartialEq)]
pub(crate) enum Protocol {
    One,
    Two,
}

/// A connection with or without TLS.
type InboundStream = Either<TcpStream, Box<TlsStream<TcpStream>>>;

/// A connection whose first bytes were read to detect the version. They are returned again when the connection is read.
pub(crate) struct AcceptedStream {
    pub(crate) protocol: Protocol,
    /// The names in the client's certificate, if it sent one.
    pub(crate) names: Option<CertificateNames>,
    begun: Bytes,
    stream: InboundStream,
}

/// Performs the TLS handshake, if TLS is configured, and reads until the HTTP version is known.
pub(crate) async fn accept(tls: Option<&InboundTls>, stream: TcpStream) -> io::Result<AcceptedStream> {
    let (mut stream, names) = match tls {
        None => (Either::Left(stream), None),
        Some(tls) => {
            let (stream, names) = tls.accept(stream).await?;
            (Either::Right(Box::new(stream)), names)
        }
    };
    let (mut begun, mut length) = ([0; PREFACE.len()], 0);
    while length < PREFACE.len() && PREFACE.starts_with(&begun[..length]) {
        match stream.read(&mut begun[length..]).await? {
            0 => break,
            read => length += read,
        }
    }
    let protocol = if begun == *PREFACE { Protocol::Two } else { Protocol::One };
    Ok(AcceptedStream { protocol, names, begun: Bytes::copy_from_slice(&begun[..length]), stream })
}

impl AsyncRead for AcceptedStream {
    fn poll_read(
        mut self: Pin<&mut Self>,
        cx: &mut Context<'_>,
        into: &mut ReadBuf<'_>,
    ) -> Poll<io::Result<()>> {
        if self.begun.is_empty() {
            return Pin::new(&mut self.stream).poll_read(cx, into);
        }
        let length = self.begun.len().min(into.remaining());
        into.put_slice(&self.begun[..length]);
        self.begun.advance(length);
        Poll::Ready(Ok(()))
    }
}

impl AsyncWrite for AcceptedStream {
    fn poll_write(mut self: Pin<&mut Self>, cx: &mut Context<'_>, from: &[u8]) -> Poll<io::Result<usize>> {
        Pin::new(&mut self.stream).poll_write(cx, from)
    }

    fn poll_write_vectored(
        mut self: Pin<&mut Self>,
        cx: &mut Context<'_>,
        from: &[io::IoSlice<'_>],
    ) -> Poll<io::Result<usize>> {
        Pin::new(&mut self.stream).poll_write_vectored(cx, from)
    }

    fn is_write_vectored(&self) -> bool {
        self.stream.is_write_vectored()
    }

    fn poll_flush(mut self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<io::Result<()>> {
        Pin::new(&mut self.stream).poll_flush(cx)
    }

    fn poll_shutdown(mut self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<io::Result<()>> {
        Pin::new(&mut self.stream).poll_shutdown(cx)
    }
}
